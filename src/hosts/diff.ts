import type { ConfigDocument, ConfigFormatId } from "./edit/config-text.ts";
import { formatOf } from "./edit/formats.ts";
import { Skeleton } from "./entry/skeleton.ts";
import { type LineChange, lineChanges } from "./line-changes.ts";

/**
 * What a plan would change in a file, as a diff for people. Shows keys and layout; of values only those words that are known
 * to be no secret, and nothing of comments: `***` and `…` stand for the rest. Pure.
 */

export interface DiffOrder {
  file: string;
  format: ConfigFormatId;
  /** Null: no file. Both parse. */
  before: string | null;
  after: string | null;
  /** True for a value that may be shown. */
  mayShow: (value: string) => boolean;
}

const CONTEXT_LINES = 1;

/** Unified diff without line numbers of the old file; empty where nothing changes. Lines end with a line feed. */
export function maskedDiff({ file, format, before, after, mayShow }: DiffOrder): string {
  if (before === after) return "";
  const old = new MaskedLines(format, before ?? "", mayShow);
  const fresh = new MaskedLines(format, after ?? "", mayShow);
  const out = [before === null ? "--- (no file)" : `--- ${file}`, after === null ? "+++ (no file)" : `+++ ${file}`];
  const changes = lineChanges(old.lines, fresh.lines);
  for (const [index, change] of changes.entries()) {
    const previous = changes[index - 1];
    const next = changes[index + 1];
    const from = Math.max(change.oldStart - CONTEXT_LINES, previous?.oldEnd ?? 0);
    const to = Math.min(change.oldEnd + CONTEXT_LINES, next === undefined ? old.lines.length : next.oldStart);
    if (previous === undefined || from > endOfContext(previous)) out.push(`@@ line ${from + 1} @@`);
    for (let i = Math.max(from, previous === undefined ? 0 : endOfContext(previous)); i < change.oldStart; i++) {
      out.push(` ${old.masked(i)}`);
    }
    for (let i = change.oldStart; i < change.oldEnd; i++) out.push(`-${old.masked(i)}`);
    for (let i = change.newStart; i < change.newEnd; i++) out.push(`+${fresh.masked(i)}`);
    for (let i = change.oldEnd; i < to; i++) out.push(` ${old.masked(i)}`);
  }
  return `${out.join("\n")}\n`;
}

function endOfContext(change: LineChange): number {
  return change.oldEnd + CONTEXT_LINES;
}

/** The lines of a text, each of which can be had without its values. */
class MaskedLines {
  readonly lines: string[];
  readonly #starts: number[] = [];
  readonly #skeleton: Skeleton;
  readonly #mayShow: (value: string) => boolean;

  constructor(format: ConfigFormatId, text: string, mayShow: (value: string) => boolean) {
    const document: ConfigDocument = formatOf(format).parse(text);
    this.#skeleton = new Skeleton(document);
    this.#mayShow = mayShow;
    this.lines = text === "" ? [] : text.split("\n");
    if (this.lines.at(-1) === "") this.lines.pop();
    let at = 0;
    for (const line of this.lines) {
      this.#starts.push(at);
      at += line.length + 1;
    }
  }

  masked(index: number): string {
    const start = this.#starts[index] ?? 0;
    const line = this.lines[index] ?? "";
    let shown = "";
    for (const part of this.#skeleton.parts(start, start + line.length)) {
      if (part.kind === "frame") shown += part.text;
      else if (part.kind === "unknown") shown += "…";
      else {
        const { kind, value } = part.node;
        const isShown = kind === "boolean" || kind === "null" || (kind === "string" && this.#mayShow(String(value)));
        shown += isShown ? part.text : kind === "string" ? '"***"' : "***";
      }
    }
    return shown.replace(/\r$/, "");
  }
}
