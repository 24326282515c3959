/**
 * The reference servers, direct and through the proxy: the same session, the same lines. Only what depends on time
 * is blanked out, and only the order in which independent messages came is ignored.
 */

import { mkdirSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { describe, expect } from "vitest";
import { BUN, SERVER_EVERYTHING, SERVER_FILESYSTEM } from "../harness/locations.ts";
import { test } from "../harness/process-test.ts";
import { onlyRun } from "../harness/recorded-runs.ts";
import type { RunningProcess } from "../harness/running-process.ts";
import { commandFor, DIRECT, NO_RECORD, RECORDING, type Way } from "../harness/transcript.ts";

const INITIALIZE = {
  protocolVersion: "2025-11-25",
  capabilities: { roots: { listChanged: true }, sampling: {}, elicitation: { form: {}, url: {} } },
  clientInfo: { name: "raw-host", version: "1.2.3" },
};

const ANSWERS: Record<string, object> = {
  "roots/list": { roots: [{ uri: "file:///nowhere", name: "nowhere" }] },
  "sampling/createMessage": { role: "assistant", content: { type: "text", text: "sampled é" }, model: "none" },
  "elicitation/create": { action: "accept", content: { name: "A. Person", check: true } },
};

type Ask = [method: string, params?: object];
const call = (name: string, args: object, meta?: object): Ask => [
  "tools/call",
  { name, arguments: args, ...(meta ? { _meta: meta } : {}) },
];

/** Holds a whole session, one request at a time, answering the server's own requests; the lines that came. */
async function session(host: RunningProcess, asks: readonly Ask[], untilAsked: readonly string[]): Promise<string[]> {
  let answered = 0;
  const answerServer = async () => {
    for (; ; answered++) {
      const asked = host.stdout.messages().filter((m) => m.method !== undefined && m.id !== undefined)[answered];
      if (!asked) return;
      await host.send({ jsonrpc: "2.0", id: asked.id, result: ANSWERS[asked.method ?? ""] });
    }
  };
  await host.request("start", "initialize", INITIALIZE);
  await host.send({ jsonrpc: "2.0", method: "notifications/initialized" });
  for (const method of untilAsked) {
    await host.stdout.untilMessage(method, (m) => m.method === method);
    await answerServer();
  }
  for (const [id, [method, params]] of asks.entries()) {
    await host.send({ jsonrpc: "2.0", id, method, ...(params ? { params } : {}) });
    const isAnswer = (m: { id?: unknown; method?: string }) => m.id === id && m.method === undefined;
    await host.stdout.until(`the answer to ${method}`, (log) => {
      void answerServer();
      return log.messages().some(isAnswer);
    });
  }
  await host.finish();
  return host.stdout.lines();
}

const timeless = (lines: readonly string[]) =>
  lines.map((line) => line.replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z|\b\d{1,2}:\d\d:\d\d( [AP]M)?/g, "<time>")).toSorted();

const WAYS: readonly Way[] = [RECORDING, NO_RECORD];

describe("server-everything", () => {
  const server = [BUN, SERVER_EVERYTHING, "stdio"];
  const asks: Ask[] = [
    ["ping"],
    ["tools/list", {}],
    ["prompts/list"],
    ["resources/list", {}],
    ["resources/templates/list"],
    ["resources/read", { uri: "demo://resource/static/document/features.md" }],
    ["resources/subscribe", { uri: "demo://resource/dynamic/text/1" }],
    ["resources/unsubscribe", { uri: "demo://resource/dynamic/text/1" }],
    ["prompts/get", { name: "simple-prompt" }],
    ["prompts/get", { name: "no-such-prompt" }],
    ["logging/setLevel", { level: "error" }],
    ["vendor/unknown", { a: 1 }],
    call("echo", { message: "é 😀 \u2028 \u0000" }),
    call("get-sum", { a: 1.5, b: -2 }),
    call("get-sum", { a: "one" }),
    call("no-such-tool", {}),
    call("get-structured-content", { location: "Chicago" }),
    call("get-annotated-message", { messageType: "error", includeImage: true }),
    call("get-tiny-image", {}),
    call("get-resource-links", { count: 3 }),
    call("trigger-long-running-operation", { duration: 0.2, steps: 4 }, { progressToken: "p\u00e9" }),
    call("trigger-sampling-request", { prompt: "hello", maxTokens: 5 }),
    call("trigger-elicitation-request", {}),
    call("get-roots-list", {}),
  ];

  test("the same lines, direct and through the proxy", async ({ box }) => {
    const direct = await session(box.start(server), asks, ["roots/list"]);
    expect(direct.length).toBeGreaterThan(asks.length);
    for (const way of WAYS) {
      const through = await session(box.start(commandFor(way, server, "everything")), asks, ["roots/list"]);
      expect(timeless(through)).toEqual(timeless(direct));
    }
  });

  test("the same environment but for our own variables, direct and through the proxy", async ({ box }) => {
    const seen: object[] = [];
    for (const way of [DIRECT, ...WAYS]) {
      const host = box.start(commandFor(way, server, "everything"), { env: { ODD: " é = 'x' " } });
      await host.request("start", "initialize", INITIALIZE);
      const { result } = await host.call(1, "get-env");
      await host.finish();
      const [content] = (result?.content ?? []) as { text: string }[];
      const env = Object.entries(JSON.parse(content?.text ?? "{}"));
      seen.push(Object.fromEntries(env.filter(([name]) => !name.startsWith("BIR_"))));
    }
    expect(seen[0]).toHaveProperty("ODD", " é = 'x' ");
    expect(seen.slice(1)).toEqual([seen[0], seen[0]]);
  });

  test("its calls, and nothing else, are in the record", async ({ box }) => {
    await session(box.start(commandFor(RECORDING, server, "everything")), asks, ["roots/list"]);
    const run = await onlyRun(box);
    expect(run).toMatchObject({
      tier: "standalone",
      status: "completed",
      lossy: false,
      wrappedServers: ["everything"],
    });
    expect(run.host).toEqual({ app: "raw-host", version: "1.2.3" });
    const calls = asks.filter(([method]) => method === "tools/call").map(([, params]) => params as { name: string });
    expect(run.steps.map((step) => step.tool)).toEqual(calls.map(({ name }) => name));
    const failed = run.steps.filter((step) => step.status === "error").map((step) => step.tool);
    expect(failed).toEqual(["get-sum", "no-such-tool"]);
    expect(run.steps.every((step) => step.server === "everything" && step.legs === 1)).toBe(true);
    expect(run.steps.find((step) => step.tool === "trigger-long-running-operation")?.progress).toBe(4);
  });
});

describe("server-filesystem", () => {
  test("the same lines, direct and through the proxy", async ({ box }) => {
    const results: string[][] = [];
    for (const [n, way] of [DIRECT, ...WAYS].entries()) {
      const root = join(realpathSync(box.directory), `files-${n}`);
      mkdirSync(root);
      const at = (name: string) => join(root, name);
      const asks: Ask[] = [
        ["tools/list", {}],
        call("list_allowed_directories", {}),
        call("write_file", { path: at("a.txt"), content: "one\r\ntwo é 😀\n" }),
        call("read_text_file", { path: at("a.txt") }),
        call("edit_file", { path: at("a.txt"), edits: [{ oldText: "one", newText: "uno" }] }),
        call("read_text_file", { path: at("a.txt"), head: 1 }),
        call("create_directory", { path: at("d") }),
        call("move_file", { source: at("a.txt"), destination: at("d/b.txt") }),
        call("list_directory", { path: root }),
        call("directory_tree", { path: root }),
        call("read_text_file", { path: at("missing.txt") }),
        call("read_text_file", { path: "/etc/hostname" }),
        call("write_file", { path: at("big.txt"), content: "x".repeat(2_000_000) }),
        call("read_text_file", { path: at("big.txt") }),
      ];
      const host = box.start(commandFor(way, [BUN, SERVER_FILESYSTEM, root], "files"));
      const lines = await session(host, asks, []);
      results.push(timeless(lines.map((line) => line.replaceAll(root, "<root>"))));
    }
    const [direct, ...through] = results;
    expect(direct?.length).toBeGreaterThan(14);
    for (const lines of through) expect(lines).toEqual(direct);
  });
});
