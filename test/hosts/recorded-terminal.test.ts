/** What a person does in a terminal and no hook tells of: interrupts, refusals, a cleared and a compacted conversation. */

import { describe, expect } from "vitest";
import type { Run } from "../../src/core/run.ts";
import { type Conversation, text, thinking, use } from "../fakes/model-api/script.ts";
import { listRuns } from "../harness/recorded-runs.ts";
import { needs } from "../harness/requirement.ts";
import { installedVersions } from "./hosts/claude-peers.ts";
import { test } from "./hosts/recorded-claude.ts";
import { until } from "./hosts/until.ts";

const HELLO: Conversation = {
  name: "hello",
  prompt: "Say hello",
  turns: [[thinking("A greeting."), use("mcp__fake__echo", { text: "hello" })], [text("Hello to you.")]],
};

const SUMMARY: Conversation = {
  name: "summary",
  prompt: "create a detailed summary",
  turns: [[text("<summary>They greeted each other.</summary>")]],
};

/** A call that goes on until it is stopped, and what is said after it. */
const hanging = (name: string, call: ReturnType<typeof use>): Conversation => ({
  name,
  prompt: `Hang in ${name}`,
  turns: [[thinking("It may take long."), call], [text("never said")]],
});
const SHELL = hanging("shell", use("Bash", { command: "cat pipe", description: "Waits" }));
const SERVER = hanging("server", use("mcp__fake__never", { n: 1 }));

const asking = (name: string): Conversation => ({
  name,
  prompt: `Touch ${name}`,
  turns: [[use("Bash", { command: `touch ${name}.txt`, description: "Touches" })], [text(`Touched ${name}.`)]],
});

describe.for(installedVersions())("Claude Code $version in a terminal", (peer) => {
  const isNew = peer.version === "2.1.332";
  const shellAllowed = { allowed: ["Bash(cat:*)", "mcp__fake"] };

  test("interrupted in a shell command, in a call to a server, and before the model has answered", async ({
    box,
    recorded,
    task,
  }) => {
    needs(task.context, Bun.which("tmux") !== null, "there is no tmux");
    const waiting: Conversation = {
      name: "waiting",
      prompt: "Think long",
      turns: [{ content: [text("never said")], after: new Promise(() => {}) }],
    };
    // What was asked and not answered goes to the model again, with the next prompt: that is looked for first.
    const claudeCode = await recorded(peer, [HELLO, waiting, SERVER, SHELL]);
    expect(Bun.spawnSync(["mkfifo", "pipe"], { cwd: box.cwd }).exitCode).toBe(0);
    const session = await claudeCode.startInTerminal(shellAllowed);
    await session.say(SHELL.prompt);
    await until("the command runs", () => box.survivors().some(({ command }) => command === "cat pipe"));
    await session.interrupt();
    await session.say(SERVER.prompt);
    await until("the call has reached the recorder", async () =>
      (await listRuns(box)).some((run) => run.stepCount > 0 && run.wrappedServers.includes("fake")),
    );
    await session.interrupt();
    await session.say(waiting.prompt);
    await claudeCode.host.model.untilTurn("waiting", 0);
    await session.interrupt(isNew ? waiting.prompt : undefined);
    await session.say(HELLO.prompt);
    await session.untilSaid("Hello to you.");
    await session.leave();
    // Whether one that is given back is written down as interrupted, too, is a matter of moments.
    const isGivenBack = ({ input }: Run) => isNew && input === waiting.prompt;
    await claudeCode.expectGolden("interrupted", (runs) =>
      runs.map((run) => (isGivenBack(run) ? { ...run, notes: [] } : run)),
    );
  });

  test("refused and allowed", async ({ recorded, task }) => {
    needs(task.context, Bun.which("tmux") !== null, "there is no tmux");
    const claudeCode = await recorded(peer, [asking("refused"), asking("escaped"), asking("allowed")]);
    const session = await claudeCode.startInTerminal();
    await session.say("Touch refused");
    await session.answer(isNew ? "no" : "escape");
    await session.until("What should Claude do instead?");
    await session.say("Touch escaped");
    await session.answer("escape");
    await session.say("Touch allowed");
    await session.answer("yes");
    await session.untilSaid("Touched allowed.");
    await session.leave();
    await claudeCode.expectGolden("refused");
  });

  test("cleared: what follows is another session's, through the same server", async ({ recorded, task }) => {
    needs(task.context, Bun.which("tmux") !== null, "there is no tmux");
    const claudeCode = await recorded(peer, [HELLO, { ...HELLO, name: "again", prompt: "Greet once more" }]);
    const session = await claudeCode.startInTerminal();
    await session.say(HELLO.prompt);
    await session.untilSaid("Hello to you.");
    await session.clear();
    await session.say("Greet once more");
    await session.untilSaid("Hello to you.");
    await session.leave();
    const runs = await claudeCode.expectGolden("cleared");
    expect(runs[1]?.sessionId).not.toBe(runs[0]?.sessionId);
  });

  test("compacted: the same session goes on", async ({ recorded, task }) => {
    needs(task.context, Bun.which("tmux") !== null, "there is no tmux");
    const claudeCode = await recorded(peer, [SUMMARY, HELLO, { ...HELLO, name: "again", prompt: "Greet once more" }]);
    const session = await claudeCode.startInTerminal();
    await session.say(HELLO.prompt);
    await session.untilSaid("Hello to you.");
    await session.say("/compact");
    await session.until("Compacted");
    await session.say("Greet once more");
    await session.untilSaid(/Greet once more[\s\S]*Hello to you\./);
    await session.leave();
    await claudeCode.expectGolden("compacted");
  });
});
