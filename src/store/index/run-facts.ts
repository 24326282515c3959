import type { RunItem } from "../../core/service-wire.ts";
import type { IndexTables } from "./index-tables.ts";
import { nameKey } from "./names.ts";

/** What the index knows of runs: which tools they called, and how many calls ended in an error. */

/** Tools that an item of a list names. */
const MOST_TOOLS = 8;

export type RunFacts = Pick<RunItem, "errorCount" | "lostCount" | "tools">;

/** What a run is listed with; null while the index does not know it. An abandoned run's open calls are lost. */
export function runFacts(tables: IndexTables, id: string, isAbandoned: boolean): RunFacts | null {
  const run = tables.get<{ number: number; errors: number; lost: number; running: number }>(
    "SELECT number, errors, lost, running FROM runs WHERE id = ?",
    id,
  );
  if (run === null) return null;
  const lostCount = run.lost + (isAbandoned ? run.running : 0);
  return { errorCount: run.errors, lostCount, tools: runTools(tables, run.number) };
}

/** The tools that a run (by its number) called, in the order of `calledTools`. */
export function runTools(tables: IndexTables, number: number): NonNullable<RunItem["tools"]> {
  return tables.all(
    `SELECT server, tool, calls FROM run_names JOIN names ON names.id = run_names.name WHERE run = ? AND tool <> ''
      ORDER BY calls DESC, first LIMIT ${MOST_TOOLS}`,
    number,
  );
}

/** Numbers of the tools with one of these names, on one of these servers; none of a kind means any. */
export function namesOf(tables: IndexTables, tools: readonly string[], servers: readonly string[]): number[] {
  const list = (values: readonly string[]) => JSON.stringify(values.map(nameKey));
  const sql = `SELECT id FROM names
    WHERE (?1 = '[]' OR tool_key IN (SELECT value FROM json_each(?1)))
      AND (?2 = '[]' OR server_key IN (SELECT value FROM json_each(?2)))`;
  return tables.column<number>(sql, list(tools), list(servers));
}

/** Numbers of the runs that called one of these tools. */
export function runsThatCalled(tables: IndexTables, names: readonly number[]): Set<number> {
  const sql = "SELECT DISTINCT run FROM run_names WHERE name IN (SELECT value FROM json_each(?))";
  return new Set(tables.column<number>(sql, JSON.stringify(names)));
}

/** Numbers of the runs with a call that ended in an error. */
export function runsWithErrors(tables: IndexTables): Set<number> {
  return new Set(tables.column<number>("SELECT number FROM runs WHERE errors > 0"));
}

/** For each tool, and for each server, the numbers of the runs that called it. */
export function runsByName(tables: IndexTables): {
  tools: Map<string, Set<number>>;
  servers: Map<string, Set<number>>;
} {
  const names = new Map(
    tables
      .all<{ id: number; server: string | null; tool: string }>("SELECT id, server, tool FROM names")
      .map((name) => [name.id, name]),
  );
  const tools = new Map<string, Set<number>>();
  const servers = new Map<string, Set<number>>();
  for (const { name, run } of tables.all<{ name: number; run: number }>("SELECT name, run FROM run_names")) {
    const { server = null, tool = "" } = names.get(name) ?? {};
    if (tool !== "") add(tools, tool, run);
    if (server !== null) add(servers, server, run);
  }
  return { tools, servers };
}

function add(map: Map<string, Set<number>>, key: string, value: number): void {
  const values = map.get(key);
  if (values === undefined) map.set(key, new Set([value]));
  else values.add(value);
}
