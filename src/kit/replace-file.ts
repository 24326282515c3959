import {
  closeSync,
  existsSync,
  fchmodSync,
  fchownSync,
  fstatSync,
  fsyncSync,
  linkSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  writeSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { isPidInUse } from "./process-identity.ts";

/**
 * Writes files so that after a crash or a power cut there is the old one or the new one, whole. What is being written lies
 * beside the file, under a name that says whose it is. Links are not followed here. Throws what the system says.
 */

export interface FileRights {
  mode: number;
  /** Null: as it comes, for one that is new. */
  owner: { uid: number; gid: number } | null;
}

/** Writes a new file in the directory of `target`, on the disk when this returns; gives its path. Leaves none behind on failure. */
export function writeBeside(target: string, bytes: Uint8Array, rights: FileRights): string {
  // Not counted: where every program has the same pid, one that was killed has left the first names.
  const path = join(dirname(target), `${startOfName(target)}${process.pid}-${Math.floor(Math.random() * 1e12)}.tmp`);
  const fd = openSync(path, "wx", 0o600);
  try {
    let at = 0;
    while (at < bytes.length) at += writeSync(fd, bytes, at);
    if (process.platform !== "win32") {
      if (rights.owner !== null) giveTo(fd, rights.owner);
      fchmodSync(fd, rights.mode);
    }
    fsyncSync(fd);
  } catch (cause) {
    closeSync(fd);
    rmSync(path, { force: true });
    throw cause;
  }
  closeSync(fd);
  return path;
}

/** Puts a file that was written beside its target in the place of what may be there. */
export function moveInto(path: string, target: string): void {
  renameSync(path, target);
  syncDirectory(dirname(target));
}

/** As `moveInto`, but never in the place of another: throws EEXIST then. */
export function moveIntoEmpty(path: string, target: string): void {
  try {
    linkSync(path, target);
    rmSync(path);
  } catch (cause) {
    if ((cause as { code?: string }).code === "EEXIST" || existsSync(target)) throw cause;
    // A file system without second names.
    renameSync(path, target);
  }
  syncDirectory(dirname(target));
}

/** Makes the names in a directory outlive a power cut, where the system has a way to ask for that. */
export function syncDirectory(path: string): void {
  if (process.platform === "win32") return;
  const fd = openSync(path, "r");
  try {
    fsyncSync(fd);
  } catch (cause) {
    // Some file systems have no such thing, and nothing else can be done there.
    if ((cause as { code?: string }).code !== "EINVAL") throw cause;
  } finally {
    closeSync(fd);
  }
}

/** Removes what processes that ended in the middle have left beside a file. Never throws. */
export function removeLeftBeside(target: string): void {
  const directory = dirname(target);
  const start = startOfName(target);
  try {
    for (const name of readdirSync(directory)) {
      const pid = name.startsWith(start) ? /^(\d+)-\d+\.tmp$/.exec(name.slice(start.length))?.[1] : undefined;
      if (pid !== undefined && !isPidInUse(Number(pid))) rmSync(join(directory, name), { force: true });
    }
  } catch {
    // Tidying up is no reason to fail.
  }
}

/** Hidden, so that no host takes it for one of its own files. */
function startOfName(target: string): string {
  return `.${basename(target)}.bir-`;
}

function giveTo(fd: number, { uid, gid }: { uid: number; gid: number }): void {
  const now = fstatSync(fd);
  if (now.uid === uid && now.gid === gid) return;
  try {
    fchownSync(fd, uid, gid);
  } catch (cause) {
    // A group that this user is not in cannot be given; another owner must not be changed silently.
    if (now.uid !== uid) throw cause;
  }
}
