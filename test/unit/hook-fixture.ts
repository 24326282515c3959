import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { HookFact } from "../../src/core/hook-fact.ts";
import { readClaudeCodeHook } from "../../src/hooks/claude-code.ts";

/** What Claude Code gives its hooks and writes into transcripts, in the shapes of real sessions; one JSON text a line. */

const directory = join(import.meta.dirname, "..", "fixtures", "claude-code");

/** Names of the recorded sessions that have a file of this kind. */
export function sessionsWith(kind: "hooks" | "transcript"): string[] {
  const ending = `.${kind}.jsonl`;
  return readdirSync(directory)
    .filter((name) => name.endsWith(ending))
    .map((name) => name.slice(0, -ending.length))
    .sort();
}

export function linesOf(session: string, kind: "hooks" | "transcript"): string[] {
  return readFileSync(join(directory, `${session}.${kind}.jsonl`), "utf8")
    .trimEnd()
    .split("\n");
}

/** The facts of a session's hooks, in the order in which they ran. */
export function hookFacts(session: string): HookFact[] {
  return linesOf(session, "hooks").flatMap((line) => {
    const reading = readClaudeCodeHook(line);
    return reading.kind === "fact" ? [reading.fact] : [];
  });
}

/** The only fact of this kind, or the one at `index`. */
export function factOf<K extends HookFact["kind"]>(
  facts: readonly HookFact[],
  kind: K,
  index = 0,
): Extract<HookFact, { kind: K }> {
  const found = facts.filter((fact): fact is Extract<HookFact, { kind: K }> => fact.kind === kind)[index];
  if (found === undefined) throw new Error(`no ${kind} fact ${index}`);
  return found;
}
