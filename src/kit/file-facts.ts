import { accessSync, constants, readdirSync, readFileSync, statfsSync, statSync } from "node:fs";
import { isAbsolute } from "node:path";

/** Questions about files and disks, answered without changing anything. What is not there is an answer, not an error. */

export interface FileFacts {
  isDirectory: boolean;
  sizeBytes: number;
  /** Permission bits; null where the platform has none worth the name. */
  mode: number | null;
  /** The user it belongs to; null where the platform has no numbers for users. */
  ownerId: number | null;
}

/** What is at a path; null when nothing is. Throws what the system says when it may not be looked at. */
export function fileFacts(path: string): FileFacts | null {
  try {
    const found = statSync(path);
    const isWindows = process.platform === "win32";
    return {
      isDirectory: found.isDirectory(),
      sizeBytes: found.size,
      mode: isWindows ? null : found.mode & 0o777,
      ownerId: isWindows ? null : found.uid,
    };
  } catch (cause) {
    const { code } = cause as { code?: string };
    if (code === "ENOENT" || code === "ENOTDIR") return null;
    throw cause;
  }
}

/** When a file was last written to, epoch ms; null when it is not there or may not be looked at. */
export function modifiedAt(path: string): number | null {
  try {
    return statSync(path).mtimeMs;
  } catch {
    return null;
  }
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
    if (code === "ENOENT" || code === "ENOTDIR") return null;
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

/** True when this user may read and write what is at a path, and go into it where it is a directory. */
export function isUsable(path: string, isDirectory: boolean): boolean {
  try {
    accessSync(path, constants.R_OK | constants.W_OK | (isDirectory ? constants.X_OK : 0));
    return true;
  } catch {
    return false;
  }
}

/** Linux's numbers for file systems that the kernel makes up: procfs and sysfs. */
const KERNEL_FILE_SYSTEMS: readonly number[] = [0x9fa0, 0x62656572];

/** True for a directory in which nobody can make files, whatever its permissions say. */
export function isKernelDirectory(path: string): boolean {
  if (process.platform !== "linux") return false;
  try {
    return KERNEL_FILE_SYSTEMS.includes(statfsSync(path).type);
  } catch {
    return false;
  }
}

/** The program that a host would start for a command: found at its own path, or in `searchPath`; null when none is. */
export function findProgram(command: string, searchPath: string, directory: string): string | null {
  if (!/[/\\]/.test(command)) return Bun.which(command, { PATH: searchPath, cwd: directory });
  const path = isAbsolute(command) ? command : `${directory}/${command}`;
  return Bun.which(path);
}
