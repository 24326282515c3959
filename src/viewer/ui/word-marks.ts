/**
 * Where the words somebody looks for stand in a text: at the beginnings of words, without regard to case or accents, as
 * the service finds them. Pure.
 */

/** UTF-16 offsets, end excluded. */
export interface TextMark {
  start: number;
  end: number;
}

const MOST_MARKS = 200;

/** The marks of all words, in order and not overlapping. */
export function wordMarks(text: string, words: readonly string[]): TextMark[] {
  if (words.length === 0 || text === "") return [];
  const { folded, offsets } = foldedWithOffsets(text);
  const marks: TextMark[] = [];
  for (const word of words.map((one) => foldedWithOffsets(one).folded.trim())) {
    if (word === "") continue;
    for (let at = folded.indexOf(word); at >= 0 && marks.length < MOST_MARKS; at = folded.indexOf(word, at + 1)) {
      if (!isWordStart(folded, at)) continue;
      marks.push({ start: offsets[at] ?? 0, end: offsets[at + word.length] ?? text.length });
    }
  }
  return merged(marks);
}

/** Marks in order, those that touch joined. */
function merged(marks: TextMark[]): TextMark[] {
  const result: TextMark[] = [];
  for (const mark of marks.toSorted((a, b) => a.start - b.start)) {
    const last = result.at(-1);
    if (last !== undefined && mark.start <= last.end) last.end = Math.max(last.end, mark.end);
    else result.push({ ...mark });
  }
  return result;
}

function isWordStart(folded: string, at: number): boolean {
  const before = folded[at - 1];
  return before === undefined || !/[\p{L}\p{N}]/u.test(before) || !/[\p{L}\p{N}]/u.test(folded[at] ?? "");
}

/** The text in lower case, without accents, white space made single, and for each of its units where it was. */
function foldedWithOffsets(text: string): { folded: string; offsets: number[] } {
  let folded = "";
  const offsets: number[] = [];
  let at = 0;
  for (const char of text) {
    let plain = char.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
    if (/^\s$/.test(plain)) plain = folded.endsWith(" ") ? "" : " ";
    for (let index = 0; index < plain.length; index++) offsets.push(at);
    folded += plain;
    at += char.length;
  }
  offsets.push(at);
  return { folded, offsets };
}
