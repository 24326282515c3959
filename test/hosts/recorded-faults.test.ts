/** Recording that breaks in the middle of a session: nobody sees it, and nothing that was called is lost. */

import { copyFileSync, linkSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect } from "vitest";
import { type Conversation, text, thinking, use } from "../fakes/model-api/script.ts";
import { BIR } from "../harness/locations.ts";
import { listRuns } from "../harness/recorded-runs.ts";
import { needs } from "../harness/requirement.ts";
import type { Sandbox } from "../harness/sandbox.ts";
import { installedVersions, upstreamOf } from "./hosts/claude-peers.ts";
import { expectEveryCall, test } from "./hosts/recorded-claude.ts";
import { lastingPart, withoutHookRows } from "./hosts/same-session.ts";
import { type Outcome, outcomeOf, type SealedClaude } from "./hosts/sealed-claude.ts";
import { until } from "./hosts/until.ts";

const PROMPT = "Go on";
const ALLOWED = ["Bash", "Read"];

/** Four calls, and something that happens between the second and the third. */
function conversation(between: () => Promise<unknown> = async () => {}): Conversation {
  return {
    name: "calls",
    prompt: PROMPT,
    turns: [
      [thinking("One."), use("mcp__fake__echo", { text: "one" })],
      [thinking("Two."), use("Bash", { command: "echo two", description: "Says two" })],
      () => ({ content: [thinking("Three."), use("mcp__fake__echo", { text: "three" })], after: between() }),
      [thinking("Four."), use("Bash", { command: "echo four", description: "Says four" })],
      [text("Done.")],
    ],
  };
}

const STEPS = [
  { callId: "toolu_calls_0_1", tool: "echo", status: "ok", context: "One.", args: { text: "one" } },
  { callId: "toolu_calls_1_1", tool: "Bash", status: "ok", context: "Two." },
  { callId: "toolu_calls_2_1", tool: "echo", status: "ok", context: "Three.", args: { text: "three" } },
  { callId: "toolu_calls_3_1", tool: "Bash", status: "ok", context: "Four." },
];

describe.for(installedVersions())("Claude Code $version", (peer) => {
  /** The same session without any recording. */
  async function plainSession(box: Sandbox, host: SealedClaude): Promise<{ outcome: Outcome; lasting: object }> {
    const servers = { fake: upstreamOf(box, peer) };
    const outcome = await host.session({ prompt: PROMPT, servers, allowed: ALLOWED, home: "home-plain" });
    return { outcome, lasting: withoutHookRows(lastingPart(box, "home-plain", outcome, host.model.requests)) };
  }

  test("the control server is killed between two calls: one run, every call once", async ({
    box,
    claude,
    recorded,
  }) => {
    const plain = await plainSession(box, await claude(peer.version, [conversation()]));
    const claudeCode = await recorded(peer, [conversation(() => claudeCode.killServer())]);
    const outcome = await claudeCode.session(PROMPT, { allowed: ALLOWED });
    expect(withoutHookRows(lastingPart(box, "home", outcome, claudeCode.host.model.requests))).toEqual(plain.lasting);
    const runs = await claudeCode.runs();
    expect(runs).toMatchObject([
      {
        tier: "bound",
        input: PROMPT,
        finalAnswer: "Done.",
        status: "completed",
        sessionId: outcome.sessionId,
        steps: STEPS,
      },
    ]);
    expectEveryCall(runs, outcome);
  });

  test("the control server is killed in a call, of its own tools and of a server's", async ({ box, recorded }) => {
    const pipe = join(box.cwd, "pipe");
    expect(Bun.spawnSync(["mkfifo", pipe]).exitCode).toBe(0);
    const turns = [
      [use("Bash", { command: "cat pipe", description: "Waits" })],
      [use("mcp__fake__delay", { ms: 1500 })],
      [text("Done.")],
    ];
    const claudeCode = await recorded(peer, [{ name: "during", prompt: PROMPT, turns }]);
    const running = await claudeCode.start(PROMPT);
    await until("the command runs", () => box.survivors().some(({ command }) => command === "cat pipe"));
    await until("there is a server", () => claudeCode.server() !== undefined);
    await claudeCode.killServer();
    // Waits until the command reads: it may run without having opened it yet.
    expect(await Bun.spawn(["sh", "-c", 'echo through > "$0"', pipe]).exited).toBe(0);
    await claudeCode.host.model.untilTurn("during", 1);
    await until("the call is recorded", async () =>
      (await listRuns(box)).some(({ stepCount, wrappedServers }) => stepCount > 0 && wrappedServers.includes("fake")),
    );
    await claudeCode.killServer();
    const outcome = await outcomeOf(running);
    expect(outcome).toMatchObject({ code: 0, result: "Done." });
    const runs = await claudeCode.runs();
    expectEveryCall(runs, outcome);
    expect(runs).toMatchObject([
      {
        status: "completed",
        finalAnswer: "Done.",
        steps: [
          { tool: "Bash", status: "ok", callId: "toolu_during_0_0" },
          { tool: "delay", status: "ok", callId: "toolu_during_1_0", result: { content: [{ text: "later" }] } },
        ],
      },
    ]);
  });

  test("the control server is stopped (SIGSTOP): the session goes on, all of it is recorded", async ({
    box,
    claude,
    recorded,
  }) => {
    const plain = await plainSession(box, await claude(peer.version, [conversation()]));
    const claudeCode = await recorded(peer, [
      conversation(async () => process.kill(pidOf(claudeCode.server()), "SIGSTOP")),
    ]);
    const outcome = await claudeCode.session(PROMPT, { allowed: ALLOWED });
    expect(withoutHookRows(lastingPart(box, "home", outcome, claudeCode.host.model.requests))).toEqual(plain.lasting);
    process.kill(pidOf(claudeCode.server()), "SIGCONT");
    const runs = await claudeCode.runs();
    expectEveryCall(runs, outcome);
    expect(runs.flatMap(({ steps }) => steps).toSorted((a, b) => a.startedAt - b.startedAt)).toMatchObject(
      STEPS.map(({ callId, tool, status }) => ({ callId, tool, status })),
    );
  });

  test.for(["SIGTERM", "SIGKILL"] as const)("%s to the host right after a call", async (signal, { recorded }) => {
    const turns = [
      [use("Bash", { command: "echo last", description: "Says last" })],
      { content: [text("never said")], after: new Promise(() => {}) },
    ];
    const claudeCode = await recorded(peer, [{ name: "ended", prompt: PROMPT, turns }]);
    const running = await claudeCode.start(PROMPT);
    await claudeCode.host.model.untilTurn("ended", 1);
    running.signal(signal);
    const outcome = await outcomeOf(running);
    expect(outcome).toMatchObject(signal === "SIGTERM" ? { code: 143 } : { signal: "SIGKILL" });
    // The older version does not tell its hooks which process it is, and so nobody can know that it is gone.
    const runs = await claudeCode.runs(signal === "SIGKILL" && peer.version === "2.0.76");
    expect(runs).toMatchObject([
      {
        input: PROMPT,
        finalAnswer: null,
        sessionId: outcome.sessionId,
        steps: [{ tool: "Bash", callId: "toolu_ended_0_0" }],
      },
    ]);
    expect(runs[0]?.status).toMatch(/^(interrupted|abandoned)$/);
  });

  test("the executable is deleted in the middle of the session", async ({ box, claude, recorded }) => {
    const plain = await plainSession(box, await claude(peer.version, [conversation()]));
    const bir = ownExecutable(box);
    const claudeCode = await recorded(peer, [conversation(async () => rmSync(bir))], bir);
    const outcome = await claudeCode.session(PROMPT, { allowed: ALLOWED });
    expect(withoutHookRows(lastingPart(box, "home", outcome, claudeCode.host.model.requests))).toEqual(plain.lasting);
    // What told of the session's end is gone too; what was recorded before is there.
    await until("the host is gone", () => box.survivors().every(({ command }) => command.includes("hooks serve")));
    const [run] = await listRuns(box);
    expect(run).toMatchObject({ input: PROMPT, sessionId: outcome.sessionId });
    await box.bir(["down"]);
  });

  test("the executable is deleted in the middle of a session in a terminal", async ({
    box,
    claude,
    recorded,
    task,
  }) => {
    needs(task.context, Bun.which("tmux") !== null, "there is no tmux");
    const bir = ownExecutable(box);
    const screens: string[] = [];
    for (const isRecorded of [false, true]) {
      const script = conversation(async () => isRecorded && rmSync(bir));
      const servers = { fake: upstreamOf(box, peer) };
      const more = { allowed: [...ALLOWED, "mcp__fake"], home: isRecorded ? "home" : "home-plain" };
      const claudeCode = isRecorded ? await recorded(peer, [script], bir) : undefined;
      const plain = isRecorded ? undefined : await claude(peer.version, [script]);
      const session = (await claudeCode?.startInTerminal(more)) ?? (await plain?.startInTerminal({ servers, ...more }));
      await session?.say(PROMPT);
      await session?.untilSaid("Done.");
      screens.push((await session?.lastingScreen(PROMPT)) ?? "");
      await session?.leave();
    }
    expect(screens[0]).toContain("Done.");
    expect(screens[1]).toBe(screens[0]);
    await box.bir(["down"]);
  });
});

/** A copy of the executable under test that a test may delete. */
function ownExecutable(box: Sandbox): string {
  const path = join(box.directory, "bir");
  try {
    linkSync(BIR, path);
  } catch {
    copyFileSync(BIR, path);
  }
  return path;
}

function pidOf(server: { pid: number } | undefined): number {
  if (server === undefined) throw new Error("there is no control server");
  return server.pid;
}
