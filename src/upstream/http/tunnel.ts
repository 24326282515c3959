/**
 * A tunnel through a proxy (CONNECT): the proxy learns the host and the port, and its own credentials, nothing else. What it answers is
 * never quoted but for its status.
 */

import type { Socket } from "node:net";
import { HttpFailure } from "./http.ts";
import type { ProxyServer } from "./proxy-choice.ts";
import { HeadReader } from "./response-head.ts";
import { waitOn } from "./socket-wait.ts";

/**
 * Resolves when bytes go through `socket` to the target.
 * @param authority `host:port`
 * @throws HttpFailure `unreachable` when the proxy does not open it
 */
export function openTunnel(socket: Socket, authority: string, proxy: ProxyServer, signal: AbortSignal): Promise<void> {
  return waitOn<void>(socket, signal, (resolve, reject) => {
    const reader = new HeadReader();
    const onData = (chunk: Buffer): void => {
      try {
        const isOpen = readAnswer(reader, chunk);
        if (!isOpen) return;
        // What comes now belongs to whoever uses the tunnel.
        socket.pause();
        resolve();
      } catch (error) {
        reject(error);
      }
    };
    socket.on("data", onData);
    let head = `CONNECT ${authority} HTTP/1.1\r\nhost: ${authority}\r\n`;
    if (proxy.authorization !== null) head += `proxy-authorization: ${proxy.authorization}\r\n`;
    socket.write(`${head}\r\n`);
    return () => socket.off("data", onData);
  });
}

/** True once the proxy has agreed; false while its answer is not whole. */
function readAnswer(reader: HeadReader, chunk: Buffer): boolean {
  let at = 0;
  while (at < chunk.length) {
    const taken = reader.take(chunk, at);
    if (taken === null) return false;
    at = taken.end;
    const { status } = taken.head;
    if (status < 200) continue;
    if (status >= 300) throw new HttpFailure("unreachable", `the proxy refused (HTTP ${status})`);
    // The server behind it waits for us to begin: these bytes can be nobody's.
    if (at < chunk.length) throw new HttpFailure("unreachable", "the proxy sent more than its answer");
    return true;
  }
  return false;
}
