/**
 * Texts whose encoder escapes what need not be (`\/` of PHP, `\u0026` of Go, `\u0022` of .NET): the text is read with those
 * escapes undone, and what is masked in the reading is masked in the original. Owns the mapping between the two. Changes
 * nothing else: line breaks, backslashes of paths and characters beyond ASCII stay as they are.
 */

import { backslashesBefore } from "./escapes.ts";
import type { MaskList } from "./mask-list.ts";

const NEEDLESS = /\\(?:\/|u00([2-7][0-9a-fA-F]))/g;

/** A reading of `original` and where its pieces came from. */
export interface Reading {
  text: string;
  /** Starts of the pieces in `text`, ascending; a piece is a stretch copied as it is, or what one escape stands for. */
  starts: number[];
  /** The same starts in the original. */
  origins: number[];
}

/** `original` without needless escapes, at any level of nesting in strings. */
export function readUnescaped(original: string): Reading {
  const reading: Reading = { text: "", starts: [0], origins: [0] };
  let copied = 0;
  NEEDLESS.lastIndex = 0;
  for (let match = NEEDLESS.exec(original); match !== null; match = NEEDLESS.exec(original)) {
    // An escape of level j is written with 2^j backslashes.
    const backslashes = backslashesBefore(original, match.index + 1, copied);
    const own = backslashes & -backslashes;
    const start = match.index + 1 - own;
    reading.text += original.slice(copied, start);
    push(reading, start);
    reading.text += meaning(match[1] === undefined ? "/" : String.fromCharCode(Number.parseInt(match[1], 16)), own);
    copied = match.index + match[0].length;
    push(reading, copied);
  }
  reading.text += original.slice(copied);
  return reading;
}

/** Where index `at` of the reading is in the original; both ends of an escape map to its ends. */
export function originOf(reading: Reading, at: number): number {
  let low = 0;
  let high = reading.starts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((reading.starts[middle] ?? 0) <= at) low = middle;
    else high = middle - 1;
  }
  return (reading.origins[low] ?? 0) + at - (reading.starts[low] ?? 0);
}

/** Moves masks found in the reading to the original. */
export function moveToOrigin(masks: MaskList, reading: Reading): void {
  for (let i = 0; i < masks.size; i++) {
    masks.starts[i] = originOf(reading, masks.starts[i] ?? 0);
    masks.ends[i] = originOf(reading, masks.ends[i] ?? 0);
  }
}

/** A quote and a backslash stay escaped, one level deeper than the backslashes of the escape. */
function meaning(character: string, own: number): string {
  if (character === '"') return `${"\\".repeat(2 * own - 1)}"`;
  return character === "\\" ? "\\".repeat(2 * own) : character;
}

function push(reading: Reading, origin: number): void {
  reading.starts.push(reading.text.length);
  reading.origins.push(origin);
}
