import type { RunStatus } from "../core/run.ts";
import type { RunQuery } from "../core/run-query.ts";
import type { StoreReader } from "./reader.ts";

/**
 * Goes through the runs that a query means as far as the table of runs can tell, newest first, reading no more of each than
 * is needed. What only the index or the texts can tell is left to whoever takes them.
 */

export interface ScannedRun {
  id: string;
  startedAt: number;
  /** As it reads: abandoned where its owner is gone. Null where nobody needs it. */
  status: RunStatus | null;
  wrappedServers: string[];
  input: string | null;
  finalAnswer: string | null;
}

/** What is read of each run beside its id. */
export interface ScanNeeds {
  status: boolean;
  wrappedServers: boolean;
  texts: boolean;
}

interface Row {
  id: string;
  started_at: number;
  status?: RunStatus;
  owner_pid?: number;
  owner_started_at?: string;
  wrapped_servers?: string;
  input?: string | null;
  final_answer?: string | null;
}

export function* scanRuns(
  reader: StoreReader,
  query: RunQuery,
  needs: ScanNeeds,
  after: { startedAt: number; id: string } | null,
): Generator<ScannedRun> {
  const wanted = wantedStatuses(query);
  const needsStatus = needs.status || wanted !== null;
  const columns = ["id", "started_at"];
  if (needsStatus) columns.push("status", "owner_pid", "owner_started_at");
  if (needs.wrappedServers) columns.push("wrapped_servers");
  if (needs.texts) columns.push("input", "final_answer");
  const { where, values } = condition(query, wanted, after);
  const sql = `SELECT ${columns.join(", ")} FROM runs ${where} ORDER BY started_at DESC, id DESC`;
  for (const row of reader.rows<Row>(sql, ...values)) {
    const status = needsStatus ? statusOf(reader, row) : null;
    if (wanted !== null && status !== null && !wanted.has(status)) continue;
    yield {
      id: row.id,
      startedAt: row.started_at,
      status,
      wrappedServers: row.wrapped_servers === undefined ? [] : (JSON.parse(row.wrapped_servers) as string[]),
      input: row.input ?? null,
      finalAnswer: row.final_answer ?? null,
    };
  }
}

/** How many runs there are when the table alone can count them; null where runs have to be looked at. */
export function countRuns(reader: StoreReader, query: RunQuery): number | null {
  const wanted = wantedStatuses(query);
  if (wanted !== null && (wanted.has("running") || wanted.has("abandoned"))) return null;
  const { where, values } = condition(query, wanted, null);
  const [row] = reader.rows<{ runs: number }>(`SELECT count(*) AS runs FROM runs ${where}`, ...values);
  return row?.runs ?? 0;
}

/** Null for any; different keys are "and". */
function wantedStatuses({ statuses, isRunning }: RunQuery): Set<RunStatus> | null {
  if (statuses.length === 0 && !isRunning) return null;
  const wanted = new Set<RunStatus>(statuses.length === 0 ? ["running"] : statuses);
  return isRunning ? wanted.intersection(new Set<RunStatus>(["running"])) : wanted;
}

function condition(
  query: RunQuery,
  wanted: Set<RunStatus> | null,
  after: { startedAt: number; id: string } | null,
): { where: string; values: (string | number)[] } {
  const parts: string[] = [];
  const values: (string | number)[] = [];
  const add = (part: string, ...bound: (string | number)[]) => {
    parts.push(part);
    values.push(...bound);
  };
  if (query.hosts.length > 0) {
    const marks = query.hosts.map(() => "host_app = ? COLLATE NOCASE");
    add(`(${marks.join(" OR ")})`, ...query.hosts);
  }
  if (query.isLossy) add("lossy = 1");
  if (query.startedFrom !== null) add("started_at >= ?", query.startedFrom);
  if (query.startedBefore !== null) add("started_at < ?", query.startedBefore);
  if (wanted !== null) {
    // A run that reads as abandoned is written as running, until somebody closes it.
    const written = new Set(wanted);
    if (written.has("abandoned")) written.add("running");
    add(`status IN (${[...written].map(() => "?").join(", ")})`, ...written);
  }
  if (after !== null) add("(started_at, id) < (?, ?)", after.startedAt, after.id);
  return { where: parts.length === 0 ? "" : `WHERE ${parts.join(" AND ")}`, values };
}

function statusOf(reader: StoreReader, row: Row): RunStatus {
  const { status = "running", owner_pid: pid = 0, owner_started_at: startedAt = "" } = row;
  return status === "running" && !reader.lives({ pid, startedAt }) ? "abandoned" : status;
}
