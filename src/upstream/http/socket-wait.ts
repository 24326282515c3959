/**
 * Waiting for something to become of a socket that is being set up. However the wait ends, no listener stays; where it fails, the
 * socket is closed.
 */

import type { Socket } from "node:net";

/**
 * Resolves with what `watch` resolves. Rejects when the socket fails or ends first, and when `signal` is aborted.
 * @param watch starts watching; answers how to stop
 */
export function waitOn<T>(
  socket: Socket,
  signal: AbortSignal,
  watch: (resolve: (value: T) => void, reject: (error: unknown) => void) => () => void,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const fail = (error: unknown): void => {
      stop();
      socket.destroy();
      reject(error);
    };
    const onAbort = (): void => fail(new Error("given up"));
    const onEnd = (): void => fail(endedError());
    let stopWatching = (): void => {};
    const stop = (): void => {
      stopWatching();
      signal.removeEventListener("abort", onAbort);
      socket.off("error", fail);
      socket.off("end", onEnd);
      socket.off("close", onEnd);
    };
    if (signal.aborted) return onAbort();
    signal.addEventListener("abort", onAbort, { once: true });
    socket.on("error", fail);
    socket.on("end", onEnd);
    socket.on("close", onEnd);
    stopWatching = watch((value) => {
      stop();
      resolve(value);
    }, fail);
  });
}

/** What `work` comes to, unless `signal` is aborted first; then `work` is left to itself. */
export function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(new Error("given up"));
    if (signal.aborted) onAbort();
    signal.addEventListener("abort", onAbort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
  });
}

function endedError(): Error {
  return Object.assign(new Error("ended"), { code: "ECONNRESET" });
}
