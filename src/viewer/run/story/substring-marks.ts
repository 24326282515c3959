import type { TextMark } from "../../ui/word-marks.ts";

/** Where words stand in a text, anywhere in it, as the filter inside a run looks for them. Pure. */

const MOST_MARKS = 50;

export function substringMarks(text: string, words: readonly string[]): TextMark[] {
  if (words.length === 0) return [];
  const lower = text.toLowerCase();
  // Where lower case has another length the places would not be those of the text.
  if (lower.length !== text.length) return [];
  const marks: TextMark[] = [];
  for (const word of words) {
    for (
      let at = lower.indexOf(word);
      at >= 0 && marks.length < MOST_MARKS;
      at = lower.indexOf(word, at + word.length)
    ) {
      marks.push({ start: at, end: at + word.length });
    }
  }
  return marks.sort((a, b) => a.start - b.start || b.end - a.end);
}
