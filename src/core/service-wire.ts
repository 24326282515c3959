import type { RunEvent } from "./event.ts";
import type { RunSummary, StepStatus } from "./run.ts";

/**
 * What the local service answers to its readers: the page in a browser, and programs. Pure types, so that the page needs no
 * schema library to read them; `core/api/service.ts` pins them, and the OpenAPI document is made from there.
 */

/** A run in a list. `input` and `finalAnswer` are cut to 400 characters there; one run alone has them whole. */
export interface RunItem extends RunSummary {
  stepCount: number;
  /** Calls that ended in an error; null while the index does not know it yet. */
  errorCount: number | null;
  /** Calls whose outcome was lost; beside what the gaps count. */
  lostCount: number | null;
  /** The tools it called, most often first (then by the first call), at most eight; null while the index does not know it yet. */
  tools: { server: string | null; tool: string; calls: number }[] | null;
}

/** Something in a query that could not be understood: `start` and `end` are UTF-16 offsets into it. */
export interface QueryIssue {
  start: number;
  end: number;
  message: string;
}

/** How far the index of words and tools has come behind the journal. */
export interface IndexState {
  /** True when everything that was recorded can be found. */
  isCurrent: boolean;
  /** Part of the journal that is in it, 0 to 1. */
  done: number;
}

export interface RunPage {
  runs: RunItem[];
  /** Of all pages; null on pages after the first, where it is not counted anew, and where counting would take too long. */
  total: number | null;
  /** For the next page; null at the end. */
  next: string | null;
  index: IndexState;
  issues: QueryIssue[];
}

export type SearchField = "prompt" | "answer" | "note" | "tool" | "arguments" | "result" | "error";

export interface HitStep {
  id: string;
  index: number;
  seq: number;
  server: string | null;
  tool: string;
  status: StepStatus;
}

/** A place where all the words are. */
export interface Hit {
  run: Pick<RunItem, "id" | "input" | "host" | "status" | "startedAt" | "tools">;
  /** Null for a prompt, an answer or a note. */
  step: HitStep | null;
  /** The number of the note in its run; null for anything else. */
  noteSeq: number | null;
  field: SearchField;
  /** The value that the excerpt is of: `result.content[0].text`. */
  path: string;
  /** `marks`: UTF-16 offsets into `text`, end excluded. */
  excerpt: { text: string; marks: { start: number; end: number }[] };
}

export interface HitPage {
  /** Newest run first; in a run what was said last first. There may be fewer than were asked for, and a `next` all the same. */
  hits: Hit[];
  next: string | null;
  index: IndexState;
  issues: QueryIssue[];
}

/** What can be asked for: each value, in how many runs, most frequent first. */
export interface Facets {
  hosts: { value: string; runs: number }[];
  servers: { value: string; runs: number }[];
  tools: { value: string; runs: number }[];
}

/**
 * Events of a run in journal order. With `payloads=brief` (what the page asks for) `args`, `result` and `rpcError` that are
 * long are a `BriefPayload`, and texts of notes, errors and contexts are cut to 4,000 characters.
 */
export interface EventPage {
  events: RunEvent[];
  /** Of the last event that was looked at: what to ask from next. */
  position: number;
  /** There are more already. */
  more: boolean;
  /** The run's owner is gone: it reads as abandoned, whatever its events say. */
  isAbandoned: boolean;
}

/** A deletion that can be taken back until then (epoch ms). */
export interface PendingDeletion {
  undoUntil: number;
}

/** What `GET /api/live` sends: one SSE event of each name, its data as JSON. */
export interface LiveMessages {
  /** Runs that are new or have changed, and ids of those that are gone. */
  runs: { changed: RunItem[]; removed: string[] };
  /** Of the run that is watched. */
  events: EventPage;
  index: IndexState;
}
