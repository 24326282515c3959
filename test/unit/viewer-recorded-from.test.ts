import { expect, test } from "vitest";
import { recordedFrom } from "../../src/viewer/run/recorded-from.ts";
import { storyRun, storyStep } from "./story-fixture.ts";

test("a run whose host told nothing promises no prompt and no tools of the host", () => {
  const steps = [storyStep("a", 0, { sources: ["proxy"] })];
  const { short, sentence } = recordedFrom(storyRun({ steps, input: null, tier: "bound" }));
  expect(short).toBe("MCP traffic");
  expect(sentence).toBe(
    "Calls of wrapped MCP servers were recorded as they passed. This record does not hold the prompt or a call of the host's own tools.",
  );
});

test("what hooks and the transcript told is told of", () => {
  const steps = [
    storyStep("a", 0, { sources: ["proxy", "hook"] }),
    storyStep("b", 1, { server: null, sources: ["hook"] }),
    storyStep("c", 2, { server: null, sources: ["transcript"] }),
  ];
  expect(recordedFrom(storyRun({ steps, input: "Do it" }))).toEqual({
    short: "MCP traffic, hooks, transcript",
    sentence:
      "Calls of wrapped MCP servers were recorded as they passed. The host told of calls by its hooks. The host's transcript was read.",
  });
});

test("a run of which nothing is known says nothing of where it is from", () => {
  expect(recordedFrom(storyRun({ steps: [], wrappedServers: [], input: null })).short).toBe("");
});
