/**
 * Finds every process that descends from a test by a mark in its environment, wherever it was re-parented to.
 * Reads the process table only; kills nothing but the processes it is given.
 */

import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";

export const MARK_VARIABLE = "PROCESS_TEST_MARK";

export interface MarkedProcess {
  pid: number;
  command: string;
}

/** The living processes (zombies have no environment left) that carry this mark. */
export function markedProcesses(mark: string): MarkedProcess[] {
  return process.platform === "linux" ? fromProc(mark) : fromPs(mark);
}

export function killAll(processes: readonly MarkedProcess[]): void {
  for (const { pid } of processes) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // It ended between the look and the kill.
    }
  }
}

function fromProc(mark: string): MarkedProcess[] {
  const wanted = Buffer.from(`${MARK_VARIABLE}=${mark}`);
  const found: MarkedProcess[] = [];
  for (const name of readdirSync("/proc")) {
    if (!/^\d+$/.test(name) || Number(name) === process.pid) continue;
    try {
      if (!readFileSync(`/proc/${name}/environ`).includes(wanted)) continue;
      const command = readFileSync(`/proc/${name}/cmdline`, "utf8").split("\0").join(" ").trim();
      found.push({ pid: Number(name), command });
    } catch {
      // Gone, or another user's.
    }
  }
  return found;
}

/** macOS and the BSDs: `ps -E` prints the environment after the command. */
function fromPs(mark: string): MarkedProcess[] {
  const table = spawnSync("ps", ["-axEww", "-o", "pid=,command="], { encoding: "utf8", maxBuffer: 64 << 20 }).stdout;
  return table
    .split("\n")
    .filter((line) => line.includes(`${MARK_VARIABLE}=${mark}`))
    .map((line) => ({ pid: Number.parseInt(line, 10), command: line.trim().split(" ").slice(1, 8).join(" ") }))
    .filter(({ pid }) => pid !== process.pid && pid > 0);
}
