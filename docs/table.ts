/** A table laid out as the formatter does it. */
export function table(heading: string[], rows: string[][]): string {
  const all = [heading, ...rows].map((row) => row.map((cell) => cell.replaceAll("|", "\\|")));
  const widths = heading.map((_, column) => Math.max(...all.map((row) => Bun.stringWidth(row[column] ?? ""))));
  const line = (cells: string[]) => `| ${cells.join(" | ")} |`;
  const [first = "", ...others] = all.map((row) =>
    line(row.map((cell, column) => cell + " ".repeat((widths[column] ?? 0) - Bun.stringWidth(cell)))),
  );
  return [first, line(widths.map((width) => "-".repeat(width))), ...others].join("\n");
}
