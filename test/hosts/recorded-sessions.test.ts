/** Which run a call is of: by the session and the prompt that the host names, never by the directory. */

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect } from "vitest";
import { type Conversation, text, thinking, use } from "../fakes/model-api/script.ts";
import { needs } from "../harness/requirement.ts";
import type { Sandbox } from "../harness/sandbox.ts";
import { installedVersions } from "./hosts/claude-peers.ts";
import { ask, byInput, expectEveryCall, test } from "./hosts/recorded-claude.ts";
import { outcomeOf } from "./hosts/sealed-claude.ts";
import { until } from "./hosts/until.ts";

/** A prompt, a call to the server and one of its own tools, an answer; all by name. */
const saying = (name: string): Conversation => ({
  name,
  prompt: `Be ${name}.`,
  turns: [
    [use("mcp__fake__echo", { text: name })],
    [use("Bash", { command: `echo ${name}`, description: `Says ${name}` })],
    [text(`I am ${name}.`)],
  ],
});

const MOVING: Conversation = {
  name: "moving",
  prompt: "Go elsewhere",
  turns: [
    [use("Bash", { command: "cd below && pwd", description: "Goes below" })],
    [use("mcp__fake__echo", { text: "from below" })],
    [use("Bash", { command: "pwd", description: "Where am I?" })],
    [text("I am elsewhere.")],
  ],
};

describe.for(installedVersions())("Claude Code $version", (peer) => {
  const isNew = peer.version === "2.1.332";

  test("two prompts in one session, as a program gives them: two runs", async ({ recorded }) => {
    const claudeCode = await recorded(peer, [saying("first"), saying("second")]);
    const fed = claudeCode.startFed();
    await ask(fed, "Be first.");
    await ask(fed, "Be second.");
    await fed.closeStdin();
    const outcome = await outcomeOf(fed);
    expect(outcome).toMatchObject({ code: 0, result: "I am second." });
    expectEveryCall(await claudeCode.expectGolden("two-prompts"), outcome);
  });

  test("a session that is resumed, and one that is forked from it", async ({ recorded }) => {
    const claudeCode = await recorded(peer, [saying("first"), saying("second"), saying("third")]);
    const first = await claudeCode.session("Be first.");
    const second = await claudeCode.session("Be second.", { flags: ["--resume", first.sessionId] });
    const third = await claudeCode.session("Be third.", { flags: ["--resume", first.sessionId, "--fork-session"] });
    expect(second.sessionId).toBe(first.sessionId);
    expect(third.sessionId).not.toBe(first.sessionId);
    const runs = await claudeCode.expectGolden("resume-and-fork");
    expect(runs.map(({ sessionId }) => sessionId)).toEqual([first.sessionId, second.sessionId, third.sessionId]);
    expectEveryCall(runs, first, second, third);
  });

  test("three sessions at once in one directory", async ({ recorded }) => {
    const names = ["first", "second", "third"];
    const claudeCode = await recorded(peer, names.map(saying));
    // Two of one home, which share its settings; one of another.
    await claudeCode.writeHooks("home-other");
    const outcomes = await Promise.all([
      claudeCode.session("Be first."),
      claudeCode.session("Be second."),
      claudeCode.session("Be third.", { home: "home-other" }),
    ]);
    const runs = await claudeCode.expectGolden("three-at-once", byInput);
    expect(runs.map(({ sessionId }) => sessionId)).toEqual(outcomes.map(({ sessionId }) => sessionId));
    for (const [index, outcome] of outcomes.entries()) expectEveryCall(runs.slice(index, index + 1), outcome);
  });

  test("a session that changes its directory", async ({ box, recorded }) => {
    mkdirSync(join(box.cwd, "below"));
    const claudeCode = await recorded(peer, [MOVING]);
    const outcome = await claudeCode.session(MOVING.prompt);
    expect(outcome).toMatchObject({ code: 0, result: "I am elsewhere." });
    expectEveryCall(await claudeCode.expectGolden("other-directory"), outcome);
  });

  test("a session in a worktree beside one in the repository", async ({ box, recorded, task }) => {
    needs(task.context, Bun.which("git") !== null, "there is no git");
    const worktree = makeWorktree(box);
    const claudeCode = await recorded(peer, [saying("first"), saying("second")]);
    const outcomes = await Promise.all([
      claudeCode.session("Be first."),
      claudeCode.session("Be second.", { cwd: worktree }),
    ]);
    const runs = await claudeCode.expectGolden("worktree", byInput);
    expect(runs.map(({ cwd }) => cwd)).toEqual([box.cwd, worktree]);
    expectEveryCall(runs, ...outcomes);
  });

  if (isNew) {
    test("a session that goes into a worktree", async ({ box, recorded, task }) => {
      needs(task.context, Bun.which("git") !== null, "there is no git");
      makeWorktree(box);
      const prompt = "Work apart";
      const turns = [
        [thinking("Not here."), use("EnterWorktree", { name: "apart" })],
        [thinking("There."), use("Bash", { command: "echo here", description: "Says here" })],
        [thinking("Further."), use("mcp__fake__echo", { text: "from apart" })],
        [text("I am apart.")],
      ];
      const claudeCode = await recorded(peer, [{ name: "apart", prompt, turns }]);
      const outcome = await claudeCode.session(prompt);
      expect(outcome).toMatchObject({ code: 0, result: "I am apart." });
      expectEveryCall(await claudeCode.expectGolden("into-worktree"), outcome);
    });
  }

  test("a program's session that is told by its environment where the control server is", async ({ box, recorded }) => {
    const claudeCode = await recorded(peer, [saying("first")]);
    // Of another home, so that nothing else leads there.
    const elsewhere = { BIR_HOME: join(box.directory, "elsewhere") };
    const { url, token } = JSON.parse((await box.bir(["up", "--json"], { env: elsewhere })).stdout);
    const channel = { BIR_CONTROL_URL: url, BIR_CONTROL_TOKEN: token };
    const sdk = { CLAUDE_CODE_ENTRYPOINT: "sdk-ts", CLAUDE_AGENT_SDK_VERSION: "0.3.332" };
    const fed = claudeCode.startFed({ env: { ...channel, ...sdk } });
    await ask(fed, "Be first.");
    await fed.closeStdin();
    const outcome = await outcomeOf(fed);
    const list = async () => JSON.parse((await box.bir(["run", "list", "--json"], { env: elsewhere })).stdout);
    await until("the run is closed", async () => (await list())[0]?.status === "completed");
    expect((await box.bir(["down"], { env: elsewhere })).code).toBe(0);
    expect(await list()).toMatchObject([
      { tier: "bound", sessionId: outcome.sessionId, input: "Be first.", finalAnswer: "I am first.", stepCount: 2 },
    ]);
    expect(await claudeCode.runs()).toEqual([]);
  });

  test("`claude mcp list` opens no run", async ({ box, recorded }) => {
    const claudeCode = await recorded(peer, [saying("first")]);
    const [command, ...args] = claudeCode.behindProxy();
    claudeCode.host.file(".claude.json", { mcpServers: { fake: { command, args } } });
    // Also while a session is under way whose directory and home it shares.
    const fed = claudeCode.startFed();
    await ask(fed, "Be first.");
    const looking = claudeCode.host.run(["mcp", "list"]);
    expect(await looking.finish()).toEqual({ code: 0, signal: null });
    expect(looking.stdout.text()).toMatch(/(✔|✓) Connected/);
    await fed.closeStdin();
    const outcome = await outcomeOf(fed);
    const runs = await claudeCode.runs();
    expect(runs).toMatchObject([{ input: "Be first.", sessionId: outcome.sessionId, status: "completed" }]);
    expectEveryCall(runs, outcome);
    expect(box.survivors()).toEqual([]);
  });

  // The older version looks at its hooks when it starts, and never again.
  if (isNew) {
    test("hooks that appear in the middle of a session", async ({ box, recorded }) => {
      const MOST = 30;
      const names = Array.from({ length: MOST }, (_, n) => `number ${n + 1}`);
      const conversations = names.map((name, n) => ({ ...saying(name), name: `n${n + 1}` }));
      const claudeCode = await recorded(peer, conversations);
      writeFileSync(join(box.home, ".claude", "settings.json"), "{}");
      const fed = claudeCode.startFed();
      await ask(fed, `Be ${names[0]}.`);
      expect(claudeCode.server()).toBeUndefined();
      await claudeCode.writeHooks();
      // The host looks at its settings when it likes: ask until a hook has run, and once more.
      let asked = 1;
      while (claudeCode.server() === undefined && asked < MOST - 1) await ask(fed, `Be ${names[asked++]}.`);
      await ask(fed, `Be ${names[asked++]}.`);
      await fed.closeStdin();
      const outcome = await outcomeOf(fed);
      const runs = await claudeCode.runs();
      const bound = runs.filter(({ tier }) => tier === "bound");
      const standalone = runs.filter(({ tier }) => tier === "standalone");
      // Before the hooks there is the proxy's own run, which knows of no prompt; since then one of each prompt.
      expect(standalone).toMatchObject([{ input: null, sessionId: outcome.sessionId }]);
      expect(bound.length).toBeGreaterThanOrEqual(1);
      const prompts = names.slice(asked - bound.length, asked).map((name) => `Be ${name}.`);
      expect(bound.map(({ input }) => input)).toEqual(prompts);
      for (const run of bound) {
        expect(run).toMatchObject({ sessionId: outcome.sessionId, status: "completed", lossy: false });
        expect(run.steps.at(-1)).toMatchObject({ tool: "Bash", status: "ok" });
      }
      expect(bound.at(-1)?.steps).toMatchObject([{ tool: "echo", status: "ok" }, { tool: "Bash" }]);
      // A proxy that has begun a run of its own looks for a server now and then only: until it finds one, the calls to it
      // are in that run, and what a hook tells of them is in the prompt's.
      const calls = new Set(runs.flatMap(({ steps }) => steps.map(({ callId }) => callId)));
      for (let n = 1; n <= asked; n++) expect(calls).toContain(`toolu_n${n}_0_0`);
    });
  }
});

/** Makes the project a repository, with a worktree beside it; returns the worktree's path. */
function makeWorktree(box: Sandbox): string {
  const path = join(box.directory, "worktree");
  const git = ["git", "-c", "user.name=n", "-c", "user.email=e@example.com"];
  for (const words of [
    ["init", "-q"],
    ["commit", "-q", "--allow-empty", "-m", "First"],
    ["worktree", "add", "-q", path],
  ]) {
    const { exitCode, stderr } = Bun.spawnSync([...git, ...words], { cwd: box.cwd, env: box.env() });
    expect({ exitCode, stderr: exitCode === 0 ? "" : stderr.toString() }).toEqual({ exitCode: 0, stderr: "" });
  }
  return path;
}
