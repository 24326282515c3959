import { describe, expect, test } from "vitest";
import { sameJson } from "../../src/core/compare/same-json.ts";
import type { RunEvent } from "../../src/core/event.ts";
import { parseExact, stringifyExact } from "../../src/core/exact-json.ts";
import { CARRIED_RUN_ID, carriedRun } from "../../src/core/export/carried-run.ts";
import { foldRun } from "../../src/core/fold.ts";
import { fileSource } from "../../src/viewer/data/file-source.ts";
import { madeRun } from "./compare-fixture.ts";

const NONE = new AbortController().signal;

function documentWith(text: string | null): Document {
  const element = text === null ? null : { textContent: text };
  return { getElementById: (id: string) => (id === CARRIED_RUN_ID ? element : null) } as unknown as Document;
}

const run = madeRun(
  "run_1",
  Array.from({ length: 700 }, (_, n) => ({
    args: { n, big: parseExact("12345678901234567890") },
    tool: n % 3 === 0 ? "b" : "a",
  })),
  { input: "x".repeat(5_000), notes: [{ kind: "text", text: "said", at: 1, seq: 900, agentId: null }] },
);
const source = fileSource(documentWith(stringifyExact(carriedRun(run, 1))));

describe("a file that carries its run", () => {
  test("tells it in pages of events, whole", async () => {
    const events: RunEvent[] = [];
    let after = 0;
    for (let more = true; more; ) {
      const page = await source?.events("run_1", after, NONE);
      events.push(...(page?.events ?? []));
      after = page?.position ?? 0;
      more = page?.more ?? false;
    }
    expect(sameJson(foldRun(events), run)).toBe(true);
  });

  test("gives its one run, its calls and notes", async () => {
    expect(await source?.run("run_1", NONE)).toMatchObject({
      input: run.input,
      stepCount: 700,
      tools: [{ tool: "a", calls: 466 }, { tool: "b" }],
    });
    expect((await source?.runs("", null, NONE))?.runs).toHaveLength(1);
    expect(stringifyExact(await source?.step("run_1", "run_1-5", NONE))).toBe(stringifyExact(run.steps[5]));
    expect(await source?.note("run_1", 900, NONE)).toEqual(run.notes[0]);
  });

  test("knows no other run, and does what a service does for nobody", async () => {
    await expect(source?.run("run_2", NONE)).rejects.toMatchObject({ code: "not-found" });
    await expect(source?.step("run_1", "nothing", NONE)).rejects.toMatchObject({ code: "not-found" });
    await expect(source?.remove("run_1")).rejects.toMatchObject({ code: "refused" });
    await expect(source?.compare("run_1", "run_1", NONE)).rejects.toMatchObject({ code: "refused" });
  });

  test("a page without a run, or with one that cannot be read, is no file", () => {
    for (const text of [null, "", "{", "null", '{"run":{}}']) expect(fileSource(documentWith(text))).toBeNull();
  });
});
