/** The golden exchanges: what a host and a server of each kind say to each other, byte for byte. */

import type { GoldenScript, GoldenTurn } from "./remote-golden.ts";
import { INITIALIZED, initializeParams, modern } from "./remote-session.ts";

const line = (message: object) => JSON.stringify({ jsonrpc: "2.0", ...message });
const call = (id: string, args: string, name = "echo") =>
  `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"${name}","arguments":${args}}}`;
const result = (id: string, value: string) =>
  `{"jsonrpc":"2.0","id":${id},"result":{"content":[],"structuredContent":${value}}}`;
const progress = (n: string) =>
  `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"t","progress":${n}}}`;

const ODD = String.raw`{"n":123456789012345678901234567890,"f":1.0,"a":1,"a":2,"e":"\u0041\ud800\/","s": "é😀"}`;

const handshake = (version: string): GoldenTurn[] => [
  {
    say: line({ id: 0, method: "initialize", params: initializeParams(version) }),
    answer: {
      json: `{\n  "jsonrpc": "2.0",\n  "id": 0,\n  "result": {\n    "protocolVersion": "${version}",\n    "capabilities": {"tools": {}},\n    "serverInfo": {"name": "s", "version": "1.0"}\n  }\n}\n`,
    },
  },
  { say: INITIALIZED.trim(), answer: { status: 202 }, opensStream: true },
];

const LEGACY: GoldenScript = {
  name: "legacy",
  kind: "legacy",
  turns: [
    ...handshake("2025-11-25"),
    {
      say: '{"method":"tools/list","jsonrpc":"2.0","id":"list"}',
      answer: { events: ['{"id":"list","jsonrpc":"2.0","result":{"tools":[{"name":"echo","inputSchema":{}}]}}'] },
    },
    { say: call("1", ODD), answer: { events: [progress("1.0"), progress("2"), result("1", ODD)] } },
    { say: call('"1"', "{}"), answer: { json: result('"1"', '"another"') } },
    {
      say: call("-1", "{}", "nothing"),
      answer: { json: '{"jsonrpc":"2.0","id":-1,"error":{"code":-32602,"message":"m","data":{"n":1.0}}}' },
    },
    {
      say: call("400", "{}", "refused"),
      answer: { status: 400, json: '{"jsonrpc":"2.0","id":400,"error":{"code":-32600,"message":"Session expired"}}' },
    },
    {
      say: '{"jsonrpc":"2.0","method":"notifications/vendor","params":{"n":1e2}}',
      answer: { pushed: ['{"jsonrpc":"2.0","id":0,"method":"sampling/createMessage","params":{"maxTokens":1.0}}'] },
    },
    {
      say: '{"jsonrpc":"2.0","id":0,"result":{"role":"assistant","content":{"type":"text","text":"\\u00e9"}}}',
      answer: { pushed: ['{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}'] },
    },
    {
      say: call("7", '{"long":true}'),
      answer: {
        events: [progress("7.5")],
        resumed: { id: "event/7", events: [progress("8"), result("7", '"resumed"')] },
      },
    },
  ],
};

const MODERN_HEADERS = (method: string, name?: string) => ({
  "mcp-protocol-version": "2026-07-28",
  "mcp-method": method,
  ...(name === undefined ? {} : { "mcp-name": name }),
});

const TOOL = {
  name: "query",
  inputSchema: {
    type: "object",
    properties: { region: { type: "string", "x-mcp-header": "Region" }, n: { type: "integer", "x-mcp-header": "N" } },
  },
};

const modernTurn = (
  id: unknown,
  method: string,
  params: { name?: string; uri?: string; [key: string]: unknown },
  answer: GoldenTurn["answer"],
  headers = {},
): GoldenTurn => ({
  say: line({ id, method, params: modern(params) }),
  headers: { ...MODERN_HEADERS(method, params.name ?? params.uri), ...headers },
  answer,
});

const MODERN_SCRIPT: GoldenScript = {
  name: "modern",
  kind: "modern",
  turns: [
    modernTurn(
      "probe",
      "server/discover",
      {},
      {
        json: '{"jsonrpc":"2.0","id":"probe","result":{"resultType":"complete","supportedVersions":["2026-07-28"]}}',
      },
    ),
    modernTurn(
      0,
      "tools/list",
      {},
      {
        events: [
          line({ id: 0, result: { resultType: "complete", tools: [TOOL], ttlMs: 3_600_000, cacheScope: "private" } }),
        ],
      },
    ),
    modernTurn(
      1,
      "tools/call",
      { name: "query", arguments: { region: "Köln", n: 42 } },
      {
        events: [progress("1.0"), '{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","content":[],"n":1.0}}'],
      },
      { "mcp-param-region": "=?base64?S8O2bG4=?=", "mcp-param-n": "42" },
    ),
    modernTurn(
      2,
      "tools/call",
      { name: "query", arguments: { region: null } },
      {
        json: '{"jsonrpc":"2.0","id":2,"result":{"resultType":"input_required","requestState":"\\u0061/1+=","inputRequests":{}}}',
      },
    ),
    modernTurn(
      3,
      "tools/call",
      { name: "query", arguments: { region: null }, requestState: "a/1+=", inputResponses: {} },
      {
        json: '{"jsonrpc":"2.0","id":3,"result":{"resultType":"complete","content":[]}}',
      },
    ),
    modernTurn(
      4,
      "resources/read",
      { uri: "peer://doc/1" },
      {
        status: 400,
        json: '{"jsonrpc":"2.0","id":4,"error":{"code":-32602,"message":"Resource not found","data":{"uri":"peer://doc/1"}}}',
      },
    ),
    modernTurn(
      5,
      "vendor/ask",
      {},
      {
        status: 404,
        json: '{"jsonrpc":"2.0","id":5,"error":{"code":-32601,"message":"Method not found"}}',
      },
    ),
  ],
};

const SSE: GoldenScript = {
  name: "sse",
  kind: "sse",
  turns: [
    {
      say: line({ id: 0, method: "initialize", params: initializeParams("2024-11-05") }),
      answer: { pushed: ['{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2024-11-05","capabilities":{}}}'] },
    },
    { say: INITIALIZED.trim(), answer: {} },
    {
      say: call("1", ODD),
      answer: { pushed: ['{"jsonrpc":"2.0","id":"s","method":"roots/list"}', progress("1.0"), result("1", ODD)] },
    },
    { say: '{"jsonrpc":"2.0","id":"s","result":{"roots":[ ]}}', answer: {} },
  ],
};

export const GOLDEN_SCRIPTS: readonly GoldenScript[] = [LEGACY, MODERN_SCRIPT, SSE];
