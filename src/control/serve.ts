import { DISCARDED_BYTES } from "../http-server/body.ts";
import { problemAnswer } from "../http-server/problem-answer.ts";
import { newSecret } from "../http-server/secret.ts";
import type { ServerLog } from "../http-server/server-log.ts";
import { controlDirectory } from "../kit/paths.ts";
import { makePrivateDirectory } from "../kit/private-files.ts";
import { processStartedAt } from "../kit/process-identity.ts";
import type { ExclusiveLock } from "../store/exclusive-lock.ts";
import { controlApp } from "./app.ts";
import { PROXY_BODY_BYTES } from "./bounds.ts";
import { DiscoveryFiles, type OwnDiscovery } from "./discovery-files.ts";
import { type Forwarding, NO_FORWARDING } from "./forwarding.ts";
import { guardWith } from "./guard.ts";
import { healthOf } from "./health.ts";
import { untilNotNeeded } from "./life.ts";
import type { Recorder } from "./recorder.ts";
import { SpoolDrain } from "./spool/spool-drain.ts";
import { LineTaker } from "./spool/spooled-line.ts";
import { Use } from "./use.ts";

/**
 * The life of a server that holds its lock: listens on this machine only, says where, takes up what waits, and stays as long
 * as it is used. It goes by itself, and when it is told to; whatever happens to one request, it stays for the others.
 */

export interface ServeOptions {
  home: string;
  lock: ExclusiveLock;
  recorder: Recorder;
  /** Sends on what was recorded; nothing does where it is left out. */
  forwarding?: Forwarding;
  log: ServerLog;
  /** How long it stays while nothing uses it. */
  idleMs: number;
  /** Fires when it is told to go. */
  leave: AbortSignal;
  /** Called once it can be found. */
  onReady?: (own: OwnDiscovery) => void;
}

/** Requests wait so long for what the spool holds; the rest of it is taken up beside them. */
const FIRST_DRAIN_MS = 2000;
/** A hook that ends something waits so long for what was left in the spool. */
const SPOOL_MOMENT_MS = 50;
/** What is under way when the server leaves has so long to end. */
const LAST_REQUESTS_MS = 2000;
const CLOSE_MS = 10_000;

/** Serves until it is told to go or is not needed. Throws what the system says where it cannot listen or be found. */
export async function serve(options: ServeOptions): Promise<void> {
  const { home, recorder, forwarding = NO_FORWARDING, log, onReady } = options;
  const use = new Use();
  const token = newSecret();
  const { promise: ready, resolve: letThrough } = Promise.withResolvers<void>();

  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 0,
    development: false,
    // Beyond what any route reads: the runtime's own refusal would be lost on a sender that still writes.
    maxRequestBodySize: 2 * (PROXY_BODY_BYTES + DISCARDED_BYTES),
    fetch: (request, { port }) => app.fetch(request, { port: port ?? 0 }),
    error: (cause) => {
      log.fault("serving", cause);
      return problemAnswer(500);
    },
  });
  const own: OwnDiscovery = {
    url: `http://127.0.0.1:${server.port}`,
    token,
    pid: process.pid,
    startedAt: Date.now(),
    processStartedAt: processStartedAt(process.pid) ?? "unknown",
  };
  const files = new DiscoveryFiles(home, own, log);
  const app = controlApp({
    guard: guardWith(token),
    recorder,
    use,
    log,
    ready,
    takeUpSpool: () => Promise.race([drain.pass(), Bun.sleep(SPOOL_MOMENT_MS)]),
    health: () => healthOf(own, recorder.occupation()),
    heardOf: files.heardOf,
  });
  const drain = new SpoolDrain(home, new LineTaker(recorder, files.heardOf), log);

  try {
    files.takeOver();
    files.publish();
  } catch (cause) {
    files.remove();
    await server.stop(true);
    await recorder.close();
    throw cause;
  }
  log.say(`serving at ${own.url}, version ${healthOf(own, recorder.occupation()).version}`);
  onReady?.(own);
  await Promise.race([use.during(() => drain.pass()), Bun.sleep(FIRST_DRAIN_MS)]);
  letThrough();

  const why = await untilNotNeeded({ ...options, forwarding, use, files, drain });
  log.say(`leaving: ${why}`);
  if (options.lock.isInPlace()) files.remove();
  await Promise.race([use.leave(), Bun.sleep(LAST_REQUESTS_MS)]);
  await server.stop(true);
  await Promise.race([Promise.all([recorder.close(), forwarding.close()]), Bun.sleep(CLOSE_MS)]);
}

/** Where everything of the server's own lives; made for its owner alone. Throws what the system says. */
export function makeControlDirectory(home: string): void {
  makePrivateDirectory(controlDirectory(home));
}
