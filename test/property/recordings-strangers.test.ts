import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, expect, test } from "vitest";
import { summaryOf } from "../../src/core/fold.ts";
import { Recordings } from "../../src/service/recordings/recordings.ts";
import { StoreReader } from "../../src/store/reader.ts";

/** Whatever a recorder that knows nothing of us sends: it is taken or refused, and what is listed is what the events say. */

const directory = mkdtempSync(join(tmpdir(), "bir-strangers-"));
const path = join(directory, "recordings.db");
const faults: unknown[] = [];
let recordings = open();

function open(): Recordings {
  return new Recordings({ path, onFault: (cause) => faults.push(cause) });
}

afterAll(async () => {
  await recordings.close();
  rmSync(directory, { recursive: true, force: true });
});

const id = fc.constantFrom("a", "b", "c", "__proto__", "\ud800");
const anything = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }),
  fc.constantFrom(null, "", "text", 0, -1, true, [], {}, { isError: true }),
);
const bir = fc.record(
  {
    writeId: id,
    stepId: id,
    seq: fc.nat({ max: 5 }),
    at: fc.nat(),
    qualifiedName: fc.string(),
    status: fc.constantFrom("ok", "running", "lost", "completed", "nonsense"),
    isError: fc.boolean(),
    legs: fc.integer(),
    rpcError: anything,
    result: anything,
    hostMeta: anything,
    run: fc.record({ status: fc.constant("running"), input: fc.string() }, { requiredKeys: [] }),
    notes: fc.array(
      fc.record({
        kind: fc.constant("text"),
        text: fc.string(),
        at: fc.nat(),
        seq: fc.nat(9),
        agentId: fc.constant(null),
      }),
      { maxLength: 2 },
    ),
    gaps: fc.array(fc.record({ reason: fc.string(), lost: fc.nat(), at: fc.nat() }), { maxLength: 2 }),
  },
  { requiredKeys: [] },
);
const fields = {
  toolName: fc.oneof(fc.constantFrom("t", "mcp__s__t", null), anything),
  toolInput: anything,
  toolOutput: anything,
  toolError: anything,
  context: anything,
  finalOutput: anything,
  text: anything,
  content: anything,
  bir: fc.oneof({ weight: 3, arbitrary: bir }, { weight: 1, arbitrary: anything }),
};
const row = fc.record(
  {
    id,
    type: fc.constantFrom("tool_selected", "tool_response", "final_answer", "other"),
    stepIndex: anything,
    ...fields,
  },
  { requiredKeys: ["id", "type"] },
);
const write = fc.oneof(
  { weight: 2, arbitrary: fc.record({ route: fc.constant("steps"), body: row }) },
  { weight: 1, arbitrary: fc.record({ route: fc.constant("steps"), body: fc.array(row, { maxLength: 3 }) }) },
  {
    weight: 2,
    arbitrary: fc.record({ route: fc.constant("patch"), rowId: id, body: fc.record(fields, { requiredKeys: [] }) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      route: fc.constant("finish"),
      body: fc.record({ finalOutput: anything, status: anything, metrics: anything, bir }, { requiredKeys: [] }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ route: fc.constantFrom("steps", "patch", "finish"), body: anything }) },
);
const run = fc.record({ input: anything, metadata: anything, bir: anything }, { requiredKeys: [] });

let runs = 0;

test("what strangers send is taken or refused, and read as it was taken", { timeout: 60_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(run, fc.array(write, { maxLength: 12 }), fc.boolean(), async (first, writes, atOnce) => {
      const runId = `run ${++runs}`;
      const begun = await recordings.createRun(received({ ...first, id: runId }));
      expect([201, 400]).toContain(begun.status);
      if (begun.status !== 201) await recordings.createRun(received({ id: runId }));
      const send = async ({ route, rowId, body }: { route: string; rowId?: string; body: unknown }) => {
        if (route === "steps") return await recordings.addSteps(runId, received(body));
        if (route === "finish") return await recordings.finishRun(runId, received(body));
        return await recordings.patchStep(runId, rowId ?? "a", received(body));
      };
      const statuses: number[] = [];
      if (atOnce) statuses.push(...(await Promise.all(writes.map(send))).map(({ status }) => status));
      else {
        for (const [n, each] of writes.entries()) {
          if (n === 6) {
            await recordings.close();
            recordings = open();
          }
          statuses.push((await send(each)).status);
        }
      }
      expect(faults).toEqual([]);
      for (const status of statuses) expect([200, 201, 400, 404]).toContain(status);
      const reader = StoreReader.open(path, () => true);
      const told = reader.run(runId);
      const listed = Array.from(reader.runs()).find(({ id }) => id === runId);
      reader.close();
      expect(told).not.toBeNull();
      if (told !== null) expect(listed).toEqual({ ...summaryOf(told), stepCount: told.steps.length });
    }),
    { numRuns: 150 },
  );
});

function received(body: unknown) {
  const text = JSON.stringify(body);
  return { text, value: JSON.parse(text) as unknown };
}
