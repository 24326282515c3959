/** Subagents of Claude Code in the record: whose call is whose, and when the run is over that started them. */

import { describe, expect } from "vitest";
import { type Conversation, text, thinking, use } from "../fakes/model-api/script.ts";
import { installedVersions } from "./hosts/claude-peers.ts";
import { expectEveryCall, test } from "./hosts/recorded-claude.ts";

const task = (animal: string, inBackground: boolean) => ({
  description: `Count ${animal}`,
  prompt: `Count the ${animal}`,
  subagent_type: "general-purpose",
  run_in_background: inBackground,
});

/** What a subagent does: a call to the server, one of its own tools, a report. */
const counting = (animal: string): Conversation => ({
  name: animal,
  prompt: `Count the ${animal}`,
  turns: [
    [thinking(`I look for ${animal}.`), use("mcp__fake__echo", { text: animal })],
    [use("Bash", { command: `echo ${animal}`, description: `Says ${animal}` })],
    [text(`Three ${animal}.`)],
  ],
});

const foreground = (tool: string): Conversation => ({
  name: "foreground",
  prompt: "Have them counted",
  turns: [
    [thinking("Somebody else counts."), use(tool, task("sheep", false))],
    [use("mcp__fake__echo", { text: "main" })],
    [text("Three.")],
  ],
});

const BACKGROUND: Conversation = {
  name: "background",
  prompt: "Let them be counted",
  turns: [
    [use("Agent", task("sheep", true)), use("Agent", task("goats", true))],
    [text("They count.")],
    // Each report is a prompt of its own.
    [text("One has reported.")],
    [text("All have reported.")],
  ],
};

describe.for(installedVersions())("Claude Code $version", (peer) => {
  test("a subagent in the foreground: its calls stand inside the call that started it", async ({ recorded }) => {
    const script = foreground(peer.version === "2.1.332" ? "Agent" : "Task");
    const claudeCode = await recorded(peer, [script, counting("sheep")]);
    const outcome = await claudeCode.session(script.prompt);
    expect(outcome).toMatchObject({ code: 0, result: "Three." });
    expectEveryCall(await claudeCode.expectGolden("foreground"), outcome);
  });

  // The older version does not wait for them in print mode.
  if (peer.version === "2.1.332") {
    test("subagents in the background: the run goes on until the last has reported", async ({ recorded }) => {
      const claudeCode = await recorded(peer, [BACKGROUND, counting("sheep"), counting("goats")]);
      const outcome = await claudeCode.session(BACKGROUND.prompt);
      expect(outcome).toMatchObject({ code: 0 });
      const runs = await claudeCode.runs();
      expectEveryCall(runs, outcome);
      expect(runs).toHaveLength(1);
      const [run] = runs;
      expect(run).toMatchObject({ input: BACKGROUND.prompt, status: "completed", tier: "bound" });
      const agents = new Map(run?.steps.map(({ callId, agentId }) => [callId, agentId]));
      expect(agents.get("toolu_background_0_0")).toBeNull();
      expect(agents.get("toolu_background_0_1")).toBeNull();
      for (const animal of ["sheep", "goats"]) {
        expect(agents.get(`toolu_${animal}_0_1`)).toMatch(/^a[0-9a-f]{16}$/);
        expect(agents.get(`toolu_${animal}_1_0`)).toBe(agents.get(`toolu_${animal}_0_1`));
      }
      expect(agents.get("toolu_sheep_1_0")).not.toBe(agents.get("toolu_goats_1_0"));
      expect(run?.finalAnswer).toBe(outcome.result);
    });

    test("one in the background", async ({ recorded }) => {
      // It begins only when the session has stopped.
      const stopped = Promise.withResolvers<void>();
      const turns = counting("sheep").turns.map((turn) => ({ content: turn as never, after: stopped.promise }));
      const background: Conversation = {
        name: "background",
        prompt: "Let it be counted",
        turns: [[use("Agent", task("sheep", true))], [text("It counts.")], [text("Three, it says.")]],
      };
      const claudeCode = await recorded(peer, [background, { ...counting("sheep"), turns }]);
      const fed = claudeCode.startFed();
      await fed.send({ type: "user", message: { role: "user", content: background.prompt } });
      await fed.stdout.untilText("It counts.");
      await fed.stdout.until("the first answer", (log) => log.text().includes('"type":"result"'));
      stopped.resolve();
      await fed.stdout.untilText("Three, it says.");
      await fed.closeStdin();
      expect(await fed.exit()).toMatchObject({ code: 0 });
      await claudeCode.expectGolden("background");
    });
  }
});
