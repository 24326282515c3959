import { isPatch } from "../diff/patch-text.ts";
import { parseContainer } from "../json/value.ts";
import { isTerminalText } from "../terminal/ansi.ts";

/** In which forms a text can be shown, the one that fits best first; as it is, always. Pure. */

export type TextForm = "markdown" | "terminal" | "diff" | "json" | "file" | "plain";

/** `hint`: what the text is by where it stands. */
export function formsOf(text: string, hint?: "markdown" | "terminal" | "file"): TextForm[] {
  const forms: TextForm[] = [];
  if (hint === "file") forms.push("file");
  if (hint === "terminal" || isTerminalText(text)) forms.push("terminal");
  if (isPatch(text)) forms.push("diff");
  if (text.length <= LONGEST_PARSED && parseContainer(text) !== undefined) forms.unshift("json");
  const isProse = hint === "markdown" || (forms.length === 0 && looksLikeMarkdown(text));
  if (isProse && forms.length === 0) forms.push("markdown");
  if (hint === undefined && forms.length === 0 && numberedLines(text) !== null) forms.push("file");
  return [...forms, "plain"];
}

const LONGEST_PARSED = 2_000_000;
/** The beginning tells what the rest is. */
const LOOKED_AT = 10_000;

const SIGNS = [
  /^#{1,6} \S/m,
  /^```/m,
  /^[ \t]{0,8}[-*] \S[^\n]*\n(?:\n)?[ \t]{0,8}[-*] \S/m,
  /^\d{1,3}\. \S[^\n]*\n(?:\n)?\d{1,3}\. \S/m,
  /\*\*[^\s*][^*\n]{0,200}\*\*/,
  /\[[^\]\n]{1,200}\]\([^)\s]{1,500}\)/,
  /^\|[^\n]*\|[ \t]*\n\|[-: |]{3,200}\|/m,
  /`[^`\n]{1,200}`/,
];

export function looksLikeMarkdown(text: string): boolean {
  const start = text.slice(0, LOOKED_AT);
  return SIGNS.filter((sign) => sign.test(start)).length >= 2;
}

/** A file as tools print it with line numbers (`   12→text`, `12\ttext`): its lines, and the number of the first. */
export function numberedLines(text: string): { first: number; text: string } | null {
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  let expected: number | null = null;
  const bare: string[] = [];
  for (const line of lines) {
    const found = /^ {0,8}(\d{1,7})[→\t]/.exec(line);
    const number = Number(found?.[1] ?? Number.NaN);
    if (found === null || (expected !== null && number !== expected)) return null;
    expected = number + 1;
    bare.push(line.slice(found[0].length));
  }
  return expected === null || bare.length < 2 ? null : { first: expected - bare.length, text: bare.join("\n") };
}
