/** Claude Code and a server that dies, a session that is ended from outside, and a model that fails. */

import { readdirSync, readFileSync } from "node:fs";
import { describe, expect } from "vitest";
import { text, use } from "../fakes/model-api/script.ts";
import { BIR } from "../harness/locations.ts";
import { listRuns, onlyRun, showRun } from "../harness/recorded-runs.ts";
import type { Sandbox } from "../harness/sandbox.ts";
import { commandFor, RECORDING } from "../harness/transcript.ts";
import { installedPeers, recordedSession, upstreamOf } from "./hosts/claude-peers.ts";
import { test } from "./hosts/claude-session.ts";
import { type Outcome, outcomeOf, toolResults } from "./hosts/sealed-claude.ts";
import { until } from "./hosts/until.ts";

const GONE = 'MCP server "fake" is not available';

describe.for(installedPeers())("Claude Code $version with a $era server", (peer) => {
  const { version, era } = peer;
  const recorded = (box: Sandbox) => ({ fake: commandFor(RECORDING, upstreamOf(box, peer)) });

  test("a server that dies in a call: the model is told, the session ends well", async ({ box, claude }) => {
    const prompt = "Break it";
    // A model takes longer to go on than the proxy takes to leave.
    const next = () => ({ content: [use("mcp__fake__echo", { text: "again" })], after: untilNoProxyIsLeft(box) });
    const turns = [[use("mcp__fake__die", { code: 7 })], next, [text("I saw.")]];
    const host = await claude(version, [{ name: "die", prompt, turns }]);
    const server = upstreamOf(box, peer);
    const direct = await host.session({ prompt, servers: { fake: server }, home: "home-direct" });
    const outcome = await host.session({ prompt, servers: recorded(box), home: "home-proxy" });
    expect(direct).toMatchObject({ code: 0, result: "I saw." });
    expect(outcome).toMatchObject({ code: 0, result: "I saw." });
    expect(failures(outcome)).toEqual(failures(direct));
    expect(toolResults(outcome).get("toolu_die_0_0")?.content).toContain(GONE);

    // The newer version starts the server again for the next call; the older one tells the model that it is gone.
    const startedAgain = version === "2.1.332";
    const runs = (await listRuns(box)).toReversed();
    expect(runs.map(({ status }) => status)).toEqual(startedAgain ? ["failed", "completed"] : ["failed"]);
    for (const run of runs)
      expect(run).toMatchObject({ sessionId: recordedSession(peer, outcome.sessionId), gaps: [] });
    const steps = (await Promise.all(runs.map(({ id }) => showRun(box, id)))).flatMap((run) => run.steps);
    const died = {
      tool: "die",
      args: { code: 7 },
      callId: "toolu_die_0_0",
      status: "error",
      isError: true,
      error: GONE,
    };
    const again = { tool: "echo", args: { text: "again" }, callId: "toolu_die_1_0", status: "ok" };
    expect(steps).toMatchObject(startedAgain ? [died, again] : [died]);
  });

  test.for(["SIGTERM", "SIGKILL"] as const)(
    "%s right after a call: it is in the record, no process is left",
    async (signal, { box, claude }) => {
      const never = { content: [text("never said")], after: new Promise(() => {}) };
      const turns = [[use("mcp__fake__echo", { text: "the last" })], never];
      const host = await claude(version, [{ name: "end", prompt: "Be ended", turns }]);
      const running = await host.start({ prompt: "Be ended", servers: recorded(box) });
      await host.model.untilTurn("end", 1);
      running.signal(signal);
      const outcome = await outcomeOf(running);
      expect(await box.untilNoneLeft()).toEqual([]);
      expect(outcome).toMatchObject(signal === "SIGTERM" ? { code: 143 } : { signal: "SIGKILL" });
      expect(await onlyRun(box)).toMatchObject({
        status: "completed",
        sessionId: recordedSession(peer, outcome.sessionId),
        steps: [{ callId: "toolu_end_0_0", status: "ok", result: { content: [{ type: "text", text: "the last" }] } }],
      });
    },
  );

  test("SIGTERM in a call: the call is lost, the run interrupted, no process is left", async ({ box, claude }) => {
    const turns = [[use("mcp__fake__never", { n: 1 })]];
    const host = await claude(version, [{ name: "hang", prompt: "Be ended", turns }]);
    const running = await host.start({ prompt: "Be ended", servers: recorded(box) });
    await untilCallIsRecorded(box);
    expect(await onlyRun(box)).toMatchObject({ status: "running", steps: [{ status: "running" }] });
    running.signal("SIGTERM");
    await outcomeOf(running);
    expect(await box.untilNoneLeft()).toEqual([]);
    expect(await onlyRun(box)).toMatchObject({
      status: "interrupted",
      steps: [{ callId: "toolu_hang_0_0", args: { n: 1 }, status: "lost", result: null }],
    });
  });

  test("a call that takes too long for the host: it is cancelled, and the session goes on", async ({ box, claude }) => {
    const prompt = "Be patient";
    const turns = [[use("mcp__fake__never")], [use("mcp__fake__echo", { text: "next" })], [text("Enough.")]];
    const host = await claude(version, [{ name: "slow", prompt, turns }]);
    const outcome = await host.session({ prompt, servers: recorded(box), env: { MCP_TOOL_TIMEOUT: "1000" } });
    expect(outcome).toMatchObject({ code: 0, result: "Enough." });
    expect(failures(outcome)).toEqual([
      ["toolu_slow_0_0", true],
      ["toolu_slow_1_0", false],
    ]);
    expect(await onlyRun(box)).toMatchObject({
      status: "completed",
      steps: [
        { callId: "toolu_slow_0_0", status: "cancelled", result: null },
        { callId: "toolu_slow_1_0", status: "ok" },
      ],
    });
  });

  if (era === "legacy") {
    test("a model that fails and is asked again: every call is made and recorded once", async ({ box, claude }) => {
      const overloaded = { status: 529, type: "overloaded_error", message: "Overloaded" };
      const called = { content: [use("mcp__fake__echo", { text: "once" })], failures: [overloaded] };
      const said = { content: [text("Done.")], failures: [{ broken: "in the answer" as const }], delayMs: 50 };
      const host = await claude(version, [{ name: "flaky", prompt: "Try hard", turns: [called, said] }]);
      const outcome = await host.session({ prompt: "Try hard", servers: recorded(box) });
      expect(outcome).toMatchObject({ code: 0, result: "Done." });
      const asked = host.model.turnsOf("flaky");
      expect(asked.map(({ turn }) => turn)).toEqual([0, 0, 1, 1]);
      expect(asked[0]?.body).toMatchObject({ stream: true });
      expect((await onlyRun(box)).steps).toMatchObject([{ callId: "toolu_flaky_0_0", args: { text: "once" } }]);
    });
  }
});

/** Which calls failed, as the model was told. */
function failures(outcome: Outcome): [unknown, boolean][] {
  return [...toolResults(outcome)].map(([id, block]) => [id, block.is_error === true]);
}

async function untilCallIsRecorded(box: Sandbox): Promise<void> {
  await until("a call is recorded", async () => (await listRuns(box))[0]?.stepCount === 1);
}

/** Until the proxy has left and the host has taken note: a process stays in the table until its parent has asked how it ended. */
async function untilNoProxyIsLeft(box: Sandbox): Promise<void> {
  await until("the proxy has left", () => {
    const alive = box.survivors();
    if (alive.some(({ command }) => command.startsWith(`${BIR} proxy `))) return false;
    return !hasUnnoticedChild(new Set(alive.map(({ pid }) => pid)));
  });
}

/** True while a child of one of these processes has ended and is not reaped. Linux. */
function hasUnnoticedChild(parents: ReadonlySet<number>): boolean {
  return readdirSync("/proc").some((name) => {
    if (!/^\d+$/.test(name)) return false;
    try {
      const stat = readFileSync(`/proc/${name}/stat`, "latin1");
      const [state, parent] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      return state === "Z" && parents.has(Number(parent));
    } catch {
      return false;
    }
  });
}
