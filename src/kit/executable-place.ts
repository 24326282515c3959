import { existsSync, readdirSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";

/**
 * Replaces and removes an executable that may be running, this one too. Elsewhere a name can be given away while the program
 * goes on; Windows only lets a running program's file be renamed, so there the old file waits under another name.
 */

const isWindows = process.platform === "win32";

/** Puts `next`, which lies on the same disk, in the place of `path` in one step; on Windows in two, undone when the second fails. */
export function placeExecutable(next: string, path: string): void {
  if (!isWindows || !existsSync(path)) {
    renameSync(next, path);
    return;
  }
  removeWaiting(path);
  const old = waitingName(path);
  renameSync(path, old);
  try {
    renameSync(next, path);
  } catch (cause) {
    renameSync(old, path);
    throw cause;
  }
}

/** Removes it; answers where its file waits when it is running and can only be moved away, else null. */
export function removeExecutable(path: string): string | null {
  if (!isWindows) {
    rmSync(path, { force: true });
    return null;
  }
  removeWaiting(path);
  const beside = waitingName(path);
  renameSync(path, beside);
  try {
    const away = join(tmpdir(), basename(beside));
    renameSync(beside, away);
    return away;
  } catch {
    // Another disk: it stays in its directory.
    return beside;
  }
}

function waitingName(path: string): string {
  return `${path}.old-${process.pid}-${Date.now()}`;
}

/** Removes what earlier replacements left, where it runs no more. */
function removeWaiting(path: string): void {
  for (const name of readdirSync(dirname(path))) {
    if (!name.startsWith(`${basename(path)}.old-`)) continue;
    try {
      rmSync(join(dirname(path), name));
    } catch {
      // Still running.
    }
  }
}
