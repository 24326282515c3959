/**
 * What a word is to the search: a run of letters and digits, without regard to case and accents; in scripts that are written
 * without spaces, every pair of neighbouring characters. Texts and queries are cut alike, so that one finds the other. Pure.
 */

/** A word in a text: folded, and where it stands (UTF-16 offsets, end excluded). */
export interface PlacedWord {
  word: string;
  start: number;
  end: number;
}

/** Of a longer one only the beginning is told apart. UTF-16 units. */
const MAX_WORD_LENGTH = 40;

const LONG_WORD = /[A-Za-z0-9]{41}/;
const ASCII_WORD = /[a-z0-9]+/g;
const ANY_WORD = /[\p{L}\p{N}\p{M}]+/gu;
const NOT_ASCII = /[^\p{ASCII}]/u;
const NOT_PART_OF_A_WORD = /[^\p{L}\p{N}\p{M}]+/gu;
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}ー]+/gu;

/** The words of a text in order, folded. */
export function wordsOf(text: string): string[] {
  if (!NOT_ASCII.test(text)) {
    const words = text.toLowerCase().match(ASCII_WORD) ?? [];
    return LONG_WORD.test(text) ? words.map(cut) : words;
  }
  return Array.from(text.matchAll(ANY_WORD), ([found]) => found).flatMap((found) =>
    NOT_ASCII.test(found) ? Array.from(partsOf(fold(found)), ({ word }) => word) : [cut(found.toLowerCase())],
  );
}

/** The words of a text in order, and where each stands. */
export function placedWords(text: string): PlacedWord[] {
  const words: PlacedWord[] = [];
  for (const { 0: found, index } of text.matchAll(ANY_WORD)) {
    const folded = fold(found);
    // Where folding changes lengths, the whole stands for each of its parts.
    const isSameLength = folded.length === found.length;
    for (const { word, start, end } of partsOf(folded)) {
      const place = isSameLength
        ? { start: index + start, end: index + end }
        : { start: index, end: index + found.length };
      words.push({ word, ...place });
    }
  }
  return words;
}

/** A word or phrase of a query as the words that have to stand one behind the other; the last one may go on. */
export function soughtWords(text: string): string[] {
  const words = wordsOf(text);
  const [last] = text.match(ANY_WORD)?.slice(-1) ?? [];
  // What follows its last character is not known: that character alone is no word to look for.
  if (last !== undefined && words.length > 1 && endsUnspaced(fold(last))) words.pop();
  return words;
}

/** Where the sought words stand in a text: of a last word only the part that was sought. */
export function placesOf(sought: readonly string[], text: readonly PlacedWord[]): { start: number; end: number }[] {
  const places: { start: number; end: number }[] = [];
  const last = sought.length - 1;
  if (last < 0) return places;
  for (let at = 0; at + last < text.length; at++) {
    if (!sought.every((word, index) => isAt(text[at + index], word, index === last))) continue;
    const first = text[at];
    const end = text[at + last];
    if (first === undefined || end === undefined) continue;
    const sought_ = sought[last] ?? "";
    const isWhole = end.end - end.start !== end.word.length;
    places.push({ start: first.start, end: isWhole ? end.end : end.start + sought_.length });
  }
  return places;
}

function isAt(placed: PlacedWord | undefined, word: string, isLast: boolean): boolean {
  return placed !== undefined && (isLast ? placed.word.startsWith(word) : placed.word === word);
}

/** Lower case, without accents, as compatible characters; nothing in it but what makes up words. */
function fold(text: string): string {
  if (!NOT_ASCII.test(text)) return text.toLowerCase();
  return text
    .normalize("NFKD")
    .replace(/[\u0300-\u036f]/g, "")
    .normalize("NFC")
    .toLowerCase()
    .replace(/[\u0300-\u036f]/g, "")
    .replace(NOT_PART_OF_A_WORD, "");
}

/** The words in a folded run of letters and digits. */
function* partsOf(folded: string): Generator<PlacedWord> {
  let from = 0;
  for (const { 0: run, index } of folded.matchAll(UNSPACED)) {
    if (index > from) yield { word: cut(folded.slice(from, index)), start: from, end: index };
    yield* pairsOf(run, index);
    from = index + run.length;
  }
  if (from < folded.length) yield { word: cut(folded.slice(from)), start: from, end: folded.length };
}

/** Each character with the one behind it, and the last one by itself. */
function* pairsOf(run: string, offset: number): Generator<PlacedWord> {
  let start = offset;
  let before = "";
  for (const char of run) {
    if (before !== "") {
      yield { word: before + char, start, end: start + before.length + char.length };
      start += before.length;
    }
    before = char;
  }
  yield { word: before, start, end: start + before.length };
}

function endsUnspaced(folded: string): boolean {
  const runs = [...folded.matchAll(UNSPACED)];
  const last = runs.at(-1);
  return last !== undefined && last.index + last[0].length === folded.length && [...last[0]].length > 1;
}

function cut(word: string): string {
  return word.length <= MAX_WORD_LENGTH ? word : word.slice(0, MAX_WORD_LENGTH).toWellFormed();
}
