import type { CheckedRun } from "../../core/api/recordings.ts";
import type { RedactedText } from "../../core/redacted.ts";
import type { Tier } from "../../core/run.ts";
import type { HostFact } from "../../record/run-writer.ts";
import type { EventHead } from "../../store/entry.ts";
import { type RecordingsAnswer, recordedHere, taken } from "./answer.ts";
import type { Batch } from "./batch.ts";
import { recordedText, wordsOf } from "./contents.ts";
import { takeRiders, updateRun } from "./riders.ts";
import { RunState } from "./run-state.ts";
import { storedId } from "./stored-id.ts";

/** POST runs: a run begins. Of another recorder's metadata whatever says what ours would is taken, and the rest let be. */

type RunOpened = Extract<EventHead, { type: "run.opened" }>;

export function createRun(batch: Batch, body: CheckedRun): RecordingsAnswer {
  const found = batch.find(body.id);
  if (found === "own") return recordedHere();
  if (found !== "unknown") return taken(body.id, false);
  const metadata = isObject(body.metadata) ? body.metadata : {};
  const run = RunState.begun(storedId(body.id));
  const at = body.bir?.startedAt ?? batch.now;
  batch.begin(run);
  const { pid, startedAt } = batch.owner;
  batch.tell(run, {
    type: "run.opened",
    runId: run.runId,
    seq: 0,
    at,
    tier: tierOf(metadata.tier),
    cwd: recordedText(stringOr(metadata.cwd, "")),
    // The start time is the system's word, not a sender's.
    owner: { pid, startedAt: startedAt as RedactedText },
    sessionId: textOrNull(metadata.sessionId),
    host: hostOf(metadata),
    wrappedServers: stringsIn(metadata.wrappedServers),
  } satisfies RunOpened);
  const input = wordsOf(body.input);
  if (input !== null) updateRun(batch, run, { input: recordedText(input) }, at);
  // Another bir tells its gaps as they happen.
  if (body.bir === undefined) tellGaps(batch, run, metadata, at);
  takeRiders(batch, run, body.bir, at);
  return taken(body.id, true);
}

function tellGaps(batch: Batch, run: RunState, metadata: Record<string, unknown>, at: number): void {
  const told = Array.isArray(metadata.gaps) ? metadata.gaps.filter(isObject) : [];
  const isToldOnly = told.length === 0 && metadata.lossy === true;
  for (const gap of isToldOnly ? [{ reason: "told by the sender" }] : told.slice(0, MAX_GAPS)) {
    const { reason, lost } = gap as Record<string, unknown>;
    batch.tell(run, {
      type: "gap",
      runId: run.runId,
      seq: run.nextSeq,
      at,
      reason: recordedText(wordsOf(reason) ?? "told by the sender"),
      lost: Number.isSafeInteger(lost) && (lost as number) >= 0 ? (lost as number) : 0,
    });
  }
}

const MAX_GAPS = 1000;

function hostOf(metadata: Record<string, unknown>): HostFact | null {
  const { host, recorder } = metadata;
  if (isObject(host)) {
    const app = textOrNull(host.app) ?? textOrNull(host.name);
    if (app !== null) return { app, version: textOrNull(host.version) };
  }
  const app = textOrNull(host) ?? (recorder === "baseinstrunner" ? null : textOrNull(recorder));
  return app === null ? null : { app, version: null };
}

function tierOf(value: unknown): Tier {
  return value === "bound" ? "bound" : "standalone";
}

function textOrNull(value: unknown): RedactedText | null {
  return typeof value === "string" ? recordedText(value) : null;
}

function stringOr(value: unknown, otherwise: string): string {
  return typeof value === "string" ? value : otherwise;
}

function stringsIn(value: unknown): RedactedText[] {
  if (!Array.isArray(value)) return [];
  return value.filter((name) => typeof name === "string").map((name) => recordedText(name));
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
