import { commonOrder } from "./common-order.ts";

/** In what two texts differ, line by line. Pure; the work is bounded for texts of any length. */

export interface DiffLine {
  sign: " " | "-" | "+";
  text: string;
}

/** What stands in place of lines that both texts have. */
export interface SkippedLines {
  skipped: number;
}

/** Lines of both texts in one list; what was taken away stands before what came in its place. */
export function lineChanges(left: string, right: string): DiffLine[] {
  const [a, b] = [linesOf(left), linesOf(right)];
  const numbers = new Map<string, number>();
  const numberOf = (line: string) => {
    const number = numbers.get(line) ?? numbers.size;
    numbers.set(line, number);
    return number;
  };
  const lines: DiffLine[] = [];
  let [l, r] = [0, 0];
  const take = (nextL: number, nextR: number) => {
    for (const text of a.slice(l, nextL)) lines.push({ sign: "-", text });
    for (const text of b.slice(r, nextR)) lines.push({ sign: "+", text });
    [l, r] = [nextL + 1, nextR + 1];
  };
  for (const [nextL, nextR] of commonOrder(a.map(numberOf), b.map(numberOf))) {
    take(nextL, nextR);
    lines.push({ sign: " ", text: a[nextL] ?? "" });
  }
  take(a.length, b.length);
  return lines;
}

/** The same with `around` lines left before and behind each difference. */
export function withoutSame(lines: readonly DiffLine[], around = 3): (DiffLine | SkippedLines)[] {
  const isNear = new Uint8Array(lines.length);
  for (const [index, { sign }] of lines.entries()) {
    if (sign !== " ") isNear.fill(1, Math.max(0, index - around), index + around + 1);
  }
  const parts: (DiffLine | SkippedLines)[] = [];
  for (let index = 0; index < lines.length; ) {
    let end = index;
    while (end < lines.length && isNear[end] === 0) end++;
    // A single line takes no more room than the sentence about it.
    if (end - index > 1) parts.push({ skipped: end - index });
    else parts.push(...lines.slice(index, end));
    for (index = end; index < lines.length && isNear[index] === 1; index++)
      parts.push(...lines.slice(index, index + 1));
  }
  return parts;
}

/** Where two lines differ: how many UTF-16 units both begin with, and how many both end with. */
export function innerChange(left: string, right: string): { before: number; behind: number } {
  const most = Math.min(left.length, right.length);
  let before = 0;
  while (before < most && left[before] === right[before]) before++;
  let behind = 0;
  while (behind < most - before && left[left.length - 1 - behind] === right[right.length - 1 - behind]) behind++;
  // Never between the halves of a character.
  if (before > 0 && isHigh(left, before - 1)) before--;
  if (behind > 0 && isLow(left, left.length - behind)) behind--;
  return { before, behind };
}

function isHigh(text: string, index: number): boolean {
  return (text.charCodeAt(index) & 0xfc00) === 0xd800;
}

function isLow(text: string, index: number): boolean {
  return (text.charCodeAt(index) & 0xfc00) === 0xdc00;
}

/** A line feed at the end begins no line. */
function linesOf(text: string): string[] {
  if (text === "") return [];
  const lines = text.split(/\r\n|\n/);
  if (lines.length > 1 && lines.at(-1) === "") lines.pop();
  return lines;
}
