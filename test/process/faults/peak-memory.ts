/** The most memory that a living process ever had, as its system tells it. Linux only; elsewhere null. */

import { readFileSync } from "node:fs";

export function peakMemoryMib(pid: number): number | null {
  if (process.platform !== "linux") return null;
  const kib = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
  return kib === undefined ? null : Number(kib) / 1024;
}
