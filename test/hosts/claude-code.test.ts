/**
 * Claude Code as people run it, with a scripted model: the session is the same with a server behind the proxy as with
 * the server itself, and the record tells every call of it.
 */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect } from "vitest";
import { type Block, text, thinking, use } from "../fakes/model-api/script.ts";
import { BUN, ROOT } from "../harness/locations.ts";
import { onlyRun } from "../harness/recorded-runs.ts";
import type { Sandbox } from "../harness/sandbox.ts";
import { commandFor, DIRECT, RECORDING, type Way } from "../harness/transcript.ts";
import { installedPeers, type Peer, recordedSession, upstreamOf } from "./hosts/claude-peers.ts";
import { test } from "./hosts/claude-session.ts";
import { lastingPart } from "./hosts/same-session.ts";
import { type Outcome, type SealedClaude, toolResults, toolUses } from "./hosts/sealed-claude.ts";

const READ_ONLY_UPSTREAM = join(ROOT, "test", "fakes", "read-only-upstream.ts");

const PROGRESS = 3;
const SECRET = `ghp_${"a1B2c3D4e5F6".repeat(3)}`;

/** Every call of the tour: a tool of the fake upstream, what the model gives it, and what the record must say of it. */
const CALLS: { tool: string; args: Record<string, unknown>; step: Record<string, unknown> }[] = [
  { tool: "echo", args: { text: 'héllo 😀 "\\ \u2028' }, step: ok([{ type: "text", text: 'héllo 😀 "\\ \u2028' }]) },
  {
    tool: "echo",
    args: { deep: [{ n: 1.5, none: null }], empty: {} },
    step: ok([{ type: "text", text: '{"deep":[{"n":1.5,"none":null}],"empty":{}}' }]),
  },
  { tool: "big", args: { bytes: 30_000 }, step: ok([{ type: "text", text: "x".repeat(30_000) }]) },
  {
    tool: "fail",
    args: { text: "no such city" },
    step: {
      status: "error",
      isError: true,
      error: "no such city",
      rpcError: null,
      result: { isError: true, content: [{ type: "text", text: "no such city" }] },
    },
  },
  {
    tool: "protocol-error",
    args: {},
    step: {
      status: "error",
      isError: true,
      error: "A scripted error",
      result: null,
      rpcError: { code: -32602, message: "A scripted error", data: { why: ["because", 1] } },
    },
  },
  {
    tool: "structured",
    args: {},
    step: {
      status: "ok",
      result: {
        content: [{ type: "text", text: '{"sum":3}' }],
        structuredContent: { sum: 3 },
        _meta: { "ui.resourceUri": "ui://widget/1", "example.com/kept": [1, { deep: true }] },
      },
    },
  },
  {
    tool: "image",
    args: {},
    step: ok([
      { type: "image", mimeType: "image/png", sizeBytes: 70, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) },
    ]),
  },
  {
    tool: "links",
    args: {},
    step: ok([
      { type: "resource_link", uri: "fake://doc/1", name: "doc" },
      { type: "resource", resource: { uri: "fake://doc/2", mimeType: "text/plain", text: "embedded" } },
    ]),
  },
  { tool: "progress", args: { during: PROGRESS }, step: ok([{ type: "text", text: "progressed" }]) },
  { tool: "listeners", args: { event: "tools/list_changed" }, step: ok([{ type: "text", text: "told" }]) },
  {
    tool: "echo",
    args: { text: `token ${SECRET}` },
    step: { status: "ok", args: { text: expect.stringMatching(/^token \[REDACTED:[\w-]+\]$/) } },
  },
];

function ok(content: object[]): Record<string, unknown> {
  return { status: "ok", isError: false, error: null, rpcError: null, result: { content } };
}

/** Three turns of one call each, then the others in one turn; then what is no call. */
const TOUR = {
  name: "tour",
  prompt: "Take the tour",
  turns: [
    [thinking("I begin with an echo."), text("I begin."), called(0)],
    [called(1)],
    [text("On it."), called(2)],
    CALLS.slice(3).map((_, index) => called(index + 3)),
    [
      use("ListMcpResourcesTool", { server: "fake" }),
      use("ReadMcpResourceTool", { server: "fake", uri: "fake://doc/1" }),
    ],
    [thinking("That was all."), text("The tour is over.")],
  ],
};

function called(index: number): Block {
  const { tool = "", args = {} } = CALLS[index] ?? {};
  return use(`mcp__fake__${tool}`, args);
}

describe.for(installedPeers())("Claude Code $version with a $era server", (peer) => {
  const { version, era } = peer;
  const asksForProgress = version === "2.1.332";
  test("a session is the same, direct and through the proxy, and its record whole", async ({ box, claude }) => {
    const host = await claude(version, [TOUR]);
    const direct = await tour(box, host, DIRECT, peer);
    const through = await tour(box, host, RECORDING, peer);
    expect(direct.outcome).toMatchObject({ code: 0, result: "The tour is over." });
    expect(through.lasting).toEqual(direct.lasting);
    expect(through.served).toEqual(direct.served);
    // The comparison is of a real session, secrets and all.
    expect(direct.served).toHaveLength(CALLS.length);
    expect(JSON.stringify(through.outcome.rows)).toContain(SECRET);
    expect(JSON.stringify(host.model.turnsOf("tour").at(-1)?.body)).toContain(SECRET);

    const run = await onlyRun(box);
    expect(run).toMatchObject({
      host: { app: "claude-code", version },
      sessionId: recordedSession(peer, through.outcome.sessionId),
      tier: "standalone",
      cwd: box.cwd,
      status: "completed",
      lossy: false,
      gaps: [],
      // Progress that was not asked for belongs to no call.
      notes: asksForProgress ? [] : [{ kind: "warning", text: expect.stringMatching(/^3 progress notification/) }],
      hostHookCalls: 0,
      wrappedServers: ["fake"],
    });
    const made = toolUses(through.outcome);
    expect(toolResults(through.outcome).get(made.at(-1)?.id)?.content).toContain("the text of a document");
    expect(run.steps).toHaveLength(CALLS.length);
    for (const [index, { tool, args, step }] of CALLS.entries()) {
      const { id, name } = made[index] ?? {};
      const seen = { tool, qualifiedName: name, args, callId: id, ...step };
      expect(run.steps[index]).toMatchObject(seen);
      expect(run.steps[index]).toMatchObject({ index, legs: 1, truncated: false, sources: ["proxy"] });
    }
    expect(JSON.stringify(run)).not.toContain(SECRET);
  });

  test("calls that the host makes at the same time are told apart", async ({ box, claude }) => {
    // Each `hold` is answered by the `release` alone, in another order: one after the other they would wait for ever.
    const calls = [
      use("mcp__fake__hold", { key: "a" }),
      use("mcp__fake__hold", { key: "b" }),
      use("mcp__fake__echo", { text: "meanwhile" }),
      use("mcp__fake__release", { keys: ["b", "a"] }),
    ];
    const host = await claude(version, [{ name: "par", prompt: "All at once", turns: [calls, [text("Done.")]] }]);
    const outcome = await host.session({
      prompt: "All at once",
      servers: { fake: commandFor(RECORDING, [BUN, READ_ONLY_UPSTREAM, "--era", era]) },
    });
    expect(outcome).toMatchObject({ code: 0, result: "Done." });
    const { steps } = await onlyRun(box);
    const answered = steps.map(({ callId, args, result }) => ({ callId, args, result }));
    expect(answered).toMatchObject([
      { callId: "toolu_par_0_0", args: { key: "a" }, result: { content: [{ text: "held a" }] } },
      { callId: "toolu_par_0_1", args: { key: "b" }, result: { content: [{ text: "held b" }] } },
      { callId: "toolu_par_0_2", args: { text: "meanwhile" }, result: { content: [{ text: "meanwhile" }] } },
      { callId: "toolu_par_0_3", args: { keys: ["b", "a"] }, result: { content: [{ text: "released" }] } },
    ]);
    for (const { callId, result } of answered) {
      const [{ text: recorded }] = (result as { content: [{ text: string }] }).content;
      expect(JSON.stringify(toolResults(outcome).get(callId))).toContain(recorded);
    }
  });

  test("a sub-agent's calls are in the session's run", async ({ box, claude }) => {
    const task = { description: "Count sheep", prompt: "Count the sheep", subagent_type: "general-purpose" };
    const host = await claude(version, [
      {
        name: "main",
        prompt: "Have the sheep counted",
        turns: [[use("Task", task)], [use("mcp__fake__echo", { text: "main" })], [text("Three.")], [text("Three.")]],
      },
      {
        name: "sub",
        prompt: "Count the sheep",
        turns: [[use("mcp__fake__echo", { text: "sub" })], [text("Three sheep.")]],
      },
    ]);
    const outcome = await host.session({
      prompt: "Have the sheep counted",
      servers: { fake: commandFor(RECORDING, upstreamOf(box, peer)) },
    });
    expect(outcome).toMatchObject({ code: 0, result: "Three." });
    const { steps } = await onlyRun(box);
    const calls = steps.map(({ callId, args, status }) => ({ callId, args, status }));
    expect(calls).toHaveLength(2);
    expect(calls).toContainEqual({ callId: "toolu_main_1_0", args: { text: "main" }, status: "ok" });
    expect(calls).toContainEqual({ callId: "toolu_sub_0_0", args: { text: "sub" }, status: "ok" });
  });
});

interface Toured {
  outcome: Outcome;
  lasting: object;
  /** The calls that reached the server. */
  served: unknown[];
}

async function tour(box: Sandbox, host: SealedClaude, way: Way, peer: Peer): Promise<Toured> {
  const log = box.file("received");
  const home = `home-${way === DIRECT ? "direct" : "proxy"}`;
  const before = host.model.requests.length;
  const servers = { fake: commandFor(way, [...upstreamOf(box, peer), "--log", log]) };
  const outcome = await host.session({ prompt: TOUR.prompt, servers, home });
  const received = readFileSync(log, "utf8").trim().split("\n");
  return {
    outcome,
    lasting: lastingPart(box, home, outcome, host.model.requests.slice(before)),
    served: received.map((line) => JSON.parse(line)).filter(({ method }) => method === "tools/call"),
  };
}
