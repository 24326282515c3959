import { closeSync, openSync, readFileSync, rmSync, writeSync } from "node:fs";
import { lockOpenFile } from "./c-library.ts";
import { isProcessAlive, processStartedAt } from "./process-identity.ts";

/**
 * A lock on a file's name that one process of this machine holds at a time. The system arbitrates and lets go of it when its
 * holder ends, however that ends; on Windows, which has no such call, the file says who holds it and ends with its holder.
 */
export class FileLock {
  readonly #fd: number;
  readonly #removed: string | null;

  private constructor(fd: number, removed: string | null) {
    this.#fd = fd;
    this.#removed = removed;
  }

  /** Takes the lock, making its file (0600) where there is none; null while another holds it. Throws what the system says. */
  static take(path: string): FileLock | null {
    if (process.platform === "win32") return takeByOwner(path, (fd) => new FileLock(fd, path));
    const fd = openSync(path, "a", 0o600);
    if (lockOpenFile(fd)) return new FileLock(fd, null);
    closeSync(fd);
    return null;
  }

  release(): void {
    closeSync(this.#fd);
    if (this.#removed !== null) rmSync(this.#removed, { force: true });
  }
}

function takeByOwner(path: string, made: (fd: number) => FileLock): FileLock | null {
  for (let attempt = 0; attempt < 2; attempt++) {
    try {
      const fd = openSync(path, "wx", 0o600);
      writeSync(fd, `${process.pid} ${processStartedAt(process.pid) ?? ""}`);
      return made(fd);
    } catch (cause) {
      if ((cause as { code?: string }).code !== "EEXIST") throw cause;
    }
    const [, pid, startedAt] = /^(\d+) (.*)$/s.exec(ownerOf(path)) ?? [];
    if (pid === undefined || startedAt === undefined || isProcessAlive(Number(pid), startedAt)) return null;
    rmSync(path, { force: true });
  }
  return null;
}

function ownerOf(path: string): string {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return "";
  }
}
