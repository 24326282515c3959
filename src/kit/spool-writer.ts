import { birHome, joinPath, spoolDirectory } from "./paths.ts";

/**
 * Leaves a report for the next server: one line of this process's own spool file, written whole or not at all. Loaded only
 * where no server has answered. Holds nothing open between two lines, so that the server may take a file away. Never throws.
 */

/** Bytes over which nothing more is left. */
const MAX_SPOOL_BYTES = 64 * 1024 * 1024;
/** Files whose size is looked at; with more of them, these stand for all. */
const MAX_LOOKED_AT = 64;

/** `full`: what waits there has reached its bound. `failed`: the disk did not take it. */
export type Spooled = "kept" | "full" | "failed";

/** Appends `line`, which ends with its only newline. */
export function appendToSpool(line: string, home = birHome()): Spooled {
  const fs = process.getBuiltinModule("node:fs");
  const directory = spoolDirectory(home);
  try {
    fs.mkdirSync(directory, { recursive: true, mode: 0o700 });
    if (bytesIn(directory) + line.length > MAX_SPOOL_BYTES) return "full";
    const { O_WRONLY, O_CREAT, O_APPEND } = fs.constants;
    const noFollow = fs.constants.O_NOFOLLOW ?? 0;
    const path = joinPath(directory, `${bootId()}-${process.pid}.ndjson`);
    const file = fs.openSync(path, O_WRONLY | O_CREAT | O_APPEND | noFollow, 0o600);
    try {
      const before = fs.fstatSync(file).size;
      if (writeWhole(file, Buffer.from(line), before)) return "kept";
      if (before === 0) fs.unlinkSync(path);
    } finally {
      fs.closeSync(file);
    }
    return "failed";
  } catch {
    return "failed";
  }
}

/** One write; what a full disk has taken of a line is taken back, to the length that the file had. */
function writeWhole(file: number, bytes: Uint8Array, before: number): boolean {
  const fs = process.getBuiltinModule("node:fs");
  let written = 0;
  try {
    written = fs.writeSync(file, bytes);
  } catch {
    // As a write that took nothing.
  }
  if (written === bytes.length) return true;
  if (written > 0) fs.ftruncateSync(file, before);
  return false;
}

/** How much waits there, roughly where it is many files. */
function bytesIn(directory: string): number {
  const fs = process.getBuiltinModule("node:fs");
  const names = fs.readdirSync(directory);
  const step = Math.max(1, Math.floor(names.length / MAX_LOOKED_AT));
  let looked = 0;
  let bytes = 0;
  for (let i = 0; i < names.length; i += step) {
    bytes += fs.statSync(joinPath(directory, names[i] ?? ""), { throwIfNoEntry: false })?.size ?? 0;
    looked++;
  }
  return looked === 0 ? 0 : (bytes / looked) * names.length;
}

/** Tells processes apart whose pids are the same because the system was started anew between them. */
function bootId(): string {
  if (process.platform !== "linux") return "0";
  try {
    const id = process.getBuiltinModule("node:fs").readFileSync("/proc/sys/kernel/random/boot_id", "latin1");
    return id.slice(0, 8);
  } catch {
    return "0";
  }
}
