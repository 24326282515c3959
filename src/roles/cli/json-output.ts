import { stringifyExact } from "../../core/exact-json.ts";
import { visibleJson } from "../../core/text/visible.ts";
import type { CliContext } from "./context.ts";

/** The `--json` side of every command: one value, indented, numbers as they were on the wire, safe on a terminal. */

export async function printJson(context: CliContext, value: unknown): Promise<void> {
  await context.print(`${visibleJson(stringifyExact(value, 2))}\n`);
}
