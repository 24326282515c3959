/**
 * Whole sessions with a server that thinks: both protocol generations, requests in both directions, answers out of
 * order, cancellation, progress, multi-round calls, subscriptions, tasks. Direct and through the proxy, both sides
 * get the same bytes in the same order.
 */

import { readFileSync } from "node:fs";
import { describe, expect } from "vitest";
import { test } from "../harness/process-test.ts";
import type { RunningProcess } from "../harness/running-process.ts";
import { commandFor, DIRECT, THROUGH } from "../harness/transcript.ts";
import { expectSameBytes } from "../harness/untouched.ts";

type Session = (host: RunningProcess) => Promise<void>;

const META = "io.modelcontextprotocol";
const MODERN = {
  [`${META}/protocolVersion`]: "2026-07-28",
  [`${META}/clientInfo`]: { name: "host", version: "1" },
  [`${META}/clientCapabilities`]: { elicitation: { form: {} }, extensions: { [`${META}/tasks`]: {} } },
};

const handshake = async (host: RunningProcess, protocolVersion: string) => {
  const clientInfo = { name: "host", version: "1" };
  const { result } = await host.request(0, "initialize", { protocolVersion, capabilities: {}, clientInfo });
  expect(result?.protocolVersion).toBe(protocolVersion);
  await host.send({ jsonrpc: "2.0", method: "notifications/initialized" });
};

const post = (host: RunningProcess, id: unknown, name: string, args: object, more: object = {}) =>
  host.send({ jsonrpc: "2.0", id, method: "tools/call", params: { name, arguments: args, ...more } });

/** The texts of the answers, in the order they came. */
const texts = (host: RunningProcess) =>
  host.stdout.messages().map((m) => [m.id, (m.result?.content as { text?: string }[] | undefined)?.[0]?.text]);

async function reverseRequest(host: RunningProcess, serverId: unknown, method: string, answer: object): Promise<void> {
  const params = { id: serverId, method, params: { n: 1 } };
  await post(host, `call ${JSON.stringify(serverId)}`, "ask", params);
  await host.stdout.untilMessage(method, (m) => m.method === method && m.id === serverId);
  const line = JSON.stringify({ ...answer, id: serverId, jsonrpc: "2.0" });
  await host.write(`${line}\n`);
  const { result } = await host.stdout.untilAnswer(`call ${JSON.stringify(serverId)}`);
  expect(result).toEqual({ content: [{ type: "text", text: line }] });
}

async function modernTask(host: RunningProcess): Promise<void> {
  const ask = (id: number, method: string) => host.request(id, method, { taskId: "task-1", _meta: MODERN });
  const { result } = await host.call(1, "task", { polls: 2 }, MODERN);
  expect(result).toMatchObject({ resultType: "task", taskId: "task-1", status: "working" });
  expect((await ask(2, "tasks/get")).result?.status).toBe("working");
  await ask(3, "tasks/update");
  expect((await ask(4, "tasks/get")).result).toMatchObject({ status: "completed", result: { content: [{}] } });
  await host.call(5, "task", { polls: 9 }, MODERN);
  await host.request(6, "tasks/cancel", { taskId: "task-2", _meta: MODERN });
  expect((await ask(7, "tasks/result")).error?.code).toBe(-32601);
}

async function legacyTask(host: RunningProcess): Promise<void> {
  await handshake(host, "2025-11-25");
  await post(host, 1, "task", { polls: 2, outcome: "failed" }, { task: { ttl: 60_000 } });
  expect((await host.stdout.untilAnswer(1)).result).toMatchObject({ task: { taskId: "task-1", status: "working" } });
  await host.request(2, "tasks/get", { taskId: "task-1" });
  expect((await host.request(3, "tasks/get", { taskId: "task-1" })).result?.status).toBe("failed");
  expect((await host.request(4, "tasks/result", { taskId: "task-1" })).result).toMatchObject({ isError: true });
  await host.request(5, "tasks/list", {});
  expect((await host.request(6, "tasks/cancel", { taskId: "task-1" })).result?.status).toBe("cancelled");
  expect((await host.request(7, "tasks/get", { taskId: "none" })).error).toBeDefined();
}

async function multiRound(host: RunningProcess): Promise<void> {
  let state: Record<string, unknown> = {};
  for (let round = 0; round < 3; round++) {
    await post(host, round, "rounds", { rounds: 2 }, { ...state, _meta: MODERN });
    const { result } = await host.stdout.untilAnswer(round);
    expect(result?.resultType).toBe(round < 2 ? "input_required" : "complete");
    const inputResponses = { choice: { action: "accept", content: { round } } };
    state = { requestState: result?.requestState, inputResponses };
  }
}

async function subscription(host: RunningProcess): Promise<void> {
  const params = { notifications: { toolsListChanged: true }, _meta: MODERN };
  await host.send({ jsonrpc: "2.0", id: "listen:0", method: "subscriptions/listen", params });
  await host.stdout.untilText("subscriptions/acknowledged");
  await host.call(1, "listeners", {}, MODERN);
  await host.call(2, "listeners", { event: "resources/updated" }, MODERN);
  await host.call(3, "listeners", { end: true }, MODERN);
  expect((await host.stdout.untilAnswer("listen:0")).result).toMatchObject({ resultType: "complete" });
}

const SESSIONS: Record<string, { flags?: string[]; play: Session }> = {};
for (const version of ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"]) {
  SESSIONS[`handshake of ${version}`] = {
    flags: ["--era", "legacy"],
    async play(host) {
      await handshake(host, version);
      await host.request(1, "tools/list", {});
      expect(await host.call(2, "echo", { text: "é" })).toMatchObject({ result: { content: [{ text: "é" }] } });
    },
  };
}

Object.assign(SESSIONS, {
  "2026-07-28, stateless": {
    flags: ["--era", "modern"],
    async play(host) {
      const { result } = await host.request("probe-1", "server/discover", { _meta: MODERN });
      expect(result).toMatchObject({ resultType: "complete", supportedVersions: ["2026-07-28"] });
      await host.request(1, "tools/list", { _meta: MODERN });
      expect((await host.call(2, "echo", { text: "é" }, MODERN)).result?.resultType).toBe("complete");
      expect((await host.call(3, "echo")).error?.code).toBe(-32602);
    },
  },
  "a host of both generations with a server that refuses server/discover": {
    flags: ["--era", "legacy"],
    async play(host) {
      expect((await host.request("probe-1", "server/discover", { _meta: MODERN })).error?.code).toBe(-32601);
      await handshake(host, "2025-11-25");
      await host.call(1, "echo");
    },
  },
  "a host of both generations with a server that is silent on server/discover": {
    flags: ["--era", "legacy", "--discover-silent"],
    async play(host) {
      await host.send({ jsonrpc: "2.0", id: "probe-1", method: "server/discover", params: { _meta: MODERN } });
      await handshake(host, "2025-11-25");
      await host.call(1, "echo");
      expect(texts(host)).toHaveLength(2);
    },
  },
  "requests of the server's own, ids 0, -1 and text": {
    async play(host) {
      await reverseRequest(host, 0, "sampling/createMessage", { result: { role: "assistant", n: 1.5 } });
      await reverseRequest(host, -1, "roots/list", { result: { roots: [] } });
      await reverseRequest(host, 'é"1', "elicitation/create", { result: { action: "cancel" } });
      await reverseRequest(host, 1, "vendor/ask", { error: { code: -32601, message: "no", data: null } });
    },
  },
  "answers out of order": {
    async play(host) {
      for (const key of ["a", "b", "c"]) await post(host, key, "hold", { key });
      await host.call(1, "release", { keys: ["c", "a", "b"] });
      expect(texts(host).map(([id]) => id)).toEqual(["c", "a", "b", 1]);
    },
  },
  "a cancelled id used again, its late answer after the new one's": {
    async play(host) {
      await post(host, 5, "hold", { key: "old" });
      await host.send({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 5, reason: "no" } });
      await post(host, 5, "hold", { key: "new" });
      await host.call(6, "release", { keys: ["new", "old"] });
      expect(texts(host)).toEqual([
        [5, "held new"],
        [5, "held old"],
        [6, "released"],
      ]);
    },
  },
  "a cancelled call that is never answered": {
    async play(host) {
      await post(host, 5, "cancellable", {});
      await host.stderr.untilText("holding 5");
      await host.send({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 5 } });
      await host.stderr.untilText("cancelled 5");
      await host.call(6, "echo");
    },
  },
  "progress before the answer, after it, and for a token that nobody gave": {
    async play(host) {
      await host.call(1, "progress", { during: 2, unknown: 1, after: 2 }, { progressToken: 0 });
      await host.call(2, "echo");
      expect(host.stdout.messages().filter((m) => m.method === "notifications/progress")).toHaveLength(5);
    },
  },
  "a call in three rounds": { play: multiRound },
  "a subscription": { play: subscription },
  "tasks of 2025-11-25": { play: legacyTask },
  "tasks of the extension": { play: modernTask },
  "every kind of result and error": {
    async play(host) {
      expect((await host.call(1, "fail")).result?.isError).toBe(true);
      expect((await host.call(2, "protocol-error")).error).toMatchObject({
        code: -32602,
        data: { why: ["because", 1] },
      });
      expect((await host.call(3, "url-required")).error?.code).toBe(-32042);
      expect((await host.call(4, "structured")).result).toMatchObject({ _meta: { "ui.resourceUri": "ui://widget/1" } });
      await host.call(5, "image");
      await host.call(6, "links");
      const meta = { progressToken: 1, "claudecode/toolUseId": "toolu_1", traceparent: "00-1-2-01" };
      expect((await host.call(7, "meta", {}, meta)).result).toEqual({
        content: [{ type: "text", text: JSON.stringify(meta) }],
      });
      await host.call(8, "big", { bytes: 3_000_000 });
      await host.call(9, "flood", { messages: 2000, bytes: 100 });
      await host.call(10, "delay", { ms: 5 });
    },
  },
  "bytes of the server's choice": {
    async play(host) {
      await host.call(1, "stray", { lines: ["Starting…", "", "{", "null"] });
      await host.call(2, "crlf");
      expect((await host.call(3, "split", { text: "é😀\u2028" })).result).toEqual({
        content: [{ type: "text", text: "é😀\u2028" }],
      });
      const odd = '{"id":4,"result":{"n":1.0,"n":12345678901234567890},"jsonrpc":"2.0"}\r\n\n';
      await host.call(4, "raw", { base64: Buffer.from(odd).toString("base64") });
      expect(host.stdout.text().endsWith(odd)).toBe(true);
    },
  },
} satisfies Record<string, { flags?: string[]; play: Session }>);

describe("a session", () => {
  test.for(Object.keys(SESSIONS))("%s", async (name, { box }) => {
    const { flags = [], play } = SESSIONS[name] ?? { play: async () => {} };
    const [direct, ...through] = await Promise.all(
      [DIRECT, ...THROUGH].map(async (way) => {
        const log = box.file("received");
        const host = box.start(commandFor(way, box.fake(...flags, "--log", log)), { env: way.env ?? {} });
        await play(host);
        expect(await host.finish(), way.name).toEqual({ code: 0, signal: null });
        return { way: way.name, host: Buffer.from(host.stdout.bytes()), upstream: readFileSync(log) };
      }),
    );
    expect(direct?.host.length).toBeGreaterThan(0);
    for (const got of through) {
      expectSameBytes(got.host, direct?.host ?? Buffer.alloc(0), `${got.way}: what the host got`);
      expectSameBytes(got.upstream, direct?.upstream ?? Buffer.alloc(0), `${got.way}: what the upstream got`);
    }
  });
});
