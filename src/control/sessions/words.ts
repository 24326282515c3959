import type { RedactedText } from "../../core/redacted.ts";
import type { NoteFacts, RunWriter } from "../../record/run-writer.ts";
import { redactText } from "../../redact/redact.ts";

/**
 * What was said in a run: notes, each once however often and by whomever it is told, and which of it is the answer. Text of
 * the main agent is held until it is known whether anything follows it: it is the answer if nothing does, and a note else.
 */

/** Text that the main agent said. */
export interface Said {
  text: RedactedText;
  /** Epoch ms. */
  at: number;
  /** The row of the transcript that it was read from. */
  source: RedactedText | null;
  messageId: string | null;
}

/** What the agent answered last, and when it stopped with that (epoch ms). */
export interface Answer {
  text: RedactedText;
  at: number;
  /** The row that told the same words, where it was read, and its time. */
  source: RedactedText | null;
  saidAt: number | null;
}

/** A note that a run has, as far as it decides about later ones. */
export interface KnownNote extends NoteFacts {
  at: number;
}

/** A hook and a row that tell of the same words do so within this time. */
const SAME_WORDS_MS = 30_000;

export class Words {
  readonly #writer: RunWriter;
  /** Rows that have their note. */
  readonly #sources = new Set<string>();
  /** When a row told a text last, by who said what. */
  readonly #told = new Map<string, number>();
  /** Texts that only a hook has told of so far, and when: their rows make no other note. */
  readonly #awaited = new Map<string, number[]>();
  /** The newest message's. */
  #pending: Said[] = [];
  #answer: Answer | null;

  constructor(writer: RunWriter, answer: Answer | null, notes: readonly KnownNote[]) {
    this.#writer = writer;
    this.#answer = answer;
    for (const note of notes) this.#remember(note, note.at);
  }

  get answer(): Answer | null {
    return this.#answer;
  }

  /** Nothing is held that is not written yet. */
  get isClean(): boolean {
    return this.#pending.length === 0;
  }

  /** Writes a note; false where it is there already. */
  note(at: number, note: NoteFacts): boolean {
    if (note.source !== undefined && this.#sources.has(note.source)) return false;
    const isKnown = note.kind === "text" && this.#isToldElsewhere(note, at);
    if (isKnown && note.source !== undefined) {
      this.#sources.add(note.source);
      this.#told.set(keyOf(note), at);
    }
    if (isKnown) return false;
    this.#remember(note, at);
    this.#writer.note(at, note);
    return true;
  }

  /** The main agent said something. */
  say(said: Said): void {
    if (said.source !== null && this.#sources.has(said.source)) return;
    const [before] = this.#pending;
    if (before !== undefined && (said.messageId === null || before.messageId !== said.messageId)) this.flush();
    const answer = this.#answer;
    if (answer !== null && said.at <= answer.at && said.text.trim() === answer.text.trim()) {
      // Read after the host has told of it.
      Object.assign(answer, { source: said.source, saidAt: said.at });
      return;
    }
    this.#pending.push(said);
  }

  /** What was said last was not the last word. */
  flush(): void {
    const pending = this.#pending;
    this.#pending = [];
    for (const said of pending) this.#noteSaid(said);
  }

  /** The agent is done, for now. `words` null: the host did not say with which. */
  stop(words: RedactedText | null, at: number): void {
    const pending = this.#pending;
    this.#pending = [];
    const text = words ?? joined(pending);
    for (const said of pending) if (text === null || !text.includes(said.text.trim())) this.#noteSaid(said);
    if (text === null || text === "") return;
    const row = pending.find((said) => said.text.trim() === text.trim());
    const before = this.#answer;
    const isSame = before?.text === text;
    if (before !== null && !isSame) this.#noteAnswer(before);
    const { source, at: saidAt } = row ?? { source: null, at: null };
    this.#answer = isSame && row === undefined ? { ...before, at } : { text, at, source, saidAt };
    if (!isSame) this.#writer.update(at, { finalAnswer: text });
  }

  /** The agent had been done with these words, and has gone on since. */
  hadStopped(words: RedactedText | null, at: number): void {
    if (words === null || words === "" || this.#pending.some(({ text }) => text.trim() === words.trim())) return;
    this.#noteSaid({ text: words, at, source: null });
  }

  /** The main agent works again: what it has said so far was not its last word. */
  goOn(): void {
    this.flush();
    const answer = this.#answer;
    this.#answer = null;
    if (answer !== null) this.#noteAnswer(answer);
  }

  #noteAnswer({ text, at, source, saidAt }: Answer): void {
    this.#noteSaid({ text, at: saidAt ?? at, source });
  }

  #noteSaid({ text, at, source }: Omit<Said, "messageId">): void {
    this.note(at, { kind: "text", text, agentId: null, ...(source === null ? {} : { source }) });
  }

  /** True where a row tells what a hook has told, or the other way round. */
  #isToldElsewhere(note: NoteFacts, at: number): boolean {
    const key = keyOf(note);
    if (note.source === undefined) {
      const told = this.#told.get(key);
      return told !== undefined && Math.abs(told - at) <= SAME_WORDS_MS;
    }
    const awaited = this.#awaited.get(key) ?? [];
    const found = awaited.findIndex((each) => Math.abs(each - at) <= SAME_WORDS_MS);
    if (found >= 0) awaited.splice(found, 1);
    return found >= 0;
  }

  #remember(note: NoteFacts, at: number): void {
    if (note.source !== undefined) this.#sources.add(note.source);
    if (note.kind !== "text") return;
    const key = keyOf(note);
    if (note.source !== undefined) this.#told.set(key, at);
    else this.#awaited.set(key, [...(this.#awaited.get(key) ?? []), at]);
  }
}

function joined(said: readonly Said[]): RedactedText | null {
  const [first] = said;
  if (first === undefined) return null;
  return said.length === 1 ? first.text : redactText(said.map(({ text }) => text).join("\n\n"));
}

/** Equal for the same words of the same agent. */
function keyOf({ text, agentId }: NoteFacts): string {
  return `${agentId ?? ""} ${Bun.hash(text.trim()).toString(36)}`;
}
