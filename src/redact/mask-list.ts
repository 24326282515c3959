/**
 * What a scan decided to mask, in text order. Owns the marker's spelling and the splice. Must never let two masks
 * overlap, nor return a new string when there is none.
 */

import { BACKSLASH, QUOTE } from "./escapes.ts";

/** The text that stands for a secret. `kind` is lower-case letters, digits and dashes, 32 at most. */
export function marker(kind: string): string {
  return `[REDACTED:${kind}]`;
}

/** Source of a pattern for a marker. */
export const MARKER = "\\[REDACTED:[a-z0-9-]{1,32}\\]";

const OPENING = "[REDACTED:";
const LONGEST = 44;
const STARTS_WITH_MARKER = new RegExp(`^${MARKER}`);
const ONLY_MARKERS = new RegExp(`^(?:${MARKER})+$`);

/** `text` with `by` in place of each marker. */
export function replaceMarkers(text: string, by: string): string {
  return text.includes(OPENING) ? text.replace(new RegExp(MARKER, "g"), by) : text;
}

/** The end of the marker that `index` is inside of, `index` itself when it is in none. */
function afterMarkerAround(text: string, index: number): number {
  const from = Math.max(0, index - LONGEST);
  const at = text.slice(from, index).lastIndexOf(OPENING);
  if (at < 0) return index;
  const length = STARTS_WITH_MARKER.exec(text.slice(from + at, from + at + LONGEST))?.[0].length ?? 0;
  return Math.max(index, from + at + length);
}

export class MaskList {
  readonly starts: number[] = [];
  readonly ends: number[] = [];
  readonly replacements: string[] = [];
  /**
   * Some mask is not a whole string of the outermost level, so that what is around it may read differently without what
   * it covers.
   */
  isLoose = false;

  get size(): number {
    return this.starts.length;
  }

  /** End of the last mask, 0 without one. */
  lastEnd = 0;

  /** Masks `[start, end)` of `text` as `kind`; a marker in it stays whole, or goes as a whole. */
  addText(text: string, start: number, end: number, kind: string): void {
    const from = afterMarkerAround(text, start);
    const to = afterMarkerAround(text, end);
    if (to - from <= 4 * LONGEST && ONLY_MARKERS.test(text.slice(from, to))) return;
    const isWhole = text.charCodeAt(start - 1) === QUOTE && text.charCodeAt(end) === QUOTE;
    if (!isWhole || text.charCodeAt(start - 2) === BACKSLASH) this.isLoose = true;
    this.add(from, to, marker(kind));
  }

  /** Masks `[start, end)`; the part that an earlier mask covers is left out. */
  add(start: number, end: number, replacement: string): void {
    const from = Math.max(start, this.lastEnd);
    if (from >= end) return;
    this.starts.push(from);
    this.ends.push(end);
    this.lastEnd = end;
    this.replacements.push(replacement);
  }

  /** `text[start, end)` as it will read, for a range that masks do not cut in two. */
  reading(text: string, start: number, end: number): string {
    let out = "";
    let to = end;
    for (let i = this.size - 1; i >= 0 && (this.ends[i] ?? 0) > start; i--) {
      if ((this.starts[i] ?? 0) >= to) continue;
      out = (this.replacements[i] ?? "") + text.slice(this.ends[i], to) + out;
      to = this.starts[i] ?? to;
    }
    return text.slice(start, Math.max(start, to)) + out;
  }

  clear(): void {
    this.starts.length = 0;
    this.ends.length = 0;
    this.replacements.length = 0;
    this.lastEnd = 0;
    this.isLoose = false;
  }

  /** `text` with every mask in place of what it covers; `text` itself when there is none. */
  apply(text: string): string {
    let out = "";
    let from = 0;
    for (let i = 0; i < this.starts.length; i++) {
      out += text.slice(from, this.starts[i]) + this.replacements[i];
      from = this.ends[i] ?? from;
    }
    return from === 0 ? text : out + text.slice(from);
  }
}
