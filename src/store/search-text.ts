import { isExactNumber } from "../core/exact-json.ts";

/**
 * How recorded text is searched: without regard to case or to how much white space there is, over the strings, keys and
 * numbers of a payload as a person would read them (an escape in the JSON text is not in the way). Pure.
 */

/** Where a word stands in a text: UTF-16 offsets, end excluded. */
export interface Mark {
  start: number;
  end: number;
}

export interface Excerpt {
  text: string;
  /** In order, not overlapping. */
  marks: Mark[];
}

const CONTEXT_BEFORE = 40;
const EXCERPT_LENGTH = 160;

/** A word as it is looked for; empty when there is nothing to look for. */
export function foldWord(word: string): string {
  return foldCase(collapse(word).trim());
}

/** A pattern for SQL's LIKE (escape `\`) that every JSON text with this folded word in it matches, and some others. */
export function likePattern(word: string): string {
  // Whatever an encoder may write as an escape, letters whose case LIKE does not know, and what `readableText` puts
  // between the parts of a payload stand for anything.
  const pattern = word.replace(/[^a-z0-9.,-]+/g, "%");
  return `%${pattern}%`.replace(/%+/g, "%");
}

/** The readable text of a payload: keys, strings and numbers, in order. */
export function readableText(value: unknown): string {
  const parts: string[] = [];
  collect(value, parts);
  return collapse(parts.join(" "));
}

/** One value of a payload, and where in it: `result.content[0].text`. */
export interface Leaf {
  path: string;
  text: string;
}

/** The strings, numbers and literals of a payload, in order; `path` is what the payload itself is called. */
export function leavesOf(value: unknown, path: string): Leaf[] {
  if (isExactNumber(value)) return [{ path, text: value.rawJSON }];
  if (Array.isArray(value)) return value.flatMap((item, index) => leavesOf(item, `${path}[${index}]`));
  if (typeof value !== "object" || value === null) return [{ path, text: collapse(String(value)) }];
  return Object.entries(value).flatMap(([key, item]) =>
    leavesOf(item, /^[\p{L}_$][\p{L}\p{N}_$-]*$/u.test(key) ? `${path}.${key}` : `${path}[${JSON.stringify(key)}]`),
  );
}

/** The leaf that holds most of the words, one in its value before one in its path; null where none holds any. */
export function bestLeaf(leaves: readonly Leaf[], words: readonly string[]): Leaf | null {
  let best: Leaf | null = null;
  let most = 0;
  for (const leaf of leaves) {
    const inText = words.filter((word) => holds(leaf.text, word)).length;
    const held = inText * 2 + words.filter((word) => holds(`${leaf.path}:`, word)).length;
    if (held > most) [best, most] = [leaf, held];
  }
  return best;
}

/** True when the text holds the folded word. */
export function holds(text: string, word: string): boolean {
  return foldCase(text).includes(word);
}

/** The part of a text around the first of the folded words in it, with every one of them marked. */
export function excerptOf(wholeText: string, words: readonly string[]): Excerpt {
  const folded = foldCase(wholeText);
  const first = Math.min(...words.map((word) => folded.indexOf(word)).filter((at) => at >= 0), folded.length);
  const from = first <= CONTEXT_BEFORE ? 0 : first - CONTEXT_BEFORE;
  const to = Math.min(wholeText.length, from + EXCERPT_LENGTH);
  const text = `${from > 0 ? "…" : ""}${wholeText.slice(from, to)}${to < wholeText.length ? "…" : ""}`.toWellFormed();
  return { text, marks: marksIn(foldCase(text), words) };
}

/** Replaces every run of white space by one space. */
export function collapse(text: string): string {
  return text.replace(/\s+/g, " ");
}

function marksIn(folded: string, words: readonly string[]): Mark[] {
  const all: Mark[] = [];
  for (const word of words) {
    for (let at = folded.indexOf(word); at >= 0; at = folded.indexOf(word, at + word.length)) {
      all.push({ start: at, end: at + word.length });
    }
  }
  all.sort((a, b) => a.start - b.start || b.end - a.end);
  const merged: Mark[] = [];
  for (const mark of all) {
    const last = merged.at(-1);
    if (last !== undefined && mark.start <= last.end) last.end = Math.max(last.end, mark.end);
    else merged.push(mark);
  }
  return merged;
}

/** Lower case of the same length, so that offsets in the one are offsets in the other. */
function foldCase(text: string): string {
  const lower = text.toLowerCase();
  if (lower.length === text.length) return lower;
  return Array.from(text, (char) => (char.toLowerCase().length === char.length ? char.toLowerCase() : char)).join("");
}

function collect(value: unknown, parts: string[]): void {
  if (typeof value === "string") parts.push(value);
  else if (isExactNumber(value)) parts.push(value.rawJSON);
  else if (Array.isArray(value)) for (const item of value) collect(item, parts);
  else if (typeof value === "object" && value !== null) {
    for (const [key, item] of Object.entries(value)) {
      parts.push(`${key}:`);
      collect(item, parts);
    }
  } else parts.push(String(value));
}
