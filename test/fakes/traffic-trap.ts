/**
 * A proxy that lets nothing through, on an ephemeral port of 127.0.0.1: what a program under test sends to anywhere
 * else comes here by HTTP_PROXY and HTTPS_PROXY, is noted, and ends.
 */

import type { AddressInfo } from "node:net";
import { createServer, type Server, type Socket } from "node:net";

export class TrafficTrap {
  /** The first line of each connection, for instance `CONNECT example.com:443 HTTP/1.1`. */
  readonly caught: string[] = [];
  readonly #sockets = new Set<Socket>();
  readonly #server: Server;

  private constructor() {
    this.#server = createServer((socket) => {
      this.#sockets.add(socket);
      socket.on("error", () => {});
      socket.on("close", () => this.#sockets.delete(socket));
      socket.once("data", (bytes) => {
        this.caught.push(bytes.toString("latin1").split("\r\n", 1)[0] ?? "");
        socket.end("HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
      });
    });
  }

  static async start(): Promise<TrafficTrap> {
    const trap = new TrafficTrap();
    await new Promise<void>((resolve, reject) => {
      trap.#server.once("error", reject);
      trap.#server.listen(0, "127.0.0.1", resolve);
    });
    return trap;
  }

  /** What leads a program's traffic here, except that to this machine. */
  get env(): Record<string, string> {
    const url = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
    return { HTTP_PROXY: url, HTTPS_PROXY: url, http_proxy: url, https_proxy: url, NO_PROXY: "127.0.0.1,localhost" };
  }

  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }
}
