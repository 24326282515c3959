import { Database } from "bun:sqlite";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { stringifyExact } from "../../src/core/exact-json.ts";
import type { RedactedJson, RedactedText } from "../../src/core/redacted.ts";
import { truncatedPayload } from "../../src/record/truncate.ts";
import { redactJson, redactText } from "../../src/redact/redact.ts";
import { Recordings } from "../../src/service/recordings/recordings.ts";
import { RunFeed, type Write } from "../../src/sinks/base-in/run-feed.ts";
import type { JournalEntry } from "../../src/store/entry.ts";
import { StoreReader } from "../../src/store/reader.ts";
import { SinkEvents } from "../../src/store/sink-events.ts";
import { SqliteStore } from "../../src/store/sqlite-store.ts";
import { SECRETS } from "../corpus/secrets.ts";

/**
 * A run that one bir sends to another reads the same there: whatever happened in it, however often a write is sent again, and
 * wherever the sender begins anew.
 */

const directory = mkdtempSync(join(tmpdir(), "bir-round-trip-"));
const herePath = join(directory, "here.db");
const therePath = join(directory, "there.db");
let here: SqliteStore;
let there: Recordings | undefined;
let journal: Database;
let hereReader: StoreReader;
let thereReader: StoreReader;

let servers = 0;

/** The service is started again, by another process. */
async function reopenThere(): Promise<void> {
  await there?.close();
  const owner = { pid: ++servers, startedAt: "boot/1" };
  there = new Recordings({ path: therePath, owner, onFault: (cause) => faults.push(cause) });
}

beforeAll(async () => {
  here = SqliteStore.open(herePath);
  await reopenThere();
  await there?.createRun(bodyOf(JSON.stringify({ id: "run_first" })));
  journal = new Database(herePath, { readonly: true });
  hereReader = StoreReader.open(herePath, () => true);
  thereReader = StoreReader.open(therePath, () => true);
});
afterAll(async () => {
  hereReader.close();
  thereReader.close();
  journal.close();
  here.close();
  await there?.close();
  rmSync(directory, { recursive: true, force: true });
});
const faults: unknown[] = [];

const anyText = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 8 }),
  fc.string({ unit: "binary", maxLength: 6 }),
  fc.constantFrom(...SECRETS.map(({ text }) => text)),
);
const text = anyText.map((raw): RedactedText => redactText(raw.toWellFormed()));
const nullable = <T>(of: fc.Arbitrary<T>) => fc.option(of, { nil: null });
const time = fc.integer({ min: 0, max: 2 ** 43 });
const count = fc.nat({ max: 1_000 });
const host = fc.record({ app: text, version: nullable(text) });
const status = fc.constantFrom("running", "ok", "error", "cancelled", "denied", "lost");
const join_ = nullable(fc.constantFrom("host-id", "injected-id", "fingerprint", "ambiguous"));
const sources = fc.subarray(["proxy", "hook", "transcript"]);
const usage = fc.record({
  inputTokens: count,
  outputTokens: count,
  cacheReadTokens: count,
  cacheCreationTokens: count,
});
const secretJson = SECRETS.map(({ text, json }) => (json ? text : JSON.stringify({ text })));
const exact = fc.constantFrom(
  '{"n":12345678901234567890,"m":1.0,"k":-0,"e":1e400}',
  '{"a":1,"a":2}',
  '{ "spaced" : [ 1 , 2 ] }',
  "null",
  '"text"',
  '{"text":"\\u00e9\\ud800\\/"}',
);
const json: fc.Arbitrary<RedactedJson> = fc
  .oneof(fc.json({ maxDepth: 3 }), exact, fc.constantFrom(...secretJson))
  .map(redactJson);
const cut = fc
  .tuple(fc.constantFrom(...secretJson), fc.nat({ max: 300 }))
  .map(([told, at]) =>
    truncatedPayload(200_000, `{"a":"${"x".repeat(1000)}","b":${told.slice(0, at)}`, told.slice(-at)),
  )
  // A service reads both ends at once, and takes a flag in one for that of a command in the other: then it hides more.
  .filter((told) => redactJson(told) === told);
const payload = nullable(fc.oneof({ weight: 4, arbitrary: json }, { weight: 1, arbitrary: cut }));
const object = fc.dictionary(fc.string({ maxLength: 5 }), fc.jsonValue({ maxDepth: 1 })).map((value) => {
  return redactJson(JSON.stringify(value));
});

const runOpened = fc.record({
  type: fc.constant("run.opened"),
  at: time,
  tier: fc.constantFrom("bound", "standalone"),
  cwd: text,
  owner: fc.record({ pid: count, startedAt: text }),
  sessionId: nullable(text),
  host: nullable(host),
  wrappedServers: fc.array(text, { maxLength: 2 }),
});
const step = fc.nat({ max: 3 });
const later = fc.oneof(
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
    {
      type: fc.constant("note"),
      at: time,
      kind: fc.constantFrom("text", "thought", "warning", "interrupt"),
      text,
      agentId: nullable(text),
      source: text,
    },
    { requiredKeys: ["type", "at", "kind", "text", "agentId"] },
  ),
  fc.record(
    {
      type: fc.constant("step.opened"),
      at: time,
      step,
      sources,
      server: nullable(text),
      tool: text,
      qualifiedName: text,
      callId: nullable(text),
      join: join_,
      agentId: nullable(text),
      hostMeta: nullable(object),
      startedAt: time,
      truncated: fc.boolean(),
      context: nullable(text),
      payload,
    },
    {
      requiredKeys: [
        "type",
        "at",
        "step",
        "sources",
        "server",
        "tool",
        "qualifiedName",
        "callId",
        "join",
        "agentId",
        "hostMeta",
        "startedAt",
        "truncated",
        "payload",
      ],
    },
  ),
  fc.record(
    {
      type: fc.constant("step.updated"),
      at: time,
      step,
      legs: count,
      progress: count,
      status,
      sources,
      server: nullable(text),
      tool: text,
      callId: nullable(text),
      join: join_,
      agentId: nullable(text),
      hostMeta: object,
      startedAt: time,
      context: nullable(text),
      truncated: fc.boolean(),
      payload,
    },
    { requiredKeys: ["type", "at", "step"] },
  ),
  fc.record({
    type: fc.constant("step.closed"),
    at: time,
    step,
    status,
    isError: fc.boolean(),
    error: nullable(text),
    rpcError: nullable(object),
    durationMs: nullable(fc.double({ min: 0, max: 1e9, noNaN: true })),
    waitingMs: count,
    legs: count,
    progress: count,
    truncated: fc.boolean(),
    join: join_,
    payload,
  }),
);

let runs = 0;

function entriesOf(runId: string, events: readonly Record<string, unknown>[]): JournalEntry[] {
  return events.map(({ step, payload = null, ...fields }, i) => {
    const of = typeof step === "number" ? { stepId: `${runId}-${step}`, seq: step } : { seq: 100 + i };
    return { head: { runId, ...of, ...fields }, payload } as unknown as JournalEntry;
  });
}

function bodyOf(json: string) {
  return { text: json, value: JSON.parse(json) as unknown };
}

function send(there: Recordings, runId: string, { kind, rowId, json }: Write) {
  const body = bodyOf(json);
  if (kind === "run") return there.createRun(body);
  if (kind === "row") return there.addSteps(runId, body);
  if (kind === "patch") return there.patchStep(runId, rowId ?? "", body);
  return there.finishRun(runId, body);
}

/** How often each write is sent, and after how many the sender begins again at the start. */
const sending = fc.record({
  times: fc.array(fc.integer({ min: 1, max: 2 }), { minLength: 1 }),
  restart: fc.nat({ max: 12 }),
});

test("a run reads the same at the service that it was sent to", { timeout: 60_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(
      runOpened,
      fc.array(later, { maxLength: 14 }),
      sending,
      async (first, rest, { times, restart }) => {
        const runId = `run_${++runs}`;
        here.append(entriesOf(runId, [first, ...rest]));
        // Riders have no write of their own until the run ends.
        const ending = { type: "run.closed", at: 5, status: "completed" };
        here.append(entriesOf(runId, [ending]));
        const events = new SinkEvents(journal);
        const feed = () =>
          new RunFeed(events, { runId, position: -1, latest: 0, tail: 0, ending: null, ended: null }, "salt");
        for (const last of [restart, Number.POSITIVE_INFINITY]) {
          const writes = feed();
          for (let n = 0; n < last; n++) {
            const write = writes.next();
            if (write === null) break;
            for (let time = 0; time < (times[n % times.length] ?? 1); time++) {
              const answer = await send(there as Recordings, runId, write);
              expect([200, 201], `${write.kind} ${JSON.stringify(answer)}`).toContain(answer.status);
            }
          }
        }
        expect(faults).toEqual([]);
        expect(stringifyExact(thereReader.run(runId), 1)).toBe(stringifyExact(hereReader.run(runId), 1));
        const listed = (reader: StoreReader) =>
          [...reader.rows("SELECT * FROM runs WHERE id = ?", runId)].map(withoutOwner);
        expect(listed(thereReader)).toEqual(listed(hereReader));
      },
    ),
    { numRuns: 300 },
  );
});

function withoutOwner(row: unknown): object {
  const { owner_pid: _pid, owner_started_at: _at, ...rest } = row as Record<string, unknown>;
  return rest;
}
