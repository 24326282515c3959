import { Problem } from "../core/problem.ts";
import { readService, readToken, type ServiceConfig } from "../kit/config.ts";
import { modifiedAt } from "../kit/file-facts.ts";
import { configPath, controlDirectory, credentialsPath, joinPath, storePath } from "../kit/paths.ts";
import { isProcessAlive } from "../kit/process-identity.ts";
import { ExclusiveLock } from "../store/exclusive-lock.ts";
import { SinkCursor } from "../store/sink-cursor.ts";
import type { ServiceClient } from "./base-in/service-client.ts";
import type { Sink } from "./base-in/sink.ts";
import { sinkName } from "./sink-name.ts";

/**
 * Sending as the control server has it: follows a person's settings, runs a sink while they name a service, and holds the lock under
 * which one process of a home sends. Never throws: whatever is amiss with sending is told in the log and in `bir status`.
 */

export interface SinkRunnerOptions {
  home: string;
  env: Readonly<Record<string, string | undefined>>;
  /** One line for the log. */
  say: (line: string) => void;
}

/** What is under way when it is to end has so long to come to an answer. */
const LAST_ANSWER_MS = 1500;

interface Running {
  sink: Sink;
  client: ServiceClient;
}

export class SinkRunner {
  readonly #options: SinkRunnerOptions;
  #seen = "";
  #lock: ExclusiveLock | null = null;
  #running: Running | null = null;
  #changing: Promise<void> = Promise.resolve();
  #isChanging = false;
  #isClosed = false;

  constructor(options: SinkRunnerOptions) {
    this.#options = options;
  }

  /** True while something is on its way. */
  get isDelivering(): boolean {
    return this.#isChanging || (this.#running?.sink.isDelivering ?? false);
  }

  /** About once a second: follows the settings. */
  tick(): void {
    if (this.#isChanging || this.#isClosed) return;
    const { home } = this.#options;
    const seen = [configPath(home), credentialsPath(home)].map(modifiedAt).join(" ");
    const isSettled = seen === this.#seen && (this.#running === null || this.#lock?.isInPlace() === true);
    if (isSettled) return;
    this.#seen = seen;
    this.#isChanging = true;
    this.#changing = this.#change().finally(() => {
      this.#isChanging = false;
    });
  }

  /** What waits stays where it is, for the next server. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#changing;
    await this.#end();
  }

  async #change(): Promise<void> {
    try {
      await this.#end();
      const { home } = this.#options;
      const service = readService(home);
      const token = service === null ? null : readToken(service.url, home);
      if (service === null || token === null || this.#isClosed) return;
      this.#lock = ExclusiveLock.take(joinPath(controlDirectory(home), "sink.lock"));
      // Another one sends: it is looked again with the next tick.
      if (this.#lock === null) this.#seen = "";
      else this.#running = await this.#start(service, token);
    } catch (cause) {
      const why = cause instanceof Problem ? cause.message : "the settings cannot be read";
      this.#options.say(`nothing is sent to a recordings service: ${why} (DEG-21)`);
    }
  }

  /** What sends is loaded only where something is sent. */
  async #start(service: ServiceConfig, token: string): Promise<Running> {
    const { home, env, say } = this.#options;
    const [{ ServiceClient }, { Sink }] = await Promise.all([
      import("./base-in/service-client.ts"),
      import("./base-in/sink.ts"),
    ]);
    const client = new ServiceClient({ url: service.url, token, env, now: Date.now, warn: say });
    const path = storePath(home);
    const sink = new Sink({
      open: () => SinkCursor.open(path, sinkName(service.url), service.since),
      link: client,
      clock: { now: Date.now, steady: () => performance.now(), wait },
      say,
      isAlive: isProcessAlive,
    });
    sink.start();
    return { sink, client };
  }

  async #end(): Promise<void> {
    const running = this.#running;
    this.#running = null;
    if (running !== null) {
      const timer = setTimeout(() => running.client.close(), LAST_ANSWER_MS);
      await running.sink.stop();
      clearTimeout(timer);
      running.client.close();
    }
    this.#lock?.release();
    this.#lock = null;
  }
}

async function wait(ms: number, until?: AbortSignal): Promise<void> {
  if (until?.aborted) return;
  await new Promise<void>((resolve) => {
    const timer = setTimeout(done, ms);
    until?.addEventListener("abort", done, { once: true });
    function done(): void {
      clearTimeout(timer);
      until?.removeEventListener("abort", done);
      resolve();
    }
  });
}
