import { mkdirSync, rmdirSync, statSync } from "node:fs";
import { systemCode } from "../kit/system-reason.ts";

/**
 * The lock that a host takes around reading, changing and writing a file of its own: a directory beside it. Held for the moment of
 * a change of ours, so that a host which has read the file before does not write over it. Never a reason to fail: what a host
 * writes all the same is seen afterwards.
 */

const PAUSE_MS = 10;
/** A host waits longer for us than we do for it. */
const WAIT_MS = 3000;
/** Hosts believe a lock of this age no more. */
const STALE_MS = 60_000;

/** Takes the lock, or gives up. Answers what lets go of it again. */
export async function takeHostLock(directory: string): Promise<() => void> {
  const end = performance.now() + WAIT_MS;
  for (;;) {
    try {
      mkdirSync(directory);
      return () => release(directory);
    } catch (cause) {
      if (systemCode(cause) !== "EEXIST" || performance.now() > end) return () => {};
      if (isStale(directory)) release(directory);
    }
    await Bun.sleep(PAUSE_MS);
  }
}

function release(directory: string): void {
  try {
    rmdirSync(directory);
  } catch {
    // It is gone already, or somebody has put something into it.
  }
}

function isStale(directory: string): boolean {
  try {
    return Date.now() - statSync(directory).mtimeMs > STALE_MS;
  } catch {
    return false;
  }
}
