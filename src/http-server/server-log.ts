import { appendFileSync, mkdirSync } from "node:fs";
import { fileFacts } from "../kit/file-facts.ts";
import { joinPath } from "../kit/paths.ts";
import { removeFile } from "../kit/private-files.ts";

/**
 * A server's own words, in a file of `log/` under the home: nobody looks at its terminal, if it has one. One line each with its time, never a
 * payload, a token or a foreign message. Bounded, and never in the way: a line that cannot be written is dropped.
 */

const MAX_BYTES = 1024 * 1024;
/** The same line is written once in this time, so that trouble which repeats itself does not fill the log. */
const REPEAT_MS = 60_000;
const REMEMBERED_LINES = 200;

export interface ServerLog {
  say(line: string): void;
  /** Says that something of ours failed while it did `what`. Only the kind of fault is told: its message may quote. */
  fault(what: string, cause: unknown): void;
}

/** The path of a log in a home. */
export function serverLogPath(home: string, name = "server.log"): string {
  return joinPath(home, "log", name);
}

/** `now` answers epoch ms; `name` is that of the file. */
export function openServerLog(home: string, now: () => number = Date.now, name?: string): ServerLog {
  const path = serverLogPath(home, name);
  /** Line → when it was last written. */
  const written = new Map<string, number>();

  const say = (line: string): void => {
    const at = now();
    const before = written.get(line);
    if (before !== undefined && at - before < REPEAT_MS) return;
    if (written.size >= REMEMBERED_LINES) written.clear();
    written.set(line, at);
    try {
      makeDirectory(joinPath(home, "log"));
      if ((fileFacts(path)?.sizeBytes ?? 0) > MAX_BYTES) removeFile(path);
      appendFileSync(path, `${new Date(at).toISOString()} ${process.pid} ${line}\n`, { mode: 0o600 });
    } catch {
      // There is nowhere left to say it.
    }
  };
  return { say, fault: (what, cause) => say(`fault while ${what}: ${kindOf(cause)}`) };
}

/** Only the last part of the path: a home that somebody has removed is not to come back for a line. */
function makeDirectory(path: string): void {
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (cause) {
    if ((cause as { code?: string }).code !== "EEXIST") throw cause;
  }
}

function kindOf(cause: unknown): string {
  const { name, code } = (cause ?? {}) as { name?: unknown; code?: unknown };
  const kind = typeof name === "string" ? name : typeof cause;
  return typeof code === "string" ? `${kind} ${code}` : kind;
}
