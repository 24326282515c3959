import type { TextEdit } from "./config-text.ts";

/** Carries out edits of a text. Never guesses: edits that overlap or lie outside were made wrongly. */

/** The text with all edits of one list done; insertions at one place come in the order of the list. */
export function applyEdits(text: string, edits: readonly TextEdit[]): string {
  const ordered = [...edits].sort((a, b) => a.offset - b.offset || Math.min(a.length, 1) - Math.min(b.length, 1));
  let result = "";
  let done = 0;
  for (const edit of ordered) {
    if (edit.offset < done || edit.length < 0 || edit.offset + edit.length > text.length) {
      throw new Error("edits of a text overlap or lie outside of it");
    }
    result += text.slice(done, edit.offset) + edit.text;
    done = edit.offset + edit.length;
  }
  return result + text.slice(done);
}
