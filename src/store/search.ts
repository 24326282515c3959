import type { Note, RunEvent, StepClosed, StepOpened } from "../core/event.ts";
import type { StoreReader } from "./reader.ts";
import { type EventRow, eventOfRow } from "./row-event.ts";
import type { RunFilter } from "./run-filter.ts";
import type { ListedRun } from "./run-row.ts";
import {
  bestLeaf,
  collapse,
  type Excerpt,
  excerptOf,
  foldWord,
  holds,
  type Leaf,
  leavesOf,
  likePattern,
  readableText,
} from "./search-text.ts";

/**
 * Finds words in what was recorded: prompts, answers, notes, and each call's server, tool, arguments, result and error.
 * A hit holds every word. Newest run first, and lazily: nothing beyond the hits that are taken is read. It reads the
 * whole of every run it passes; there is no index of words.
 */

export type SearchField = "prompt" | "answer" | "note" | "tool" | "arguments" | "result" | "error";

export interface SearchHit {
  run: ListedRun;
  /** The call that holds the words; null for a prompt, an answer or a note. */
  step: { id: string; index: number; seq: number; server: string | null; tool: string } | null;
  /** Where most of the words are. */
  field: SearchField;
  /** The value in it that the excerpt is of: `result.content[0].text`. */
  path: string;
  excerpt: Excerpt;
}

interface Candidate {
  field: SearchField;
  text: string;
  leaves: () => Leaf[];
}

/** Every place that holds all the words; none for no words. Throws Problem. */
export function* search(reader: StoreReader, words: readonly string[], filter: RunFilter = {}): Generator<SearchHit> {
  const folded = words.map(foldWord).filter((word) => word !== "");
  if (folded.length === 0) return;
  const sql = candidatesSql(folded.length);
  const patterns = folded.map(likePattern);
  for (const run of reader.runs(filter)) {
    yield* hitsInRunTexts(run, folded);
    for (const events of bySeq(reader.rows<EventRow>(sql, run.id, ...patterns))) {
      const hit = hitIn(run, events, folded);
      if (hit?.step) hit.step.index = indexOf(reader, hit.step.id);
      if (hit !== null) yield hit;
    }
  }
}

/** The events of every number in a run (?1) whose rows may hold every word (?2 …). */
function candidatesSql(words: number): string {
  const holding = Array.from(
    { length: words },
    (_, index) =>
      `SELECT seq FROM events WHERE run_id = ?1
         AND (payload LIKE ?${index + 2} ESCAPE '\\' OR body LIKE ?${index + 2} ESCAPE '\\')`,
  );
  return `SELECT run_id, seq, type, at, body, payload FROM events
    WHERE run_id = ?1 AND type IN ('step.opened', 'step.closed', 'note') AND seq IN (${holding.join(" INTERSECT ")})
    ORDER BY seq, position`;
}

function* bySeq(rows: Iterable<EventRow>): Generator<RunEvent[]> {
  let group: RunEvent[] = [];
  for (const row of rows) {
    if (group[0] !== undefined && group[0].seq !== row.seq) {
      yield group;
      group = [];
    }
    group.push(eventOfRow(row));
  }
  if (group.length > 0) yield group;
}

function* hitsInRunTexts(run: ListedRun, words: readonly string[]): Generator<SearchHit> {
  const texts: [SearchField, string | null][] = [
    ["prompt", run.input],
    ["answer", run.finalAnswer],
  ];
  for (const [field, text] of texts) {
    const excerpt = text === null ? null : matching([plainCandidate(field, text)], words);
    if (excerpt !== null) yield { run, step: null, ...excerpt };
  }
}

function hitIn(run: ListedRun, events: readonly RunEvent[], words: readonly string[]): SearchHit | null {
  const note = events.find((event): event is Note => event.type === "note");
  if (note !== undefined) {
    const found = matching([plainCandidate("note", note.text)], words);
    return found === null ? null : { run, step: null, ...found };
  }
  const opened = events.find((event): event is StepOpened => event.type === "step.opened");
  const closed = events.find((event): event is StepClosed => event.type === "step.closed");
  const first = opened ?? closed;
  if (first === undefined) return null;
  const found = matching(candidatesOf(opened, closed), words);
  if (found === null) return null;
  const step = { id: first.stepId, index: 0, seq: first.seq, server: opened?.server ?? null, tool: opened?.tool ?? "" };
  return { run, step, ...found };
}

/** The position of a step among those of its run, as the fold counts it. */
function indexOf(reader: StoreReader, stepId: string): number {
  const [row] = reader.rows<{ earlier: number }>(
    `SELECT count(*) AS earlier FROM steps AS other JOIN steps AS this
       ON this.id = ? AND other.run_id = this.run_id AND (other.started_at, other.seq) < (this.started_at, this.seq)`,
    stepId,
  );
  return row?.earlier ?? 0;
}

function candidatesOf(opened: StepOpened | undefined, closed: StepClosed | undefined): Candidate[] {
  const found: Candidate[] = [];
  if (opened !== undefined) found.push(payloadCandidate("arguments", opened.args));
  if (closed !== undefined) {
    if (closed.result !== null) found.push(payloadCandidate("result", closed.result));
    const error = closed.rpcError ?? closed.error;
    if (error !== null) found.push(payloadCandidate("error", error));
  }
  // Last, so that what was said is shown before the name of the tool.
  if (opened !== undefined) {
    const { server, tool, qualifiedName } = opened;
    const leaves = [
      { path: "tool", text: tool },
      { path: "server", text: server ?? "" },
      { path: "qualifiedName", text: qualifiedName },
    ];
    const text = collapse(`${server ?? ""} ${tool} ${qualifiedName}`);
    found.push({ field: "tool", text, leaves: () => leaves });
  }
  return found;
}

function plainCandidate(field: SearchField, whole: string): Candidate {
  const text = collapse(whole);
  return { field, text, leaves: () => [{ path: field, text }] };
}

function payloadCandidate(field: SearchField, payload: unknown): Candidate {
  return { field, text: readableText(payload), leaves: () => leavesOf(payload, field) };
}

/** The field with most of the words, when all of them together have all. */
function matching(candidates: readonly Candidate[], words: readonly string[]): Omit<SearchHit, "run" | "step"> | null {
  const held = candidates.map(({ text }) => words.filter((word) => holds(text, word)));
  if (!words.every((word) => held.some((found) => found.includes(word)))) return null;
  const most = Math.max(...held.map((found) => found.length));
  const best = candidates[held.findIndex((found) => found.length === most)];
  if (best === undefined) return null;
  // A phrase may reach over several values: then it stands in none.
  const { path, text } = bestLeaf(best.leaves(), words) ?? { path: best.field, text: best.text };
  return { field: best.field, path, excerpt: excerptOf(text, words) };
}
