import type { ServerLog } from "../http-server/server-log.ts";
import { isHangUpIgnored } from "../kit/c-library.ts";

/** How a process lives that serves until it is told to go. */

/** Fires when the system, or a person, tells this process to go. */
export function leaveSignal(): AbortSignal {
  const controller = new AbortController();
  const signals: NodeJS.Signals[] = ["SIGTERM", "SIGINT"];
  if (!isHangUpIgnored()) signals.push("SIGHUP");
  for (const signal of signals) process.on(signal, () => controller.abort());
  // A reader that has gone away is no reason to go.
  process.on("SIGPIPE", () => {});
  return controller.signal;
}

/** One request that fails in a way nobody thought of must not take the others with it. */
export function surviveFaults(log: ServerLog): void {
  process.on("uncaughtException", (cause) => log.fault("serving, uncaught", cause));
  process.on("unhandledRejection", (cause) => log.fault("serving, unhandled", cause));
}
