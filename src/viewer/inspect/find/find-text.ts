/** Finds words in recorded text without regard to case. Linear in the text. Pure. */

export interface Mark {
  start: number;
  end: number;
}

/** What is looked for, ready to be compared; null for nothing. */
export function needleOf(query: string): string | null {
  return query === "" ? null : foldCase(query);
}

/** Lower case, of the same length as the text: offsets into the one are offsets into the other. */
export function foldCase(text: string): string {
  const lower = text.toLowerCase();
  if (lower.length === text.length) return lower;
  let folded = "";
  for (const char of text) {
    const small = char.toLowerCase();
    folded += small.length === char.length ? small : char;
  }
  return folded;
}

/** Every place where the needle is, at most `limit`. */
export function marksIn(text: string, needle: string | null, limit = 1000): Mark[] {
  const marks: Mark[] = [];
  if (needle === null) return marks;
  const folded = foldCase(text);
  for (
    let at = folded.indexOf(needle);
    at >= 0 && marks.length < limit;
    at = folded.indexOf(needle, at + needle.length)
  ) {
    marks.push({ start: at, end: at + needle.length });
  }
  return marks;
}
