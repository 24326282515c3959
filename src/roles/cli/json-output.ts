import { stringifyExact } from "../../core/exact-json.ts";
import type { CliContext } from "./context.ts";
import { visibleJson } from "./text/visible.ts";

/** The `--json` side of every command: one value, indented, numbers as they were on the wire, safe on a terminal. */

export async function printJson(context: CliContext, value: unknown): Promise<void> {
  await context.print(`${visibleJson(stringifyExact(value, 2))}\n`);
}

/** One line of NDJSON. */
export function jsonLine(value: unknown): string {
  return `${visibleJson(stringifyExact(value))}\n`;
}
