/** What is a run of which Claude Code session, and what of its traffic is none: hooks of its own, and looks at a server. */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect } from "vitest";
import { text, use } from "../fakes/model-api/script.ts";
import { listRuns, onlyRun, showRun } from "../harness/recorded-runs.ts";
import type { Sandbox } from "../harness/sandbox.ts";
import { commandFor, DIRECT, RECORDING } from "../harness/transcript.ts";
import { installedPeers, recordedSession, upstreamOf } from "./hosts/claude-peers.ts";
import { test } from "./hosts/claude-session.ts";
import { type Lasting, lastingPart } from "./hosts/same-session.ts";
import { toolUses } from "./hosts/sealed-claude.ts";

const PEERS = installedPeers();

/** A conversation of one call, which says its name. */
const saying = (name: string) => ({
  name,
  prompt: `Be ${name}`,
  turns: [[use("mcp__fake__echo", { text: name })], [text(`${name} is done.`)]],
});

describe.for(PEERS)("Claude Code $version with a $era server", (peer) => {
  const { version } = peer;
  const recorded = (box: Sandbox) => commandFor(RECORDING, upstreamOf(box, peer));

  test("two sessions at once in one directory, one of them resumed: runs of their own", async ({ box, claude }) => {
    const host = await claude(version, [saying("first"), saying("second"), saying("third")]);
    const servers = { fake: recorded(box) };
    const [first, second] = await Promise.all([
      host.session({ prompt: "Be first", servers, home: "home-first" }),
      host.session({ prompt: "Be second", servers, home: "home-second" }),
    ]);
    const flags = ["--resume", first.sessionId];
    const third = await host.session({ prompt: "Be third", servers, home: "home-first", flags });
    expect(second.sessionId).not.toBe(first.sessionId);
    expect(third.sessionId).toBe(first.sessionId);

    const runs = await Promise.all((await listRuns(box)).map(({ id }) => showRun(box, id)));
    expect(runs).toHaveLength(3);
    for (const [name, outcome] of Object.entries({ first, second, third })) {
      expect(outcome).toMatchObject({ code: 0, result: `${name} is done.` });
      const run = runs.find(({ steps }) => steps[0]?.callId === toolUses(outcome)[0]?.id);
      expect(run).toMatchObject({ sessionId: recordedSession(peer, outcome.sessionId), status: "completed" });
      expect(run?.steps).toMatchObject([{ args: { text: name } }]);
    }
  });

  test("two servers in one session: a run of each, and of the same session", async ({ box, claude }) => {
    const turns = [
      [use("mcp__fake__echo", { text: "a" }), use("mcp__other_one__echo", { text: "b" })],
      [text("Both.")],
    ];
    const host = await claude(version, [{ name: "both", prompt: "Ask both", turns }]);
    const other = commandFor(RECORDING, upstreamOf(box, peer), "other_one");
    const outcome = await host.session({ prompt: "Ask both", servers: { fake: recorded(box), other_one: other } });
    expect(outcome).toMatchObject({ code: 0, result: "Both." });
    const runs = await Promise.all((await listRuns(box)).map(({ id }) => showRun(box, id)));
    const sessionId = recordedSession(peer, outcome.sessionId);
    const told = runs.map((run) => [run.sessionId, run.wrappedServers, run.steps.map((step) => step.qualifiedName)]);
    expect(told).toHaveLength(2);
    expect(told).toContainEqual([sessionId, ["fake"], ["mcp__fake__echo"]]);
    expect(told).toContainEqual([sessionId, ["other_one"], ["mcp__other_one__echo"]]);
  });

  test("a server that does not start: the session is the same as without the proxy, and no run", async ({
    box,
    claude,
  }) => {
    const prompt = "Do without";
    const host = await claude(version, [{ name: "without", prompt, turns: [[text("I do.")]] }]);
    const upstream = [...upstreamOf(box, peer), "--exit-at-start", "3"];
    const sessions: Lasting[] = [];
    for (const way of [DIRECT, RECORDING]) {
      const before = host.model.requests.length;
      const home = `home-${way === DIRECT ? "direct" : "proxy"}`;
      const outcome = await host.session({ prompt, servers: { fake: commandFor(way, upstream) }, home });
      expect(outcome).toMatchObject({ code: 0, result: "I do." });
      expect(outcome.rows[0]).toMatchObject({ mcp_servers: [{ name: "fake", status: "failed" }] });
      sessions.push(lastingPart(box, home, outcome, host.model.requests.slice(before)));
    }
    expect(sessions[1]).toEqual(sessions[0]);
    expect(await listRuns(box)).toEqual([]);
  });

  test("`claude mcp list` and `get` find the server and leave no run", async ({ box, claude }) => {
    const host = await claude(version, []);
    const [command, ...args] = recorded(box);
    host.file(".claude.json", { mcpServers: { fake: { command, args } } });
    for (const look of [["list"], ["get", "fake"]]) {
      const looking = host.run(["mcp", ...look]);
      expect(await looking.finish()).toEqual({ code: 0, signal: null });
      expect(looking.stdout.text()).toMatch(/(✔|✓) Connected/);
    }
    expect(await box.untilNoneLeft()).toEqual([]);
    expect(existsSync(join(box.birHome, "recordings.db"))).toBe(false);
    expect(host.model.requests.filter(({ kind }) => kind !== "reachability")).toEqual([]);
  });
});

describe.for(PEERS.filter(({ version }) => version === "2.1.332"))(
  "hooks of Claude Code $version, $era server",
  (peer) => {
    test("calls that they make are counted, and are no steps", async ({ box, claude }) => {
      const host = await claude(peer.version, [saying("watched")]);
      const hook = (name: string) => ({
        matcher: "",
        hooks: [{ type: "mcp_tool", server: "fake", tool: "echo", input: { text: `${name}\${tool_use_id}` } }],
      });
      const hooks = { PreToolUse: [hook("before ")], PostToolUse: [hook("after ")], Stop: [hook("at the end")] };
      const outcome = await host.session({
        prompt: "Be watched",
        servers: { fake: commandFor(RECORDING, upstreamOf(box, peer)) },
        flags: ["--settings", box.file("settings.json", JSON.stringify({ hooks }))],
      });
      expect(outcome).toMatchObject({ code: 0, result: "watched is done." });
      const recordedRun = await onlyRun(box);
      expect(recordedRun.steps).toMatchObject([{ callId: "toolu_watched_0_0", args: { text: "watched" } }]);
      expect(recordedRun).toMatchObject({ hostHookCalls: 3, lossy: false, gaps: [] });
    });
  },
);
