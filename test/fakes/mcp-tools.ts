/** The tools of the fake upstream; their language is documented in upstream.ts. Pure scripting, no protocol state. */

import type { Call, Json, Wire } from "./mcp-message.ts";
import { startTask } from "./mcp-tasks.ts";
import { closeStdin, say, writeBytes } from "./wire-io.ts";

type Tool = (wire: Wire, call: Call) => void | Promise<void>;

const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const META = "io.modelcontextprotocol";

const text = (value: string): Json => ({ content: [{ type: "text", text: value }] });
const number = (value: unknown, otherwise: number) => (typeof value === "number" ? value : otherwise);

const held = new Map<unknown, () => void>();

const progress = (wire: Wire, token: unknown, count: number) => {
  for (let n = 1; n <= count; n++) {
    wire.notify("notifications/progress", { progressToken: token, progress: n, total: count });
  }
};

const tools: Record<string, Tool> = {
  echo: (wire, call) => {
    const { text: said } = call.args;
    wire.result(call, text(typeof said === "string" ? said : JSON.stringify(call.args)));
  },
  raw: (wire, { args }) => wire.bytes(Buffer.from(String(args.base64), "base64")),
  split(wire, { id, args }) {
    const answer = Buffer.from(`${JSON.stringify({ jsonrpc: "2.0", id, result: text(String(args.text)) })}\n`);
    for (const byte of answer) wire.bytes(Uint8Array.of(byte));
  },
  crlf: (wire, { id }) => wire.bytes(`${JSON.stringify({ jsonrpc: "2.0", id, result: text("crlf") })}\r\n`),
  stray(wire, call) {
    for (const line of call.args.lines as string[]) wire.bytes(`${line}\n`);
    wire.result(call, text("after the stray lines"));
  },
  async delay(wire, call) {
    await Bun.sleep(number(call.args.ms, 0));
    wire.result(call, text("later"));
  },
  hold(wire, call) {
    held.set(call.args.key, () => wire.result(call, text(`held ${String(call.args.key)}`)));
    say(`holding ${JSON.stringify(call.id)}`);
  },
  release(wire, call) {
    for (const key of call.args.keys as unknown[]) {
      held.get(key)?.();
      held.delete(key);
    }
    wire.result(call, text("released"));
  },
  cancellable: (wire, { id }) => {
    wire.onCancelled(id, () => say(`cancelled ${JSON.stringify(id)}`));
    say(`holding ${JSON.stringify(id)}`);
  },
  never: (_, { id }) => say(`holding ${JSON.stringify(id)}`),
  die(wire, { args }) {
    if (typeof args.partial === "string") wire.bytes(args.partial);
    if (typeof args.signal === "string") process.kill(process.pid, args.signal);
    else process.exit(number(args.code, 1));
  },
  flood(wire, call) {
    const data = "x".repeat(number(call.args.bytes, 10));
    for (let n = 0; n < number(call.args.messages, 1); n++) {
      wire.notify("notifications/message", { level: "info", data: `${n} ${data}` });
    }
    wire.result(call, text("flooded"));
  },
  big: (wire, call) => wire.result(call, text("x".repeat(number(call.args.bytes, 1)))),
  async ask(wire, call) {
    const { id, method, params } = call.args;
    wire.result(call, text(await wire.ask(id, String(method), params)));
  },
  progress(wire, call) {
    const token = call.params._meta?.progressToken;
    progress(wire, token, number(call.args.during, 0));
    progress(wire, "a token of the server's own", number(call.args.unknown, 0));
    wire.result(call, text("progressed"));
    progress(wire, token, number(call.args.after, 0));
  },
  rounds(wire, call) {
    const wanted = number(call.args.rounds, 1);
    const { requestState, inputResponses } = call.params;
    const done = typeof requestState === "string" ? Number(/^round (\d+)/.exec(requestState)?.[1]) : 0;
    if (done >= wanted) {
      wire.result(call, text(`rounds done: ${JSON.stringify(inputResponses)}`));
      return;
    }
    const params = { mode: "form", message: "Which one?", requestedSchema: { type: "object", properties: {} } };
    wire.result(call, {
      resultType: "input_required",
      inputRequests: { choice: { method: "elicitation/create", params } },
      requestState: `round ${done + 1} of ${wanted} "quoted" \\ \u2028 é 😀 <${String(call.args.tag ?? "")}>`,
    });
  },
  task: startTask,
  listeners(wire, call) {
    for (const id of wire.listeners) {
      const _meta = { [`${META}/subscriptionId`]: id };
      wire.notify(`notifications/${String(call.args.event ?? "tools/list_changed")}`, { _meta });
      if (call.args.end) wire.result({ id, modern: true }, { _meta });
    }
    if (call.args.end) wire.listeners.clear();
    wire.result(call, text("told"));
  },
  fail: (wire, call) => wire.result(call, { ...text(String(call.args.text ?? "it failed")), isError: true }),
  "protocol-error": (wire, { id }) => wire.error(id, -32602, "A scripted error", { why: ["because", 1.0] }),
  "url-required": (wire, { id }) => {
    const elicitation = { mode: "url", elicitationId: "el-1", url: "https://example.com/sign-in", message: "Sign in" };
    wire.error(id, -32042, "URL elicitation required", { elicitations: [elicitation] });
  },
  structured: (wire, call) =>
    wire.result(call, {
      ...text('{"sum":3}'),
      structuredContent: { sum: 3 },
      _meta: { "ui.resourceUri": "ui://widget/1", "example.com/kept": [1, { deep: true }] },
    }),
  image: (wire, call) =>
    wire.result(call, {
      content: [{ type: "image", data: PIXEL, mimeType: "image/png", annotations: { priority: 1 } }],
    }),
  links: (wire, call) =>
    wire.result(call, {
      content: [
        { type: "resource_link", uri: "fake://doc/1", name: "doc" },
        { type: "resource", resource: { uri: "fake://doc/2", mimeType: "text/plain", text: "embedded" } },
      ],
    }),
  meta: (wire, call) => wire.result(call, text(JSON.stringify(call.params._meta ?? null))),
  env: (wire, call) => wire.result(call, text(JSON.stringify(process.env[String(call.args.name)] ?? null))),
  stderr(wire, call) {
    writeBytes(2, String(call.args.text));
    wire.result(call, text("said"));
  },
  "close-stdin"(wire, call) {
    process.on("SIGUSR2", () => {
      wire.result(call, text("late"));
      process.exit(0);
    });
    setInterval(() => {}, 1 << 30);
    closeStdin();
    say("stdin closed");
  },
};

const SCHEMA = { type: "object", properties: {} };
const OUTPUTS: Record<string, Json> = {
  structured: { outputSchema: { type: "object", properties: { sum: { type: "number" } }, required: ["sum"] } },
};

/** What tools/list answers. */
export const TOOLS: Json[] = Object.keys(tools).map((name) => ({
  name,
  description: `Scripted tool ${name}`,
  inputSchema: SCHEMA,
  ...OUTPUTS[name],
}));

export function callTool(wire: Wire, call: Call): void {
  void (tools[call.name] ?? tools.echo)?.(wire, call);
}
