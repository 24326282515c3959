import {
  bodyOf,
  type CallWords,
  callTexts,
  plainText,
  readCall,
  readClosing,
  readOpening,
  readText,
} from "./call-texts.ts";
import { type Draft, DraftWriter, type RunPlace } from "./draft-writer.ts";
import type { IndexTables } from "./index-tables.ts";
import type { JournalRow, JournalSource } from "./journal-source.ts";
import { Names } from "./names.ts";
import { ANSWER, documentNumber, MAX_SEQ, ownNumber, PROMPT, STATUS } from "./numbers.ts";
import { RunWords } from "./run-words.ts";

/**
 * Takes events of the journal into the index, in order: what changed of each document is gathered over a slice, and each is
 * written once. Works within the transaction of whoever calls it.
 */
export class JournalTaker {
  readonly #tables: IndexTables;
  readonly #source: JournalSource;
  readonly #names: Names;
  readonly #words: RunWords;
  readonly #writer: DraftWriter;
  readonly #drafts = new Map<number, Draft>();

  constructor(tables: IndexTables, source: JournalSource) {
    this.#tables = tables;
    this.#source = source;
    this.#names = new Names(tables);
    this.#words = new RunWords(tables);
    this.#writer = new DraftWriter(tables, this.#words);
  }

  /** Has to be called when a transaction failed, or another process has written. */
  forget(): void {
    this.#names.forget();
    this.#words.forget();
    this.#writer.forget();
    this.#drafts.clear();
  }

  /** Takes these events, which are the next ones. */
  take(rows: readonly JournalRow[]): void {
    this.#drafts.clear();
    for (const row of rows) this.#takeEvent(row);
    const drafts = [...this.#drafts.values()].sort((a, b) => a.document - b.document);
    for (const draft of drafts) {
      const name = draft.call === null ? null : this.#names.take(draft.call);
      this.#writer.write(draft, name, this.#textsOf(draft), this.#textsGone(draft, name));
    }
    this.#writer.writeCounts();
    this.#words.write();
    this.#drafts.clear();
  }

  #takeEvent(row: JournalRow): void {
    const run = this.#writer.runOf(row.run_id);
    switch (row.type) {
      case "run.updated": {
        const { input, finalAnswer } = bodyOf(row);
        if (typeof input === "string") this.#takeText(row, documentNumber(run.number, PROMPT), run, input);
        if (typeof finalAnswer === "string") this.#takeText(row, documentNumber(run.number, ANSWER), run, finalAnswer);
        return;
      }
      case "note":
        this.#takeNote(row, run);
        return;
      case "step.opened":
      case "step.updated":
      case "step.closed":
        if (row.seq <= MAX_SEQ) this.#takeStep(row, run);
        return;
      default:
        return;
    }
  }

  #takeText(row: JournalRow, document: number, run: RunPlace, text: string): void {
    const draft = this.#draft(document, run);
    draft.opened = row.position;
    draft.text = text;
  }

  #takeNote(row: JournalRow, run: RunPlace): void {
    if (row.seq > MAX_SEQ) return;
    const draft = this.#draft(documentNumber(run.number, row.seq), run);
    // The first one of its number counts.
    if (draft.opened !== null) return;
    const { text = "" } = bodyOf(row);
    draft.opened = row.position;
    draft.text = String(text);
    draft.startedAt = row.at;
  }

  #takeStep(row: JournalRow, run: RunPlace): void {
    const body = bodyOf(row) as StepBody;
    if (row.type === "step.updated" && row.payload === null && !CHANGING.some((key) => body[key] !== undefined)) return;
    const draft = this.#draft(documentNumber(run.number, row.seq), run);
    draft.call ??= { server: null, tool: "", status: STATUS.running };
    const { call } = draft;
    draft.startedAt ??= row.at;
    if (row.type === "step.closed") {
      draft.closed = row.position;
      call.status = statusOf(body.status);
      call.closing = readClosing(row);
      return;
    }
    if (body.server !== undefined) call.server = body.server;
    if (body.tool !== undefined) call.tool = body.tool;
    if (body.startedAt !== undefined) draft.startedAt = body.startedAt;
    if (row.type === "step.opened") {
      draft.opened = row.position;
      draft.args = null;
      call.opening = readOpening(row);
      return;
    }
    if (body.status !== undefined) call.status = statusOf(body.status);
    if (row.payload !== null) {
      draft.args = row.position;
      call.args = row.payload;
    }
  }

  /** What is to be written of a document; begins with what is written of it already. */
  #draft(document: number, run: RunPlace): Draft {
    let draft = this.#drafts.get(document);
    if (draft === undefined) {
      draft = this.#known(document, run) ?? {
        document,
        run,
        opened: null,
        args: null,
        closed: null,
        startedAt: null,
        call: null,
        text: null,
        before: null,
      };
      this.#drafts.set(document, draft);
    }
    return draft;
  }

  #known(document: number, run: RunPlace): Draft | null {
    if (run.isNew) return null;
    const sql = "SELECT opened, args, closed, name, status, started_at FROM documents WHERE document = ?";
    const row = this.#tables.get<WrittenRow>(sql, document);
    if (row === null) return null;
    const { opened, args, closed, name, status, started_at: startedAt } = row;
    const call = status === null ? null : { ...this.#names.name(name), status };
    return {
      document,
      run,
      opened,
      args,
      closed,
      startedAt,
      call,
      text: null,
      before: { opened, args, closed, name, status },
    };
  }

  /** The fields of a document; what this slice does not tell is read back. */
  #textsOf(draft: Draft): string[] | null {
    if (draft.call === null) return draft.text === null ? null : [plainText(draft.text)];
    const { opening, closing, args, ...name } = draft.call;
    const needsOpening = opening === undefined && draft.opened !== null;
    const needsClosing = closing === undefined && draft.closed !== null;
    const places = { opened: needsOpening ? draft.opened : null, closed: needsClosing ? draft.closed : null };
    const read = readCall(this.#source, { ...places, args: args === undefined ? draft.args : null }, name);
    const call: CallWords = { ...read, ...(needsOpening ? {} : opening), ...(needsClosing ? {} : closing) };
    if (args !== undefined) call.args = args;
    else if (draft.args !== null) call.args = read.args;
    return callTexts(call).map(({ text }) => text);
  }

  /** The fields of a document as they were written, when something in it took the place of another thing. */
  #textsGone({ before, opened, args, closed, call, document }: Draft, name: number | null): string[] {
    if (before === null) return [];
    const isChanged = (old: number | null, now: number | null) => old !== null && old !== now;
    const isReplaced =
      isChanged(before.opened, opened) ||
      isChanged(before.closed, closed) ||
      isChanged(before.name, name) ||
      args !== before.args;
    if (!isReplaced) return [];
    if (call !== null)
      return callTexts(readCall(this.#source, before, this.#names.name(before.name))).map((f) => f.text);
    const event = this.#source.event(before.opened);
    const text = event === null ? null : readText(event, ownNumber(document) === PROMPT ? "prompt" : "answer");
    return text === null ? [] : [text];
  }
}

interface WrittenRow {
  opened: number | null;
  args: number | null;
  closed: number | null;
  name: number | null;
  status: number | null;
  started_at: number | null;
}

interface StepBody {
  server?: string | null;
  tool?: string;
  status?: string;
  startedAt?: number;
}

/** What of an update is searched, listed or counted. */
const CHANGING = ["server", "tool", "status", "startedAt"] as const;

function statusOf(status: string | undefined): number {
  return STATUS[(status ?? "running") as keyof typeof STATUS] ?? STATUS.running;
}
