import { readDiscovery } from "../../kit/discovery.ts";
import { isThere } from "../../kit/is-there.ts";
import { debug } from "../../kit/log.ts";
import { configPath, serverDiscoveryPath } from "../../kit/paths.ts";
import { isProcessAlive } from "../../kit/process-identity.ts";
import { startServer } from "../../kit/start-server.ts";

/**
 * What a proxy has recorded by itself goes to a recordings service, where a person has named one: it is the control server that
 * sends it, so one is started. Looks beside what passes, never on its way; one look at one file where none is named.
 */

const LOOK_EVERY_MS = 30_000;

export class Forwarding {
  #nextLook = 0;
  #hasStarted = false;
  #hasRecorded = false;
  #looking: Promise<void> | null = null;

  /** This proxy has started a server for sending: which is no reason to leave a run that has begun here. */
  get hasStarted(): boolean {
    return this.#hasStarted;
  }

  /** Something was committed. */
  recorded(): void {
    this.#hasRecorded = true;
    const now = performance.now();
    if (now < this.#nextLook || this.#looking !== null) return;
    this.#nextLook = now + LOOK_EVERY_MS;
    this.#looking = this.#look().finally(() => {
      this.#looking = null;
    });
  }

  /** Something is committed last, and looked after with `close`. */
  willRecord(): void {
    this.#hasRecorded = true;
  }

  /** The last was committed. */
  async close(): Promise<void> {
    await this.#looking;
    if (this.#hasRecorded) await this.#look();
  }

  async #look(): Promise<void> {
    if (!(await isThere(configPath())) || !(await isServiceNamed()) || isServed()) return;
    const start = startServer();
    this.#hasStarted ||= start === "started";
    debug("proxy", () => `control server, for sending: ${start}`);
  }
}

/** Settings that cannot be understood name none. */
async function isServiceNamed(): Promise<boolean> {
  try {
    const { readService } = await import("../../kit/config.ts");
    return readService() !== null;
  } catch {
    return false;
  }
}

/** A server has said where it is, and its process is there. */
function isServed(): boolean {
  const { pid, processStartedAt } = readDiscovery(serverDiscoveryPath()) ?? {};
  return typeof pid === "number" && typeof processStartedAt === "string" && isProcessAlive(pid, processStartedAt);
}
