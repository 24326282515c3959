import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { ENV_VARIABLES, type EnvVariable } from "../src/kit/env.ts";

/**
 * Makes docs/environment.md from the table in the code: `bun docs/generate.ts`. A test fails while the page is not what
 * this would write.
 */

export const ENVIRONMENT_PAGE = join(import.meta.dirname, "environment.md");

/** The reference page of environment variables. */
export function environmentPage(variables: readonly EnvVariable[] = ENV_VARIABLES): string {
  const rows = variables.map(({ name, value, default: fallback, meaning }) => [
    `\`${name}\``,
    `\`${value}\``,
    fallback === null ? "" : `\`${fallback}\``,
    meaning,
  ]);
  return `<!-- Made by \`bun docs/generate.ts\` from src/kit/env.ts: change it there. -->

# Environment variables

What \`bir\` reads from its environment. None of them reaches a server that \`bir proxy\` starts. A switch that reads
\`1\` is off when it is unset, empty or \`0\`.

${table(["variable", "value", "default", "meaning"], rows)}

\`NO_COLOR\` (any value) and \`TERM=dumb\` keep colours out of what is printed. The runtime inside the executable obeys
\`BUN_OPTIONS\` and \`BUN_BE_BUN\` whatever \`bir\` does; \`bir doctor\` warns where one of them is set.
`;
}

/** A table laid out as the formatter does it. */
function table(heading: string[], rows: string[][]): string {
  const all = [heading, ...rows].map((row) => row.map((cell) => cell.replaceAll("|", "\\|")));
  const widths = heading.map((_, column) => Math.max(...all.map((row) => Bun.stringWidth(row[column] ?? ""))));
  const line = (cells: string[]) => `| ${cells.join(" | ")} |`;
  const [first = "", ...others] = all.map((row) =>
    line(row.map((cell, column) => cell + " ".repeat((widths[column] ?? 0) - Bun.stringWidth(cell)))),
  );
  return [first, line(widths.map((width) => "-".repeat(width))), ...others].join("\n");
}

if (import.meta.main) writeFileSync(ENVIRONMENT_PAGE, environmentPage());
