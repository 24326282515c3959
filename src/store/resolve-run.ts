import { Problem } from "../core/problem.ts";
import type { StoreReader } from "./reader.ts";

/** Run ids as people type them: `latest`, or as much of the id as no other run has, with or without its `run_`. */

/** The whole id of the run that a word names; throws a Problem where it names none, or several. */
export function resolveRun(reader: StoreReader, word: string): string {
  if (word === "latest") {
    const [latest] = reader.rows<{ id: string }>("SELECT id FROM runs ORDER BY started_at DESC, id DESC LIMIT 1");
    if (latest === undefined) {
      throw new Problem(
        "no-runs",
        "there is no recorded run yet",
        "Put `bir proxy --server-name NAME --` in front of an MCP server's command; see `bir proxy --help`.",
      );
    }
    return latest.id;
  }
  const found = idsBeginningWith(reader, word);
  const ids = found.length > 0 ? found : idsBeginningWith(reader, `run_${word}`);
  const [only, ...others] = ids;
  if (only === undefined || word === "") {
    throw new Problem("no-such-run", `there is no run \`${word}\``, "`bir run list` shows the runs there are.");
  }
  if (others.length === 0 || only === word || only === `run_${word}`) return only;
  const some = ids.slice(0, 3).join(", ");
  throw new Problem("ambiguous-run", `\`${word}\` begins the id of several runs`, `Write more of it: ${some}, …`);
}

/** For each id the shortest beginning, of `minimum` characters or more, that no other run's id has. */
export function shortRunIds(reader: StoreReader, ids: readonly string[], minimum: number): string[] {
  const neighbours = `SELECT (SELECT max(id) FROM runs WHERE id < ?1) AS before,
    (SELECT min(id) FROM runs WHERE id > ?1) AS after`;
  return ids.map((id) => {
    const [row] = reader.rows<{ before: string | null; after: string | null }>(neighbours, id);
    const shared = Math.max(sharedLength(id, row?.before ?? ""), sharedLength(id, row?.after ?? ""));
    return id.slice(0, Math.max(minimum, shared + 1));
  });
}

function idsBeginningWith(reader: StoreReader, beginning: string): string[] {
  const sql = "SELECT id FROM runs WHERE id >= ?1 AND substr(id, 1, length(?1)) = ?1 ORDER BY id LIMIT 4";
  return Array.from(reader.rows<{ id: string }>(sql, beginning), ({ id }) => id);
}

function sharedLength(a: string, b: string): number {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length++;
  return length;
}
