import { ago, counted, size } from "../../core/text/when.ts";
import { fileFacts, modifiedAt, namesIn } from "../../kit/file-facts.ts";
import { downSwitchPath, joinPath, spoolDirectory } from "../../kit/paths.ts";
import type { CliContext } from "./context.ts";
import { serverState } from "./server-state.ts";
import type { Paint } from "./text/paint.ts";
import { statusLine } from "./text/status-line.ts";

/** The control server and what waits for it, as `bir status` and `bir doctor` tell of them. */

export interface ServerStatus {
  /** `silent`: the process is there and does not answer. */
  state: "running" | "silent" | "absent";
  /** `bir down` is in force. */
  down: boolean;
  url: string | null;
  pid: number | null;
  version: string | null;
  /** Epoch ms. */
  startedAt: number | null;
  sessions: number | null;
  proxies: number | null;
  openRuns: number | null;
}

export interface SpoolStatus {
  files: number;
  sizeBytes: number;
  /** When the file that was written to least lately was, epoch ms. */
  oldestAt: number | null;
  /** Files of what the server could not read. */
  unreadable: number;
}

/** Asks the server how it is. */
export async function lookAtServer({ home, isAlive }: CliContext): Promise<ServerStatus> {
  const found = await serverState(home, isAlive);
  const nothing = {
    url: null,
    pid: null,
    version: null,
    startedAt: null,
    sessions: null,
    proxies: null,
    openRuns: null,
  };
  const common = { ...nothing, state: found.state, down: isThere(downSwitchPath(home)) };
  if (found.state === "absent") return common;
  const { url, pid } = found.discovery;
  if (found.state === "silent") return { ...common, url, pid };
  const { version, startedAt, occupation } = found.health;
  const { sessions, proxies, openRuns } = occupation;
  return { ...common, url, pid, version, startedAt, sessions, proxies, openRuns };
}

/** What waits for a server. */
export function lookAtSpool(home: string): SpoolStatus {
  const directory = spoolDirectory(home);
  const paths = namesIn(directory)
    .filter((name) => name.endsWith(".ndjson"))
    .map((name) => joinPath(directory, name));
  const times = paths.map(modifiedAt).filter((at) => at !== null);
  return {
    files: paths.length,
    sizeBytes: paths.reduce((sum, path) => sum + sizeOf(path), 0),
    oldestAt: times.length === 0 ? null : Math.trunc(Math.min(...times)),
    unreadable: namesIn(joinPath(directory, "unreadable")).length,
  };
}

/** One line of `bir status`. */
export function serverLine(server: ServerStatus, now: number, paint: Paint): string {
  return statusLine("Control server", serverSentence(server, now, paint));
}

/** Lines of `bir status`; none while nothing waits. */
export function spoolLines(
  { files, sizeBytes, oldestAt, unreadable }: SpoolStatus,
  now: number,
  paint: Paint,
): string[] {
  const lines: string[] = [];
  if (files > 0) {
    const since = oldestAt === null ? "" : `, the oldest from ${ago(oldestAt, now)}`;
    const what = `${counted(files, "report file")} for the control server (${size(sizeBytes)}${since})`;
    lines.push(statusLine("Waiting", what));
  }
  if (unreadable > 0) {
    lines.push(statusLine(lines.length > 0 ? "" : "Waiting", paint.warn(`! ${unreadableSentence(unreadable)}`)));
  }
  return lines;
}

/** What is kept of reports that could not be read. */
export function unreadableSentence(files: number): string {
  return `${counted(files, "file")} in spool/unreadable: reports that could not be read, and are not in any run`;
}

function serverSentence(server: ServerStatus, now: number, paint: Paint): string {
  const { state, down, pid, startedAt, sessions, proxies, openRuns } = server;
  if (state === "silent") return paint.bad(`✗ does not answer (pid ${pid}); sessions go on without it`);
  if (state === "running") {
    const doing = [
      counted(sessions ?? 0, "session"),
      counted(proxies ?? 0, "proxy", "proxies"),
      counted(openRuns ?? 0, "open run"),
    ];
    const age = startedAt === null ? "" : `, started ${ago(startedAt, now)}`;
    return `running: ${doing.join(", ")}${age}, pid ${pid}${down ? "; it is about to go, for `bir down`" : ""}`;
  }
  if (down) return paint.warn("down: proxies record by themselves. `bir up` starts it again.");
  return "not running; what needs it starts it";
}

function isThere(path: string): boolean {
  try {
    return fileFacts(path) !== null;
  } catch {
    return false;
  }
}

/** A file that went since it was listed takes no room. */
function sizeOf(path: string): number {
  try {
    return fileFacts(path)?.sizeBytes ?? 0;
  } catch {
    return 0;
  }
}
