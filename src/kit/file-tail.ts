import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";

/**
 * Reads a file that another process appends to, at an offset. Never waits, never locks, never changes anything; a path that
 * cannot be opened, or is no plain file, is as good as absent.
 */

/** An open file and what it was when it was opened; positions are bytes. */
export interface OpenFile {
  /** Device and file number: differs between two files that had the same name one after the other. */
  readonly identity: string;
  readonly sizeBytes: number;
  /** Fills `into` from `offset` on; answers how many bytes, 0 at the end or where reading fails. */
  read(offset: number, into: Uint8Array): number;
  close(): void;
}

/** Opens `path` as it is now; null where there is no file that can be read. */
export function openTail(path: string): OpenFile | null {
  let descriptor: number;
  try {
    // A pipe with no writer would hold up an ordinary open.
    descriptor = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  } catch {
    return null;
  }
  try {
    const found = fstatSync(descriptor, { bigint: true });
    if (found.isFile()) {
      return {
        identity: `${found.dev}:${found.ino}`,
        sizeBytes: Number(found.size),
        read: (offset, into) => {
          try {
            return readSync(descriptor, into, 0, into.length, offset);
          } catch {
            return 0;
          }
        },
        close: () => closeSync(descriptor),
      };
    }
  } catch {
    // As where it is no file.
  }
  closeSync(descriptor);
  return null;
}
