import {
  closeSync,
  fchmodSync,
  fchownSync,
  fsyncSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";

/** Writes a file of a person's in one step: its mode and its owner stay, and a link to it stays a link. */

/** `content` takes the place of what the file holds. Throws what the system says; then the file is as it was. */
export function overwriteFile(path: string, content: Uint8Array): void {
  const target = realpathSync(path);
  const { mode, uid, gid } = statSync(target);
  const beside = `${target}.${process.pid}.tmp`;
  try {
    const file = openSync(beside, "wx", 0o600);
    try {
      writeFileSync(file, content);
      keepOwner(file, uid, gid);
      fchmodSync(file, mode & 0o7777);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(beside, target);
  } catch (cause) {
    if ((cause as { code?: string }).code !== "EEXIST") rmSync(beside, { force: true });
    throw cause;
  }
}

/** A group of which this user is no member cannot be given: the file is then of this user's own group. */
function keepOwner(file: number, uid: number, gid: number): void {
  if (process.platform === "win32") return;
  try {
    fchownSync(file, uid, gid);
  } catch {
    // The mode alone is kept.
  }
}
