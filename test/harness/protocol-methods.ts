/**
 * One exchange per method of the protocol, both generations, with params and results in the shapes of the
 * specification. Every method goes both ways: asked by the host and by the upstream, legal there or not, because a
 * relay must not care.
 */

import type { Turn } from "./transcript.ts";

export interface MethodCase {
  era: "2025-11-25" | "2026-07-28";
  name: string;
  turns: readonly Turn[];
}

type Json = Record<string, unknown>;

const META = "io.modelcontextprotocol";
const AT = "2026-08-01T00:00:00Z";
const CLIENT = { name: "host", version: "1.0.0" };
const TEXT = { type: "text", text: "é" };
const RESULT = { content: [TEXT], structuredContent: { n: 1 }, isError: false, _meta: { "example.com/a": 1 } };
const FORM = { type: "object", properties: { colour: { type: "string" } }, required: ["colour"] };
const SAMPLE = { messages: [{ role: "user", content: TEXT }], maxTokens: 100, systemPrompt: "Be brief." };
const TOOL = { name: "echo", description: "d", inputSchema: { type: "object" }, icons: [{ src: "data:," }] };
const DOCUMENT = { uri: "file:///a", mimeType: "text/plain", text: "x" };
const CHOICE = { method: "elicitation/create", params: { mode: "form", message: "?", requestedSchema: FORM } };
const TASK = { taskId: "t1", status: "working", createdAt: AT, lastUpdatedAt: AT, ttl: 60_000, pollInterval: 500 };
const MODERN_TASK = {
  taskId: "t1",
  status: "working",
  createdAt: AT,
  lastUpdatedAt: AT,
  ttlMs: null,
  pollIntervalMs: 5,
};

/** Methods with an answer, shared by both generations: name, params, result. */
const COMMON: [string, Json | undefined, Json][] = [
  ["tools/list", { cursor: "2" }, { tools: [TOOL], nextCursor: "3" }],
  ["tools/call", { name: "echo", arguments: { a: 1 }, _meta: { progressToken: 0, traceparent: "00-1-2-01" } }, RESULT],
  ["resources/list", {}, { resources: [{ uri: "file:///a", name: "a" }] }],
  ["resources/templates/list", {}, { resourceTemplates: [{ uriTemplate: "file:///{p}", name: "f" }] }],
  ["resources/read", { uri: "file:///a" }, { contents: [DOCUMENT, { uri: "file:///b", blob: "AAA=" }] }],
  ["prompts/list", {}, { prompts: [{ name: "p", arguments: [{ name: "a", required: true }] }] }],
  ["prompts/get", { name: "p", arguments: { a: "1" } }, { messages: [{ role: "user", content: TEXT }] }],
  [
    "completion/complete",
    { ref: { type: "ref/prompt", name: "p" }, argument: { name: "a", value: "o" }, context: { arguments: {} } },
    { completion: { values: ["one"], total: 1, hasMore: false } },
  ],
];

const LEGACY: [string, Json | undefined, Json][] = [
  [
    "initialize",
    { protocolVersion: "2025-11-25", capabilities: { roots: { listChanged: true }, sampling: {} }, clientInfo: CLIENT },
    { protocolVersion: "2025-11-25", capabilities: { tools: {} }, serverInfo: CLIENT, instructions: "Read me." },
  ],
  ["ping", undefined, {}],
  ["logging/setLevel", { level: "debug" }, {}],
  ["resources/subscribe", { uri: "file:///a" }, {}],
  ["resources/unsubscribe", { uri: "file:///a" }, {}],
  ["roots/list", undefined, { roots: [{ uri: "file:///r", name: "r" }] }],
  ["sampling/createMessage", SAMPLE, { role: "assistant", content: TEXT, model: "m", stopReason: "endTurn" }],
  ["elicitation/create", CHOICE.params, { action: "accept", content: { colour: "red" } }],
  [
    "elicitation/create (url)",
    { mode: "url", message: "!", url: "https://example.com", elicitationId: "e1" },
    { action: "decline" },
  ],
  ["tools/call (as a task)", { name: "slow", arguments: {}, task: { ttl: 60_000 } }, { task: TASK }],
  ["tasks/get", { taskId: "t1" }, TASK],
  ["tasks/list", {}, { tasks: [TASK] }],
  ["tasks/result", { taskId: "t1" }, { ...RESULT, _meta: { [`${META}/related-task`]: { taskId: "t1" } } }],
  ["tasks/cancel", { taskId: "t1" }, { ...TASK, status: "cancelled" }],
];

const MODERN: [string, Json | undefined, Json][] = [
  [
    "server/discover",
    {},
    { supportedVersions: ["2026-07-28"], capabilities: { tools: {} }, ttlMs: 1, cacheScope: "private" },
  ],
  [
    "tools/call (input required)",
    { name: "ask" },
    { resultType: "input_required", inputRequests: { a: CHOICE }, requestState: "s\u2028\\" },
  ],
  [
    "tools/call (retried)",
    { name: "ask", requestState: "s\u2028\\", inputResponses: { a: { action: "accept" } } },
    RESULT,
  ],
  ["prompts/get (input required)", { name: "p" }, { resultType: "input_required", requestState: "only state" }],
  ["tools/call (as a task)", { name: "slow" }, { resultType: "task", ...MODERN_TASK }],
  ["tasks/get", { taskId: "t1" }, { ...MODERN_TASK, status: "completed", result: RESULT }],
  ["tasks/update", { taskId: "t1", inputResponses: { a: { action: "cancel" } } }, {}],
  ["tasks/cancel", { taskId: "t1" }, {}],
  [
    "subscriptions/listen",
    { notifications: { toolsListChanged: true, resources: ["file:///a"] } },
    { _meta: { [`${META}/subscriptionId`]: 1 } },
  ],
];

const COMMON_NOTIFICATIONS: [string, Json | undefined][] = [
  ["notifications/cancelled", { requestId: 1, reason: "the user said so" }],
  ["notifications/progress", { progressToken: 0, progress: 0.5, total: 1.0, message: "half" }],
  ["notifications/message", { level: "info", logger: "l", data: { any: ["thing"] } }],
  ["notifications/tools/list_changed", undefined],
  ["notifications/prompts/list_changed", undefined],
  ["notifications/resources/list_changed", undefined],
  ["notifications/resources/updated", { uri: "file:///a" }],
];

const LEGACY_NOTIFICATIONS: [string, Json | undefined][] = [
  ["notifications/initialized", undefined],
  ["notifications/roots/list_changed", undefined],
  ["notifications/elicitation/complete", { elicitationId: "e1" }],
  ["notifications/tasks/status", TASK],
];

const MODERN_NOTIFICATIONS: [string, Json | undefined][] = [
  ["notifications/subscriptions/acknowledged", { notifications: { toolsListChanged: true } }],
  ["notifications/tasks", MODERN_TASK],
];

const line = (message: Json) => `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`;
const REQUEST_META = {
  [`${META}/protocolVersion`]: "2026-07-28",
  [`${META}/clientInfo`]: CLIENT,
  [`${META}/clientCapabilities`]: { elicitation: { form: {} }, extensions: { [`${META}/tasks`]: {} } },
};

function modernParams(params: Json = {}): Json {
  return { ...params, _meta: { ...REQUEST_META, ...(params._meta as Json | undefined) } };
}

function modernResult(result: Json): Json {
  return { resultType: "complete", ...result, _meta: { [`${META}/serverInfo`]: CLIENT, ...(result._meta as Json) } };
}

/** Asked by the host with id 1, then by the upstream with id 0, and each refused once too. */
function asked(era: MethodCase["era"], [name, params, result]: [string, Json | undefined, Json]): MethodCase {
  const modern = era === "2026-07-28";
  const method = name.split(" ")[0];
  const body = modern ? modernParams(params) : params;
  const request = (id: unknown) => line({ id, method, ...(body ? { params: body } : {}) });
  const answer = (id: unknown) => line({ id, result: modern ? modernResult(result) : result });
  const refusal = (id: unknown) => line({ id, error: { code: -32603, message: "no", data: [1] } });
  const turns: Turn[] = [
    { up: request(1) },
    { down: answer(1) + request(0) },
    { up: answer(0) + request("two") },
    { down: refusal("two") + request("zero") },
    { up: refusal("zero") },
  ];
  return { era, name, turns };
}

function told(era: MethodCase["era"], [method, params]: [string, Json | undefined]): MethodCase {
  const subscribed = { ...params, _meta: { [`${META}/subscriptionId`]: 1 } };
  const body = era === "2026-07-28" ? subscribed : params;
  const message = line({ method, ...(body ? { params: body } : {}) });
  return { era, name: method, turns: [{ up: message }, { down: message }] };
}

export const PROTOCOL_METHODS: readonly MethodCase[] = [
  ...[...COMMON, ...LEGACY].map((one) => asked("2025-11-25", one)),
  ...[...COMMON_NOTIFICATIONS, ...LEGACY_NOTIFICATIONS].map((one) => told("2025-11-25", one)),
  ...[...COMMON, ...MODERN].map((one) => asked("2026-07-28", one)),
  ...[...COMMON_NOTIFICATIONS, ...MODERN_NOTIFICATIONS].map((one) => told("2026-07-28", one)),
];
