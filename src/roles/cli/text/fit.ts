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

/** A column that is cut keeps so much. */
const LEAST_COLUMNS = 8;

/**
 * Rows as aligned columns, two spaces apart; the last column is left as it is. Those of `shrinking` (positions) are cut,
 * the widest first, while a row would be wider than `columns`; it may still be.
 */
export function table(
  rows: readonly (readonly string[])[],
  columns = Number.POSITIVE_INFINITY,
  shrinking: readonly number[] = [],
): string[] {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [index, cell] of row.entries()) widths[index] = Math.max(widths[index] ?? 0, textWidth(cell));
  }
  const widthOf = (index: number) => widths[index] ?? 0;
  let excess = widths.reduce((sum, width) => sum + width, 2 * (widths.length - 1)) - columns;
  for (; excess > 0; excess--) {
    const widest = Math.max(...shrinking.map(widthOf));
    const index = shrinking.find((one) => widthOf(one) === widest);
    if (index === undefined || widest <= LEAST_COLUMNS) break;
    widths[index] = widest - 1;
  }
  return rows.map((row) =>
    row
      .map((cell, index) => (index === row.length - 1 ? cell : padEnd(cut(cell, widthOf(index)), widthOf(index))))
      .join("  ")
      .trimEnd(),
  );
}

function isPlain(text: string): boolean {
  return /^[ -~]*$/.test(text);
}
