import { accessSync, constants, readdirSync, readFileSync, statfsSync, statSync } from "node:fs";

/** Questions about files and disks, answered without changing anything. What is not there is an answer, not an error. */

export interface FileFacts {
  isDirectory: boolean;
  sizeBytes: number;
  /** Permission bits; null where the platform has none worth the name. */
  mode: number | null;
}

/** What is at a path; null when nothing is. Throws what the system says when it may not be looked at. */
export function fileFacts(path: string): FileFacts | null {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) return null;
  return {
    isDirectory: found.isDirectory(),
    sizeBytes: found.size,
    mode: process.platform === "win32" ? null : found.mode & 0o777,
  };
}

/** Names in a directory, sorted; none when it is not there or may not be read. */
export function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory).sort();
  } catch {
    return [];
  }
}

/** The text of a file; null when there is none. Throws what the system says when it may not be read. */
export function readTextIfThere(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch (cause) {
    const { code } = cause as { code?: string };
    if (code === "ENOENT" || code === "ENOTDIR" || code === "EISDIR") return null;
    throw cause;
  }
}

/** Bytes that this user may still write on the disk that holds a path; null when it cannot be told. */
export function freeSpaceBytes(path: string): number | null {
  try {
    const { bavail, bsize } = statfsSync(path);
    return bavail * bsize;
  } catch {
    return null;
  }
}

/** True when this user may write to what is at a path. */
export function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
