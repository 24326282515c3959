import type { Host, Owner, RunStatus, RunSummary, Tier } from "../core/run.ts";

/** A row of table `runs` as the summary it holds. Knows the columns; decides nothing. */

export interface RunRow {
  id: string;
  session_id: string | null;
  host_app: string | null;
  host_version: string | null;
  tier: Tier;
  cwd: string;
  input: string | null;
  final_answer: string | null;
  status: RunStatus;
  started_at: number;
  ended_at: number | null;
  lossy: number;
  gaps: string;
  wrapped_servers: string;
  host_hook_calls: number;
  step_count: number;
  usage: string | null;
  owner_pid: number;
  owner_started_at: string;
}

/** A run as `bir run list --json` prints it. */
export interface ListedRun extends RunSummary {
  stepCount: number;
}

/** The summary in a row, its status as it was written. */
export function listedRun(row: RunRow): ListedRun {
  return {
    id: row.id,
    sessionId: row.session_id,
    host: hostOf(row),
    tier: row.tier,
    cwd: row.cwd,
    input: row.input,
    finalAnswer: row.final_answer,
    status: row.status,
    startedAt: row.started_at,
    endedAt: row.ended_at,
    lossy: row.lossy !== 0,
    gaps: JSON.parse(row.gaps),
    wrappedServers: JSON.parse(row.wrapped_servers),
    usage: row.usage === null ? null : JSON.parse(row.usage),
    hostHookCalls: row.host_hook_calls,
    stepCount: row.step_count,
  };
}

export function ownerOf(row: RunRow): Owner {
  return { pid: row.owner_pid, startedAt: row.owner_started_at };
}

function hostOf(row: RunRow): Host | null {
  return row.host_app === null ? null : { app: row.host_app, version: row.host_version };
}
