import { readFileSync } from "node:fs";

/**
 * Which process is which: a pid alone may be recycled, so it is kept together with the start time as the system tells
 * it. Linux reads /proc; macOS and Windows ask the system's own tool.
 */

/** Start time of a process in its system's own words, or null when there is none with this pid. */
export function processStartedAt(pid: number): string | null {
  if (process.platform === "linux") return linuxStartedAt(pid);
  const command =
    process.platform === "win32"
      ? ["powershell", "-NoProfile", "-Command", `(Get-Process -Id ${pid}).StartTime.ToFileTimeUtc()`]
      : ["ps", "-o", "lstart=", "-p", String(pid)];
  try {
    const answer = Bun.spawnSync(command, { stdout: "pipe", stderr: "ignore", stdin: "ignore" });
    return answer.stdout.toString().trim() || null;
  } catch {
    return null;
  }
}

/** True while the process that is named by this pid and start time is there. */
export function isProcessAlive(pid: number, startedAt: string): boolean {
  return processStartedAt(pid) === startedAt;
}

/** True while any process has this pid: cheap everywhere, and no answer to which one it is. */
export function isPidInUse(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (cause) {
    // One that this user may not signal.
    return (cause as { code?: string }).code === "EPERM";
  }
}

function linuxStartedAt(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    // The command name (field 2) may hold spaces and brackets; state is field 3, start time field 22.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    if (fields[0] === "Z" || fields[0] === "X") return null;
    const ticks = fields[19];
    return ticks === undefined ? null : `${bootId()}/${ticks}`;
  } catch {
    return null;
  }
}

let cachedBootId: string | undefined;

function bootId(): string {
  cachedBootId ??= readFileSync("/proc/sys/kernel/random/boot_id", "latin1").trim().slice(0, 8);
  return cachedBootId;
}
