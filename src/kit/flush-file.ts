import { open } from "node:fs/promises";

/**
 * Puts what was written to a file onto its disk without holding up this thread: whoever has to be sure of it afterwards waits for
 * little. Must not be used on a file that this process holds locks on, since closing it lets go of them. Never throws.
 */
export async function flushFile(path: string): Promise<void> {
  try {
    const file = await open(path, "r+");
    try {
      await file.datasync();
    } finally {
      await file.close();
    }
  } catch {
    // It is not there, or cannot be flushed: who needs it on the disk will see.
  }
}
