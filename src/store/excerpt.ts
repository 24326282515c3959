import { parsePayload } from "../core/exact-json.ts";
import type { SearchField } from "../core/service-wire.ts";
import { type CallWords, callTexts, type FieldText, plainText } from "./index/call-texts.ts";
import { placedWords, placesOf } from "./index/words.ts";
import { collapse, type Excerpt, type Leaf, leavesOf, type Mark } from "./search-text.ts";

/** Where in a document the sought words stand, by the very cut of words that the index is made with. Pure. */

/** The place that a hit shows. */
export interface Found {
  field: SearchField;
  /** The value in it that the excerpt is of: `result.content[0].text`. */
  path: string;
  excerpt: Excerpt;
}

type Sought = readonly (readonly string[])[];

const CONTEXT_BEFORE = 40;
const EXCERPT_LENGTH = 160;

/** The place in a call; null where not all of the words are in it. Without words: what the call was about. */
export function foundInCall(call: CallWords, sought: Sought): Found | null {
  const texts = callTexts(call);
  if (sought.length === 0) {
    const shown = texts.find(({ field }) => field === "error") ?? texts[0];
    return shown === undefined ? null : whole(shown, sought);
  }
  const best = mostOf(texts, sought);
  if (best === null) return null;
  return bestLeaf(leavesOrNone(call, best.field), sought, best.field) ?? whole(best, sought);
}

/** The place in a note, a prompt or an answer; null where not all of the words are in it. */
export function foundInText(field: SearchField, text: string, sought: Sought): Found | null {
  const searched = { field, text: plainText(text) };
  return mostOf([searched], sought) === null ? null : whole(searched, sought);
}

/** The field with most of the words, when all of them together have all. */
function mostOf(texts: readonly FieldText[], sought: Sought): FieldText | null {
  const open = new Set(sought);
  let best: FieldText | null = null;
  let most = -1;
  for (const candidate of texts) {
    const placed = placedWords(candidate.text);
    const held = sought.filter((words) => placesOf(words, placed).length > 0);
    for (const words of held) open.delete(words);
    if (held.length > most) [best, most] = [candidate, held.length];
  }
  return open.size === 0 ? best : null;
}

/** The values of a field; none where they are nested too deeply to be gone through. */
function leavesOrNone(call: CallWords, field: SearchField): Leaf[] {
  try {
    return leavesIn(call, field);
  } catch (cause) {
    if (cause instanceof RangeError) return [];
    throw cause;
  }
}

function leavesIn(call: CallWords, field: SearchField): Leaf[] {
  switch (field) {
    case "arguments":
      return leavesOf(parsePayload(call.args), field);
    case "result":
      return leavesOf(parsePayload(call.result), field);
    case "error":
      return call.rpcError === null
        ? [{ path: field, text: collapse(call.error ?? "") }]
        : leavesOf(parsePayload(call.rpcError), field);
    default:
      return [
        { path: "tool", text: call.tool },
        { path: "server", text: call.server ?? "" },
        { path: "qualifiedName", text: call.qualifiedName },
      ];
  }
}

/** The value that holds most of the words, one in itself before one in its path; null where none holds any. */
function bestLeaf(leaves: readonly Leaf[], sought: Sought, field: SearchField): Found | null {
  let best: { leaf: Leaf; marks: Mark[] } | null = null;
  let most = 0;
  for (const { path, text: long } of leaves) {
    const leaf = { path, text: plainText(long) };
    const [inText, inPath] = [placedWords(leaf.text), placedWords(path)];
    const marks = sought.map((words) => placesOf(words, inText));
    const held =
      marks.filter(({ length }) => length > 0).length * 2 +
      sought.filter((words) => placesOf(words, inPath).length > 0).length;
    if (held > most) [best, most] = [{ leaf, marks: marks.flat() }, held];
  }
  return best === null ? null : { field, path: best.leaf.path, excerpt: excerptAround(best.leaf.text, best.marks) };
}

function whole({ field, text }: FieldText, sought: Sought): Found {
  const shown = collapse(text).trim();
  const placed = placedWords(shown);
  const marks = sought.flatMap((words) => placesOf(words, placed));
  return { field, path: field, excerpt: excerptAround(shown, marks) };
}

/** The part of a text around the first mark, with all the marks in it. */
function excerptAround(text: string, marks: readonly Mark[]): Excerpt {
  const first = marks.reduce((least, { start }) => Math.min(least, start), text.length);
  let from = first <= CONTEXT_BEFORE || marks.length === 0 ? 0 : first - CONTEXT_BEFORE;
  // With a whole word if one begins soon, and never in the middle of a character.
  const space = from === 0 ? -1 : text.indexOf(" ", from);
  if (space >= 0 && space < from + CONTEXT_BEFORE / 2) from = space + 1;
  else if (isSecondHalf(text, from)) from++;
  let to = Math.min(text.length, from + EXCERPT_LENGTH);
  if (isSecondHalf(text, to)) to--;
  const before = from > 0 ? "…" : "";
  const shown = `${before}${text.slice(from, to)}${to < text.length ? "…" : ""}`.toWellFormed();
  const inside = marks
    .filter(({ start, end }) => start >= from && start < to && end > start)
    .map(({ start, end }) => ({ start: start - from + before.length, end: Math.min(end, to) - from + before.length }));
  return { text: shown, marks: merged(inside) };
}

function isSecondHalf(text: string, at: number): boolean {
  return at > 0 && at < text.length && (text.charCodeAt(at) & 0xfc00) === 0xdc00;
}

function merged(marks: Mark[]): Mark[] {
  marks.sort((a, b) => a.start - b.start || b.end - a.end);
  const result: Mark[] = [];
  for (const mark of marks) {
    const last = result.at(-1);
    if (last !== undefined && mark.start <= last.end) last.end = Math.max(last.end, mark.end);
    else result.push({ ...mark });
  }
  return result;
}
