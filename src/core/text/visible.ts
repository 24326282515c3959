/**
 * Recorded text made safe to show: what a terminal would obey instead of print (escape sequences, control characters),
 * and what makes text look like other text (overrides of direction, invisible characters), is shown as an escape. Joiners
 * that emoji and scripts need stay. Everything recorded that a person gets to see as text passes through here.
 */

const UNSAFE =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}\p{Cs}]/gu;

const NAMED: Record<string, string> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

/** One line of text: line breaks and tabs are shown as escapes too. */
export function visible(text: string): string {
  return text.replace(UNSAFE, escapeOf);
}

/** The lines of a text, each safe to show; tabs become spaces. */
export function visibleLines(text: string): string[] {
  return text.split(/\r\n|\n/).map((line) => visible(line.replaceAll("\t", "    ")));
}

/** JSON text with the same characters as `\uXXXX`: the value it stands for does not change. */
export function visibleJson(json: string): string {
  return json.replace(UNSAFE, (char) => (char === "\n" ? char : jsonEscape(char)));
}

function escapeOf(char: string): string {
  const code = char.codePointAt(0) ?? 0;
  const hex = code.toString(16);
  return NAMED[char] ?? (code < 0x100 ? `\\x${hex.padStart(2, "0")}` : `\\u{${hex}}`);
}

function jsonEscape(char: string): string {
  return Array.from(
    { length: char.length },
    (_, index) => `\\u${char.charCodeAt(index).toString(16).padStart(4, "0")}`,
  ).join("");
}
