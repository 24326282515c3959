import { stringifyExact } from "../exact-json.ts";
import type { NoteEntry, Run, Step, TruncatedPayload } from "../run.ts";

/** What a run's own file carries of it, for the page in the same file to show. Pure; also read in a browser. */

/** Id of the element that holds it, as JSON. */
export const CARRIED_RUN_ID = "carried-run";

export interface CarriedRun {
  /** Raised when an older page could misread it. */
  version: 1;
  /** Epoch ms. */
  savedAt: number;
  /** Payloads and notes of which only the beginning and the end are in it, because of the file's size. */
  cutCount: number;
  run: Run;
}

/** What a browser still opens without trouble; UTF-16 units of all payloads together. */
const MOST_LENGTH = 64 * 1024 * 1024;
/** No payload is cut below that. */
const LEAST_LENGTH = 1024;

/** The run as a file carries it: whole, or its largest payloads cut until it is no longer than `most`. */
export function carriedRun(run: Run, savedAt: number, most = MOST_LENGTH): CarriedRun {
  const lengths = [
    ...run.steps.flatMap((step) => [lengthOf(step.args), lengthOf(step.result)]),
    ...run.notes.map(({ text }) => text.length),
  ];
  const limit = Math.max(LEAST_LENGTH, fairLimit(lengths, most));
  const carried: CarriedRun = { version: 1, savedAt, cutCount: 0, run };
  if (lengths.every((length) => length <= limit)) return carried;
  const count = <Part>(part: Part, cut: Part): Part => {
    if (cut !== part) carried.cutCount++;
    return cut;
  };
  const cutStep = (step: Step): Step => {
    const args = count(step.args, cutPayload(step.args, limit));
    const result = count(step.result, cutPayload(step.result, limit));
    return args === step.args && result === step.result ? step : { ...step, args, result, truncated: true };
  };
  const cutNote = (note: NoteEntry): NoteEntry => {
    const text = count(note.text, note.text.length <= limit ? note.text : bothEnds(note.text, limit).join("\n[…]\n"));
    return text === note.text ? note : { ...note, text };
  };
  return {
    ...carried,
    run: { ...run, steps: run.steps.map(cutStep), notes: run.notes.map(cutNote) },
    cutCount: carried.cutCount,
  };
}

/** The most that one may have so that all together have no more than `most`: what is short stays whole. */
function fairLimit(lengths: readonly number[], most: number): number {
  let left = most;
  const sorted = lengths.toSorted((a, b) => a - b);
  for (const [index, length] of sorted.entries()) {
    const share = left / (sorted.length - index);
    if (length > share) return Math.floor(share);
    left -= length;
  }
  return Number.POSITIVE_INFINITY;
}

function cutPayload(payload: unknown, limit: number): unknown {
  if (lengthOf(payload) <= limit) return payload;
  const text = stringifyExact(payload);
  const [head, tail] = bothEnds(text, limit);
  return {
    truncated: true,
    originalBytes: new TextEncoder().encode(text).length,
    head,
    tail,
  } satisfies TruncatedPayload;
}

function bothEnds(text: string, length: number): [string, string] {
  const half = Math.floor(length / 2);
  return [text.slice(0, half).toWellFormed(), text.slice(text.length - half).toWellFormed()];
}

function lengthOf(payload: unknown): number {
  return payload === null ? 0 : stringifyExact(payload).length;
}
