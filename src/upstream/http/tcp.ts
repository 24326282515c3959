/**
 * A TCP connection to a host by its name: every address of it is tried, a slow one not holding up the next (RFC 8305, simplified).
 * Bounded by its signal only.
 */

import { closeSync, openSync } from "node:fs";
import { connect, isIP, type Socket } from "node:net";
import { devNull } from "node:os";
import { orAborted, waitOn } from "./socket-wait.ts";
import { isLoopback } from "./url-parts.ts";

/** How long one address is tried alone. */
const HEAD_START_MS = 250;
/** When a quiet connection starts asking whether the other side is still there. */
const KEEP_ALIVE_MS = 60_000;
const OUT_OF_FILES = /^E[MN]FILE$/;

/** @throws the error of an address that refused, else of the first one, or of the name; that of the system where it has no more files to give */
export async function connectTcp(host: string, port: number, signal: AbortSignal): Promise<Socket> {
  try {
    return await connectAny(await orAborted(addressesOf(host), signal), port, signal);
  } catch (error) {
    throw scarcity() ?? error;
  }
}

/**
 * What is missing where no file can be opened any more. The runtime tells that of a socket as if the other side had refused, and of
 * a name as if it could not be found.
 */
function scarcity(): unknown {
  try {
    closeSync(openSync(devNull, "r"));
    return null;
  } catch (error) {
    return OUT_OF_FILES.test(String((error as { code?: unknown }).code)) ? error : null;
  }
}

/** Addresses in the order in which to try them. Uses the system's resolver, which knows more than DNS. */
export async function addressesOf(host: string): Promise<string[]> {
  if (isIP(host) !== 0) return [host];
  // A server of this machine may listen on one of both only, whatever the resolver says of the name.
  const always = isLoopback(host) ? ["127.0.0.1", "::1"] : [];
  if (always.length > 0 && host.includes(".")) return always;
  try {
    const found = await Bun.dns.lookup(host, { backend: "libc" });
    return [...new Set([...found.map(({ address }) => address), ...always])];
  } catch (error) {
    if (always.length > 0) return always;
    throw error;
  }
}

/** The first connection that comes about; the others are closed. */
export function connectAny(addresses: readonly string[], port: number, signal: AbortSignal): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const others = new AbortController();
    const failures: unknown[] = [];
    let next = 0;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const onAbort = (): void => others.abort();
    const settle = (): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", onAbort);
      next = addresses.length;
      others.abort();
    };
    const tryNext = (): void => {
      clearTimeout(timer);
      const address = addresses[next++];
      if (address === undefined) return;
      timer = setTimeout(tryNext, HEAD_START_MS);
      connectTo(address, port, others.signal).then(
        (socket) => {
          // Too late: another came first, or nobody waits any more.
          if (others.signal.aborted) socket.destroy();
          settle();
          resolve(socket);
        },
        (error) => {
          failures.push(error);
          if (failures.length < addresses.length && !others.signal.aborted) return tryNext();
          settle();
          reject(failures.find(isRefusal) ?? failures[0]);
        },
      );
    };
    if (signal.aborted) onAbort();
    signal.addEventListener("abort", onAbort, { once: true });
    if (addresses.length === 0) reject(Object.assign(new Error("no address"), { code: "ENODATA" }));
    tryNext();
  });
}

/** Says more than that an address is of a kind that this machine cannot reach. */
function isRefusal(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ECONNREFUSED";
}

function connectTo(host: string, port: number, signal: AbortSignal): Promise<Socket> {
  const socket = connect({ host, port });
  // Also when nobody watches any more: an error without a listener would end the process.
  socket.on("error", () => {});
  return waitOn<Socket>(socket, signal, (resolve) => {
    const onConnect = (): void => {
      socket.setNoDelay(true);
      socket.setKeepAlive(true, KEEP_ALIVE_MS);
      resolve(socket);
    };
    socket.once("connect", onConnect);
    return () => socket.off("connect", onConnect);
  });
}
