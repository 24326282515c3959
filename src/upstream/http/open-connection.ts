/**
 * From a route to a connection over which requests can go: name, TCP, the proxy's own TLS, its tunnel, and TLS with the server, all
 * together within one span of time. What went wrong is told in words, and nothing is left open.
 */

import type { Socket } from "node:net";
import type { SecureContext } from "node:tls";
import { connectWords, spanWords } from "./failure-words.ts";
import { HttpFailure } from "./http.ts";
import type { Route } from "./route.ts";
import { secure } from "./secure.ts";
import { connectTcp } from "./tcp.ts";
import { openTunnel } from "./tunnel.ts";

export interface OpenOptions {
  timeoutMs: number;
  /** Asked only where there is TLS. */
  trust: () => SecureContext;
  signal: AbortSignal;
}

/** @throws HttpFailure `unreachable`, or `aborted` by the signal */
export async function openConnection(route: Route, { timeoutMs, trust, signal }: OpenOptions): Promise<Socket> {
  const attempt = new AbortController();
  const onAbort = (): void => attempt.abort();
  signal.addEventListener("abort", onAbort, { once: true });
  const timer = setTimeout(onAbort, timeoutMs);
  const opened: Socket[] = [];
  try {
    if (signal.aborted) onAbort();
    const socket = await takeSteps(route, trust, attempt.signal, opened);
    if (attempt.signal.aborted) throw new Error("too late");
    return socket;
  } catch (error) {
    for (const socket of opened.reverse()) socket.destroy();
    if (signal.aborted) throw new HttpFailure("aborted", "the request was given up");
    if (attempt.signal.aborted) throw new HttpFailure("unreachable", `no connection within ${spanWords(timeoutMs)}`);
    throw error instanceof HttpFailure ? error : new HttpFailure("unreachable", connectWords(error));
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", onAbort);
  }
}

/** @param opened gets every socket, the outermost first */
async function takeSteps(
  { isSecure, host, port, authority, proxy }: Route,
  trust: () => SecureContext,
  signal: AbortSignal,
  opened: Socket[],
): Promise<Socket> {
  const keep = (socket: Socket): Socket => {
    opened.push(socket);
    return socket;
  };
  let socket: Socket;
  if (proxy === null) {
    socket = keep(await connectTcp(host, port, signal));
  } else {
    try {
      socket = keep(await connectTcp(proxy.host, proxy.port, signal));
      if (proxy.isSecure) socket = keep(await secure(socket, proxy.host, trust(), signal));
    } catch (error) {
      throw new HttpFailure("unreachable", `the proxy cannot be reached: ${connectWords(error)}`);
    }
    if (isSecure) await openTunnel(socket, authority, proxy, signal);
  }
  return isSecure ? keep(await secure(socket, host, trust(), signal)) : socket;
}
