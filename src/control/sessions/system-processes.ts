import { isPidInUse, isProcessAlive } from "../../kit/process-identity.ts";
import type { Processes } from "./housekeeping.ts";

/** On some systems it takes a process to ask when another one was started. */
const VERIFY_EVERY_MS = 60_000;

/** The processes of this machine; which process has a pid is not asked each time. */
export class SystemProcesses implements Processes {
  readonly #verified = new Map<string, { isSame: boolean; at: number }>();

  isThere(pid: number): boolean {
    return isPidInUse(pid);
  }

  isSame(pid: number, startedAt: string): boolean {
    const key = `${pid} ${startedAt}`;
    const now = performance.now();
    const known = this.#verified.get(key);
    if (known !== undefined && now - known.at < VERIFY_EVERY_MS) return known.isSame;
    const isSame = isProcessAlive(pid, startedAt);
    for (const [each, { at }] of this.#verified) if (now - at >= VERIFY_EVERY_MS) this.#verified.delete(each);
    this.#verified.set(key, { isSame, at: now });
    return isSame;
  }
}
