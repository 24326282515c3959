import { readdirSync, readFileSync } from "node:fs";

/** Resident memory of a process and all it started, over time (Linux), and whether it grows. */

export interface MemorySample {
  atMs: number;
  /** Calls answered so far. */
  answered: number;
  rssMib: number;
}

export interface MemoryMinute {
  minute: number;
  calls: number;
  minMib: number;
  medianMib: number;
  maxMib: number;
}

/** What may come on top of the second minute's median until the last one's. */
const ALLOWED_MIB = 8;
const ALLOWED_SHARE = 0.15;
const MINUTE_MS = 60_000;

/** Summed over the process tree, in MiB; undefined when the process is gone. */
export function treeRssMib(root: number): number | undefined {
  const parents = new Map<number, number>();
  for (const name of readdirSync("/proc")) {
    const pid = Number(name);
    if (Number.isInteger(pid)) parents.set(pid, Number(statusField(pid, "PPid") ?? -1));
  }
  let sum: number | undefined;
  for (const pid of parents.keys()) {
    if (!descendsFrom(pid, root, parents)) continue;
    const kib = statusField(pid, "VmRSS");
    if (kib !== undefined) sum = (sum ?? 0) + Number(kib) / 1024;
  }
  return sum;
}

/** By minute; the last one may be short. */
export function byMinute(samples: readonly MemorySample[]): MemoryMinute[] {
  const minutes = Map.groupBy(samples, ({ atMs }) => Math.floor(atMs / MINUTE_MS));
  let before = 0;
  return [...minutes].map(([minute, within]) => {
    const sizes = within.map(({ rssMib }) => rssMib).sort((a, b) => a - b);
    const answered = within.at(-1)?.answered ?? before;
    const calls = answered - before;
    before = answered;
    const at = (share: number) => sizes[Math.round((sizes.length - 1) * share)] ?? 0;
    return { minute: minute + 1, calls, minMib: at(0), medianMib: at(0.5), maxMib: at(1) };
  });
}

/** Least squares over everything after the first minute, in MiB a minute; undefined of less than another minute. */
export function trend(samples: readonly MemorySample[]): number | undefined {
  const settled = samples.filter(({ atMs }) => atMs >= MINUTE_MS);
  const count = settled.length;
  if ((settled.at(-1)?.atMs ?? 0) < 2 * MINUTE_MS || count < 3) return undefined;
  const meanAt = settled.reduce((sum, { atMs }) => sum + atMs, 0) / count;
  const meanMib = settled.reduce((sum, { rssMib }) => sum + rssMib, 0) / count;
  const shared = settled.reduce((sum, { atMs, rssMib }) => sum + (atMs - meanAt) * (rssMib - meanMib), 0);
  const spread = settled.reduce((sum, { atMs }) => sum + (atMs - meanAt) ** 2, 0);
  return (shared / spread) * MINUTE_MS;
}

/** What is wrong when the last whole minute needs much more than the second; undefined when nothing is, or it was too short. */
export function growthFault(samples: readonly MemorySample[]): string | undefined {
  const endMs = samples.at(-1)?.atMs ?? 0;
  const whole = byMinute(samples).filter(({ minute }) => minute * MINUTE_MS <= endMs + MINUTE_MS / 10);
  const [, second] = whole;
  const last = whole.at(-1);
  if (second === undefined || last === undefined || whole.length < 3) return undefined;
  const allowed = Math.max(ALLOWED_MIB, second.medianMib * ALLOWED_SHARE);
  if (last.medianMib - second.medianMib <= allowed) return undefined;
  const [from, to] = [second.medianMib.toFixed(1), last.medianMib.toFixed(1)];
  return `memory grew from ${from} MiB in minute 2 to ${to} MiB in minute ${last.minute}`;
}

function descendsFrom(pid: number, root: number, parents: Map<number, number>): boolean {
  for (let at: number | undefined = pid; at !== undefined && at > 0; at = parents.get(at)) {
    if (at === root) return true;
  }
  return false;
}

function statusField(pid: number, field: string): string | undefined {
  try {
    return new RegExp(`^${field}:\\s*(\\d+)`, "m").exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
  } catch {
    return undefined;
  }
}
