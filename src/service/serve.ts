import { STEPS_BODY_BYTES } from "../core/api/recordings.ts";
import { DISCARDED_BYTES } from "../http-server/body.ts";
import { problemAnswer } from "../http-server/problem-answer.ts";
import { joinPath, viewDirectory } from "../kit/paths.ts";
import { makePrivateDirectory } from "../kit/private-files.ts";
import { processStartedAt } from "../kit/process-identity.ts";
import { ExclusiveLock } from "../store/exclusive-lock.ts";
import { listen } from "./listen.ts";
import { openService, type Service, type ServiceOptions } from "./service.ts";
import {
  publishDiscovery,
  readServiceDiscovery,
  removeOpeners,
  type ServiceDiscovery,
  withdrawDiscovery,
} from "./service-files.ts";

/**
 * The life of the service that holds its home's lock: listens, says where, and stays until it is told to go. Then it takes nothing
 * new, ends what lasts, writes what was taken, and carries out what is to be deleted.
 */

export interface ServeOptions extends Omit<ServiceOptions, "own"> {
  /** The port that is asked for; null: the usual one, or any other where that is taken. */
  port: number | null;
  /** The address to listen on beside this machine's own; null: none. */
  host: string | null;
  /** Fires when it is told to go. */
  leave: AbortSignal;
  /** Called once it can be found. */
  onReady: (ready: { own: ServiceDiscovery; sessions: Service["sessions"] }) => void;
}

const TICK_MS = 1000;
/** What is being answered when the service leaves has so long to end. */
const LAST_ANSWERS_MS = 2000;
const CLOSE_MS = 60_000;

/** The lock of a home's only service; null where another one has it. Throws what the system says. */
export function takeServiceLock(home: string): ExclusiveLock | null {
  makePrivateDirectory(viewDirectory(home));
  return ExclusiveLock.take(joinPath(viewDirectory(home), "server.lock"));
}

/** Serves until it is told to go. Throws Problem where it cannot listen, and what the system says where it cannot be found. */
export async function serve(options: ServeOptions, lock: ExclusiveLock): Promise<void> {
  const { home, log, leave } = options;
  const identity = { pid: process.pid, processStartedAt: processStartedAt(process.pid) ?? "unknown" };
  const startedAt = Date.now();
  const service = openService({ ...options, own: { ...identity, startedAt } });
  const sockets = listen({
    port: options.port,
    host: options.host,
    // Beyond what any route reads: the runtime's own refusal would be lost on a sender that still writes.
    maxBodyBytes: 2 * (STEPS_BODY_BYTES + DISCARDED_BYTES),
    fetch: (request, port) => (leave.aborted ? leaving() : service.fetch(request, port)),
    onFault: (cause) => log.fault("serving", cause),
  });
  // What a service that was killed has left opens nothing any more.
  removeOpeners(home);
  const own: ServiceDiscovery = { url: `http://127.0.0.1:${sockets.port}`, ...identity, startedAt };
  try {
    publishDiscovery(home, own);
  } catch (cause) {
    await sockets.stop(true);
    await service.close();
    throw cause;
  }
  log.say(`serving at ${own.url}`);
  options.onReady({ own, sessions: service.sessions });
  log.say(`leaving: ${await untilTold(home, own, lock, leave)}`);
  if (lock.isInPlace()) {
    withdrawDiscovery(home, own);
    removeOpeners(home);
  }
  service.endStreams();
  await Promise.race([sockets.stop(false), Bun.sleep(LAST_ANSWERS_MS)]);
  await sockets.stop(true);
  await Promise.race([service.close(), Bun.sleep(CLOSE_MS)]);
}

/** Resolves with the reason to go; looks after the files meanwhile. */
async function untilTold(
  home: string,
  own: ServiceDiscovery,
  lock: ExclusiveLock,
  leave: AbortSignal,
): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  const told = () => resolve("told to");
  leave.addEventListener("abort", told);
  const timer = setInterval(() => {
    if (!lock.isInPlace()) return resolve("the home is another one now");
    removeOpeners(home, Date.now());
    if (readServiceDiscovery(home)?.startedAt !== own.startedAt) keepInPlace(home, own);
  }, TICK_MS);
  if (leave.aborted) told();
  try {
    return await promise;
  } finally {
    clearInterval(timer);
    leave.removeEventListener("abort", told);
  }
}

function keepInPlace(home: string, own: ServiceDiscovery): void {
  try {
    publishDiscovery(home, own);
  } catch {
    // It cannot be found just now; those who know its address reach it all the same.
  }
}

function leaving(): Response {
  const more = { title: "the service is leaving", code: "leaving" };
  return problemAnswer(503, more, { "retry-after": "1", connection: "close" });
}
