/**
 * A disk that can be filled to its last byte: a small file system in memory, mounted where a test wants its home.
 * Only root may mount; `mountSmallDisk` answers null where it is not permitted.
 */

import { closeSync, mkdirSync, openSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";

export interface SmallDisk {
  /** Takes all the space that is left. */
  fill(): void;
  /** Gives back what `fill` has taken. */
  free(): void;
  unmount(): void;
}

const PIECE_BYTES = 64 * 1024;

export function mountSmallDisk(path: string, sizeMib: number): SmallDisk | null {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  const options = `size=${sizeMib}m,mode=0700`;
  if (process.platform !== "linux" || Bun.which("mount") === null) return null;
  if (!Bun.spawnSync(["mount", "-t", "tmpfs", "-o", options, "tmpfs", path]).success) return null;
  const filler = join(path, "filler");
  return {
    fill: () => fillUp(filler),
    free: () => rmSync(filler, { force: true }),
    unmount: () => void Bun.spawnSync(["umount", "-l", path]),
  };
}

/** Ever smaller pieces, so that not a byte is left. */
function fillUp(path: string): void {
  const file = openSync(path, "a", 0o600);
  try {
    for (let size = PIECE_BYTES; size >= 1; ) {
      try {
        writeSync(file, Buffer.alloc(size, 0x78));
      } catch (cause) {
        if ((cause as { code?: string }).code !== "ENOSPC") throw cause;
        size = size === 1 ? 0 : size >> 1;
      }
    }
  } finally {
    closeSync(file);
  }
}
