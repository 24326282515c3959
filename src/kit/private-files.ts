import { chmodSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";

/** Files that only their owner may read (0600, in directories 0700). Never follows up on a half-written one. */

/** Makes a directory and its missing parents, for the owner alone; one that exists stays as it is. */
export function makePrivateDirectory(path: string): void {
  mkdirSync(path, { recursive: true, mode: 0o700 });
}

/** Writes a new file; throws the system's EEXIST when there is one already, and leaves nothing after a failure. */
export function createPrivateFile(path: string, content: string): void {
  try {
    writeFileSync(path, content, { mode: 0o600, flag: "wx" });
  } catch (cause) {
    // Anything else than that there is one already left a part of ours, or nothing.
    if ((cause as { code?: string }).code !== "EEXIST") rmSync(path, { force: true });
    throw cause;
  }
}

/** Writes a file, at once and whole, in place of one that may be there. */
export function replacePrivateFile(path: string, content: string): void {
  const beside = `${path}.${process.pid}.tmp`;
  try {
    writeFileSync(beside, content, { mode: 0o600, flag: "wx" });
    chmodSync(beside, 0o600);
    renameSync(beside, path);
  } catch (cause) {
    rmSync(beside, { force: true });
    throw cause;
  }
}

/** Removes a file; false when there was none. */
export function removeFile(path: string): boolean {
  try {
    rmSync(path);
    return true;
  } catch (cause) {
    if ((cause as { code?: string }).code === "ENOENT") return false;
    throw cause;
  }
}
