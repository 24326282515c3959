/** A session as the recorder sees it: messages in, the folded run out. Real tracker, assembler and reading; no store. */

import type { RunEvent } from "../../src/core/event.ts";
import { foldRun } from "../../src/core/fold.ts";
import type { Run, Step } from "../../src/core/run.ts";
import { HEAD_BYTES, TAIL_BYTES } from "../../src/jsonrpc/line-capture.ts";
import { readMessage, readMessages } from "../../src/jsonrpc/message.ts";
import { CallTracker } from "../../src/proxy/call-tracker.ts";
import type { Direction } from "../../src/proxy/direction.ts";
import { TieredRecorder } from "../../src/proxy/tiers/tiered-recorder.ts";
import { Assembler } from "../../src/record/assembler.ts";
import { redactText, trustedText } from "../../src/redact/redact.ts";
import type { JournalEntry } from "../../src/store/entry.ts";
import { eventBody } from "../../src/store/event-body.ts";
import { eventOfRow } from "../../src/store/row-event.ts";

export const START = 1_795_528_800_000;
export const UNAVAILABLE = 'MCP server "everything" is not available';

/** The event as a reader gets it back. */
export function eventOf({ head, payload }: JournalEntry): RunEvent {
  return eventOfRow({
    run_id: head.runId,
    seq: head.seq,
    type: head.type,
    at: head.at,
    body: eventBody(head),
    payload,
  });
}

export class RecordedWire {
  readonly entries: JournalEntry[] = [];
  readonly assembler: Assembler;
  readonly tracker: CallTracker;
  at = START;
  #ids = 0;

  constructor({
    sessionId = null,
    serverName = "everything",
  }: { sessionId?: string | null; serverName?: string } = {}) {
    this.assembler = new Assembler({
      tier: "standalone",
      cwd: trustedText("/home/ada/project"),
      owner: { pid: 4711, startedAt: "boot/1" },
      serverName: redactText(serverName),
      sessionId: sessionId === null ? null : redactText(sessionId),
      newId: (prefix) => trustedText(`${prefix}_${++this.#ids}`),
      write: (entry) => this.entries.push(entry),
    });
    const newId = () => crypto.randomUUID();
    const recorder = new TieredRecorder({ own: this.assembler, tier: "own", newId, spool: () => false });
    this.tracker = new CallTracker(recorder, serverName);
  }

  wait(ms: number): this {
    this.at += ms;
    return this;
  }

  /** The host writes a line: JSON text, or a value to write as such. */
  host(...messages: unknown[]): this {
    for (const message of messages) this.#see("to-upstream", message);
    return this;
  }

  server(...messages: unknown[]): this {
    for (const message of messages) this.#see("to-host", message);
    return this;
  }

  end(): this {
    this.tracker.end(this.at);
    this.assembler.closeRun("completed", this.at);
    return this;
  }

  get events(): RunEvent[] {
    return this.entries.map(eventOf);
  }

  /** The run so far. */
  get run(): Run {
    const run = foldRun(this.events);
    if (run === null) throw new Error("no run was opened");
    return run;
  }

  get steps(): Step[] {
    return this.entries.length === 0 ? [] : this.run.steps;
  }

  /** The only step. */
  get step(): Step {
    const [step, ...more] = this.steps;
    if (step === undefined || more.length > 0) throw new Error(`${this.steps.length} steps`);
    return step;
  }

  get warnings(): string[] {
    return this.run.notes.map((note) => note.text);
  }

  #see(direction: Direction, written: unknown): void {
    const line = typeof written === "string" ? written : JSON.stringify(written);
    const bytes = Buffer.from(line);
    const isLong = bytes.length > HEAD_BYTES + TAIL_BYTES;
    const text = isLong ? bytes.toString("utf8", 0, HEAD_BYTES) : line;
    const tail = isLong ? bytes.toString("utf8", bytes.length - TAIL_BYTES) : null;
    const one = isLong ? readMessage(text, 0, tail) : null;
    const messages = isLong ? (one === null ? [] : [one]) : readMessages(line);
    const seen = { direction, text, tail, totalBytes: bytes.length, at: this.at };
    for (const message of messages) this.tracker.see({ ...seen, message });
    if (messages.length === 0) this.tracker.seeUnreadable(direction, bytes.length, this.at, isLong);
  }
}

export const call = (id: unknown, name = "echo", params: object = {}) => ({
  jsonrpc: "2.0",
  id,
  method: "tools/call",
  params: { name, arguments: { text: `of ${String(id)}` }, ...params },
});

export const request = (id: unknown, method: string, params: object = {}) => ({ jsonrpc: "2.0", id, method, params });

export const notification = (method: string, params: object = {}) => ({ jsonrpc: "2.0", method, params });

export const answer = (id: unknown, text = "done", result: object = {}) => ({
  jsonrpc: "2.0",
  id,
  result: { content: [{ type: "text", text }], ...result },
});

export const resultOf = (id: unknown, result: object) => ({ jsonrpc: "2.0", id, result });

export const failure = (id: unknown, error: object) => ({ jsonrpc: "2.0", id, error });

export const cancelled = (requestId: unknown) =>
  notification("notifications/cancelled", { requestId, reason: "AbortError: The operation was aborted." });

/** The text of the first content block of a step's result. */
export function textOf(step: Step | undefined): unknown {
  return (step?.result as { content?: { text?: string }[] } | null)?.content?.[0]?.text;
}
