import { Database } from "bun:sqlite";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { foldRun, summaryOf } from "../../src/core/fold.ts";
import type { JournalEntry } from "../../src/store/entry.ts";
import { StoreReader } from "../../src/store/reader.ts";
import { SqliteStore } from "../../src/store/sqlite-store.ts";
import { eventOf } from "../unit/wire-fixture.ts";

/** What is listed without reading the events must be what the events say, in whatever batches they came. */

const directory = mkdtempSync(join(tmpdir(), "bir-projection-"));
const path = join(directory, "recordings.db");
let store: SqliteStore;
let db: Database;
let reader: StoreReader;

beforeAll(() => {
  store = SqliteStore.open(path);
  db = new Database(path, { readonly: true });
  reader = StoreReader.open(path, () => true);
});
afterAll(() => {
  reader.close();
  db.close();
  store.close();
  rmSync(directory, { recursive: true, force: true });
});

const text = fc.string({ unit: "grapheme", maxLength: 8 });
const nullable = <T>(of: fc.Arbitrary<T>) => fc.option(of, { nil: null });
const time = fc.integer({ min: 0, max: 2 ** 43 });
const count = fc.nat({ max: 1_000 });
const host = fc.record({ app: text, version: nullable(text) });
const status = fc.constantFrom("running", "ok", "error", "cancelled", "denied", "lost");
const stepNumber = fc.nat({ max: 3 });

const owner = fc.record({ pid: count, startedAt: text });
const usage = fc.record({
  inputTokens: count,
  outputTokens: count,
  cacheReadTokens: count,
  cacheCreationTokens: count,
});
const noteKind = fc.constantFrom("text", "thought", "warning", "interrupt");
const json = fc.jsonValue({ maxDepth: 2 }).map((value) => JSON.stringify({ value }));

const runOpened = fc.record({
  type: fc.constant("run.opened"),
  at: time,
  tier: fc.constantFrom("bound", "standalone"),
  cwd: text,
  owner,
  sessionId: nullable(text),
  host: nullable(host),
  wrappedServers: fc.array(text, { maxLength: 2 }),
});
const later = fc.oneof(
  runOpened,
  fc.record(
    {
      type: fc.constant("run.updated"),
      at: time,
      sessionId: text,
      host,
      wrappedServers: fc.array(text, { maxLength: 2 }),
      input: text,
      finalAnswer: text,
      hostHookCalls: count,
      usage,
      owner,
      status: fc.constant("running"),
    },
    { requiredKeys: ["type", "at"] },
  ),
  fc.record({
    type: fc.constant("run.closed"),
    at: time,
    status: fc.constantFrom("completed", "failed", "interrupted"),
  }),
  fc.record({ type: fc.constant("gap"), at: time, reason: text, lost: count }),
  fc.record(
    { type: fc.constant("note"), at: time, kind: noteKind, text, agentId: nullable(text), source: text },
    { requiredKeys: ["type", "at", "kind", "text", "agentId"] },
  ),
  fc.record({
    type: fc.constant("step.opened"),
    at: time,
    step: stepNumber,
    sources: fc.constant(["proxy"]),
    server: nullable(text),
    tool: text,
    qualifiedName: text,
    callId: nullable(text),
    join: fc.constant(null),
    agentId: fc.constant(null),
    hostMeta: fc.constant(null),
    startedAt: time,
    truncated: fc.boolean(),
    context: nullable(text),
    payload: nullable(json),
  }),
  fc.record(
    {
      type: fc.constant("step.updated"),
      at: time,
      step: stepNumber,
      legs: count,
      progress: count,
      status,
      sources: fc.constantFrom(["proxy", "hook"], ["transcript"]),
      server: text,
      tool: text,
      qualifiedName: text,
      callId: text,
      join: fc.constantFrom("host-id", "injected-id", "fingerprint", "ambiguous"),
      agentId: text,
      hostMeta: json,
      startedAt: time,
      context: text,
      truncated: fc.boolean(),
      payload: nullable(json),
    },
    { requiredKeys: ["type", "at", "step"] },
  ),
  fc.record({
    type: fc.constant("step.closed"),
    at: time,
    step: stepNumber,
    status,
    isError: fc.boolean(),
    error: nullable(text),
    rpcError: fc.constant(null),
    durationMs: nullable(fc.double({ min: 0, max: 1e9, noNaN: true })),
    waitingMs: count,
    legs: count,
    progress: count,
    truncated: fc.boolean(),
    join: nullable(fc.constant("ambiguous")),
    payload: nullable(json),
  }),
);

let runs = 0;

function entriesOf(runId: string, events: readonly Record<string, unknown>[]): JournalEntry[] {
  return events.map(({ step, payload = null, ...fields }, i) => {
    const of = typeof step === "number" ? { stepId: `${runId}-${step}`, seq: step } : { seq: 100 + i };
    return { head: { runId, ...of, ...fields }, payload } as unknown as JournalEntry;
  });
}

interface Owned {
  owner_pid: number;
  owner_started_at: string;
}

/** The owner that was told last: of a run's openings only the first counts. */
function ownerOf(entries: readonly JournalEntry[]): Owned {
  const owners = entries.flatMap(({ head }, n) =>
    "owner" in head && head.owner !== undefined && (n === 0 || head.type === "run.updated") ? [head.owner] : [],
  );
  const { pid, startedAt } = owners.at(-1) ?? { pid: -1, startedAt: "" };
  return { owner_pid: pid, owner_started_at: startedAt };
}

test("runs and steps are what the fold makes of the events", () => {
  const batches = fc.array(fc.array(later, { maxLength: 8 }), { maxLength: 5 });
  fc.assert(
    fc.property(runOpened, batches, (first, rest) => {
      const runId = `run_${++runs}`;
      const entries: JournalEntry[] = [];
      for (const batch of [[first], ...rest]) {
        const told = entriesOf(runId, batch);
        store.append(told);
        entries.push(...told);
      }
      const run = foldRun(entries.map(eventOf));
      expect(run).not.toBeNull();
      if (run === null) return;
      const listed = Array.from(reader.runs()).find(({ id }) => id === runId);
      expect(listed).toEqual({ ...summaryOf(run), stepCount: run.steps.length });
      const rows = db.query("SELECT * FROM steps WHERE run_id = ? ORDER BY started_at, seq").all(runId);
      expect(rows).toEqual(
        run.steps.map((step) => ({
          id: step.id,
          run_id: runId,
          seq: step.seq,
          server: step.server,
          tool: step.tool,
          qualified_name: step.qualifiedName,
          call_id: step.callId,
          status: step.status,
          is_error: step.isError ? 1 : 0,
          started_at: step.startedAt,
          duration_ms: step.durationMs,
        })),
      );
      expect(reader.run(runId)).toEqual(run);
      const told = db.query<Owned, [string]>("SELECT owner_pid, owner_started_at FROM runs WHERE id = ?").get(runId);
      expect(told).toEqual(ownerOf(entries));
    }),
    { numRuns: 300 },
  );
});
