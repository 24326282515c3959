import { controlDirectory, joinPath } from "../kit/paths.ts";
import { ExclusiveLock } from "../store/exclusive-lock.ts";

/**
 * One server for a home, whoever starts it and how many at once. Whoever comes while another holds the lock leaves, but one of
 * them waits a little: the holder may be just about to leave, and then nobody would be there.
 */

const WAIT_MS = 3000;
const LOOK_AGAIN_MS = 40;

/**
 * The lock, for as long as this process lives; null where another server is there, or is about to be. `isServed` tells
 * whether one answers. Throws what the system says.
 */
export async function takeServerLock(home: string, isServed: () => Promise<boolean>): Promise<ExclusiveLock | null> {
  const path = joinPath(controlDirectory(home), "server.lock");
  const lock = ExclusiveLock.take(path);
  if (lock !== null) return lock;
  const place = ExclusiveLock.take(joinPath(controlDirectory(home), "next.lock"));
  if (place === null) return null;
  try {
    const end = performance.now() + WAIT_MS;
    while (performance.now() < end && !(await isServed())) {
      const freed = ExclusiveLock.take(path);
      if (freed !== null) return freed;
      await Bun.sleep(LOOK_AGAIN_MS);
    }
    return null;
  } finally {
    place.release();
  }
}
