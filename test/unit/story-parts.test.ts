import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { NoteEntry, Run, Step } from "../../src/core/run.ts";
import { type AgentStory, agentNamedBy, type Story, type StoryPart, tellStory } from "../../src/core/story.ts";
import { storyNote, storyRun, storyStep } from "./story-fixture.ts";

/** The keys of a story's parts; what is inside a call behind it in brackets. */
function outline(parts: readonly StoryPart[]): string {
  return parts
    .map((part) => {
      const agents: readonly AgentStory[] =
        part.kind === "step" ? part.agents : part.kind === "agent" ? [part.agent] : [];
      return `${part.key}${agents.map(({ parts: inside }) => `(${outline(inside)})`).join("")}`;
    })
    .join(" ");
}

const launch = (id: string, startedAt: number, more: Partial<Step> = {}) =>
  storyStep(id, startedAt, { server: null, tool: "Agent", qualifiedName: "Agent", ...more });
const of = (agentId: string) => ({ agentId });

describe("a run as a story", () => {
  test("tells calls, notes and gaps in the order they began", () => {
    const story = tellStory(
      storyRun({
        steps: [storyStep("b", 20), storyStep("c", 30)],
        notes: [storyNote(1, 10), storyNote(2, 30)],
        gaps: [{ reason: "rejected", lost: 1, at: 25 }],
      }),
    );
    expect(outline(story.parts)).toBe("note-1 b gap-0 note-2 c");
  });

  test("puts an agent's work into the call that names it", () => {
    const told = { result: { status: "completed", prompt: "Count", agentId: "a1" }, durationMs: 50 };
    const story = tellStory(
      storyRun({
        steps: [launch("l", 10, told), storyStep("x", 20, of("a1")), storyStep("m", 100)],
        notes: [storyNote(9, 15, of("a1")), storyNote(10, 30, of("a1"))],
      }),
    );
    expect(outline(story.parts)).toBe("l(note-9 x note-10) m");
    expect(story.agents.get("a1")).toMatchObject({ launch: "told", callCount: 1, startedAt: 15, endedAt: 30 });
  });

  test("finds the agent that a result in brief names, and not one that only a text in it names", () => {
    const brief = (head: string) => ({ result: { brief: true, length: 9000, head } });
    expect(agentNamedBy(brief('{"isAsync":true,"status":"async_launched","agentId":"a1","prompt":"'))).toBe("a1");
    expect(agentNamedBy(brief('{"status":"completed","prompt":"say \\"agentId\\":\\"a2\\" and'))).toBeNull();
    expect(agentNamedBy(brief('{"content":[{"agentId":"a3"}]'))).toBeNull();
    expect(agentNamedBy({ result: { truncated: true, originalBytes: 9, head: '{"agent_id":"a4",', tail: "" } })).toBe(
      "a4",
    );
  });

  test("guesses by time where no result names the agent: the first call that was under way", () => {
    const story = tellStory(
      storyRun({
        steps: [
          launch("l1", 10, { durationMs: 20, status: "ok", result: null }),
          launch("l2", 100, { status: "running", durationMs: null, result: null }),
          launch("l3", 101, { status: "running", durationMs: null, result: null }),
          storyStep("x", 110, of("a2")),
          storyStep("y", 111, of("a3")),
        ],
      }),
    );
    expect(outline(story.parts)).toBe("l1 l2(x) l3(y)");
    expect(story.agents.get("a2")?.launch).toBe("guessed");
  });

  test("what is known from elsewhere goes before a guess", () => {
    const steps = [
      launch("l1", 10, { durationMs: null, result: null }),
      launch("l2", 11, { durationMs: null, result: null }),
      storyStep("x", 20, of("a1")),
      storyStep("y", 21, of("a2")),
    ];
    const known = new Map([
      ["l1", "a2"],
      ["l2", "a1"],
    ]);
    expect(outline(tellStory(storyRun({ steps }), known).parts)).toBe("l1(y) l2(x)");
  });

  test("an agent that nothing launched stands where it began; one inside another is nested twice", () => {
    const story = tellStory(
      storyRun({
        steps: [
          storyStep("m", 5),
          storyStep("x", 10, of("lone")),
          launch("l", 20, { result: { agentId: "outer" } }),
          launch("l2", 21, { result: { agentId: "inner" }, agentId: "outer" }),
          storyStep("y", 22, of("inner")),
        ],
      }),
    );
    expect(outline(story.parts)).toBe("m agent-lone(x) l(l2(y))");
    expect(story.agents.get("lone")?.launch).toBe("unknown");
  });

  test("agents that name each other, or themselves, are told once each", () => {
    const story = tellStory(
      storyRun({
        steps: [
          launch("l1", 10, { result: { agentId: "b" }, agentId: "a" }),
          launch("l2", 11, { result: { agentId: "a" }, agentId: "b" }),
          launch("l3", 12, { result: { agentId: "c" }, agentId: "c" }),
        ],
      }),
    );
    expect(keysIn(story).sort()).toEqual(["l1", "l2", "l3"]);
  });

  test("loses nothing and tells nothing twice, whatever launched what", () => {
    const agent = fc.option(fc.constantFrom("a", "b", "c", "__proto__"), { nil: null });
    const step = fc.record({
      at: fc.integer({ min: 0, max: 50 }),
      agentId: agent,
      names: agent,
      isLaunch: fc.boolean(),
    });
    const note = fc.record({ at: fc.integer({ min: 0, max: 50 }), agentId: agent });
    fc.assert(
      fc.property(fc.array(step), fc.array(note), (steps, notes) => {
        const run = storyRun({
          steps: steps
            .map(({ at, agentId, names, isLaunch }, index) => {
              const result = names === null ? null : { agentId: names };
              return isLaunch
                ? launch(`s${index}`, at, { agentId, result })
                : storyStep(`s${index}`, at, { agentId, result });
            })
            .sort((a, b) => a.startedAt - b.startedAt),
          notes: notes.map(({ at, agentId }, index) => storyNote(index, at, { agentId })).sort((a, b) => a.at - b.at),
        });
        const told = keysIn(tellStory(run));
        expect(told.toSorted()).toEqual(keysOf(run).toSorted());
      }),
    );
  });
});

function keysOf(run: Run): string[] {
  return [...run.steps.map(({ id }) => id), ...run.notes.map(({ seq }: NoteEntry) => `note-${seq}`)];
}

function keysIn({ parts }: Pick<Story, "parts">): string[] {
  return parts.flatMap((part) => {
    const agents: readonly AgentStory[] =
      part.kind === "step" ? part.agents : part.kind === "agent" ? [part.agent] : [];
    return [...(part.kind === "agent" ? [] : [part.key]), ...agents.flatMap(keysIn)];
  });
}
