import type { RunStatus } from "../core/run.ts";

/** Which runs are meant, as a part of an SQL question over table `runs`. Pure: holds no connection. */

export interface RunFilter {
  /** Runs that wrapped this server. */
  server?: string | undefined;
  /** Runs of this application. */
  host?: string | undefined;
  /** Runs in this directory or below it. */
  directory?: string | undefined;
  /** As it reads: a run whose owner is gone is `abandoned`, whatever its row says. */
  status?: RunStatus | undefined;
  lossy?: boolean | undefined;
  /** Epoch ms: runs that began at this moment or later. */
  startedFrom?: number | undefined;
  /** Epoch ms: runs that began before this moment. */
  startedBefore?: number | undefined;
  /** The last run of the page before this one. */
  after?: { startedAt: number; id: string } | undefined;
}

export interface SqlCondition {
  where: string;
  values: (string | number)[];
}

/** The condition for the part of a filter that the table can answer. */
export function sqlCondition(filter: RunFilter): SqlCondition {
  const parts: string[] = [];
  const values: (string | number)[] = [];
  const add = (part: string, ...bound: (string | number)[]) => {
    parts.push(part);
    values.push(...bound);
  };
  if (filter.server !== undefined) {
    add("EXISTS (SELECT 1 FROM json_each(wrapped_servers) WHERE value = ?)", filter.server);
  }
  if (filter.host !== undefined) add("host_app = ?", filter.host);
  if (filter.directory !== undefined) {
    const separator = filter.directory.includes("\\") ? "\\" : "/";
    const below = filter.directory.endsWith(separator) ? filter.directory : filter.directory + separator;
    add("(cwd = ? OR substr(cwd, 1, length(?)) = ?)", filter.directory, below, below);
  }
  if (filter.lossy !== undefined) add("lossy = ?", filter.lossy ? 1 : 0);
  if (filter.startedFrom !== undefined) add("started_at >= ?", filter.startedFrom);
  if (filter.startedBefore !== undefined) add("started_at < ?", filter.startedBefore);
  if (filter.after !== undefined) add("(started_at, id) < (?, ?)", filter.after.startedAt, filter.after.id);
  if (filter.status === "abandoned") add("status IN ('abandoned', 'running')");
  else if (filter.status !== undefined) add("status = ?", filter.status);
  return { where: parts.length === 0 ? "" : `WHERE ${parts.join(" AND ")}`, values };
}
