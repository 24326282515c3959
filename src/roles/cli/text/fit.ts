import { textWidth } from "../../../kit/terminal.ts";

/** Text in columns. Takes only text that is safe to show (see visible.ts). */

/** The text, or as much of it as fits with an ellipsis behind it. Never splits what is drawn as one character. */
export function cut(text: string, columns: number): string {
  if (text.length <= columns && isPlain(text)) return text;
  // No character that takes a column is longer than this; the rest cannot be reached.
  const reachable = text.slice(0, columns * 32);
  if (reachable.length === text.length && textWidth(text) <= columns) return text;
  let kept = "";
  let width = 0;
  for (const { segment } of new Intl.Segmenter().segment(reachable)) {
    const more = textWidth(segment);
    if (width + more > columns - 1) break;
    kept += segment;
    width += more;
  }
  return `${kept}…`;
}

/** The text and spaces up to a width. */
export function padEnd(text: string, columns: number): string {
  return text + " ".repeat(Math.max(0, columns - textWidth(text)));
}

/** Rows as aligned columns, two spaces apart; the last column is left as it is. */
export function table(rows: readonly (readonly string[])[]): string[] {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [index, cell] of row.entries()) widths[index] = Math.max(widths[index] ?? 0, textWidth(cell));
  }
  return rows.map((row) =>
    row
      .map((cell, index) => (index === row.length - 1 ? cell : padEnd(cell, widths[index] ?? 0)))
      .join("  ")
      .trimEnd(),
  );
}

function isPlain(text: string): boolean {
  return /^[ -~]*$/.test(text);
}
