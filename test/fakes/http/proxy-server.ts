/**
 * An HTTP proxy on an ephemeral port of 127.0.0.1, plain or over TLS: opens tunnels (CONNECT) and passes on requests that name a whole
 * address. Keeps what it was asked. Any host but an address leads to 127.0.0.1, so that names that exist nowhere can be used.
 */

import { connect, type Socket } from "node:net";
import { answer, RawHttpServer, type RawPeer, type RawRequest, type RawServerOptions } from "./raw-server.ts";

/** `silent`: takes the request and never answers. `refuse`: answers with a status instead. */
export type ProxyMood = "pass" | "silent" | { refuse: string };

export class ProxyServer {
  readonly #server: RawHttpServer;
  mood: ProxyMood = "pass";
  /** The value of `proxy-authorization` without which nothing passes; null = anybody may. */
  authorization: string | null = null;
  readonly #sockets = new Set<Socket>();

  private constructor(server: RawHttpServer) {
    this.#server = server;
    server.script = (request, peer) => this.#answer(request, peer);
  }

  static async start(options: Pick<RawServerOptions, "tls"> = {}): Promise<ProxyServer> {
    return new ProxyServer(await RawHttpServer.start(options));
  }

  get port(): number {
    return this.#server.port;
  }

  /** What it was asked: heads as they came. Bytes in a tunnel are not among them. */
  get requests(): readonly RawRequest[] {
    return this.#server.requests;
  }

  /** What stands in the request lines: `CONNECT host:port`, `POST http://host/…`. */
  get asked(): string[] {
    return this.requests.map(({ method, target }) => `${method} ${target}`);
  }

  /** Its address for a variable; with credentials if given. */
  url(userInfo = "", host = "127.0.0.1"): string {
    return this.#server.url("", host).href.replace("//", `//${userInfo === "" ? "" : `${userInfo}@`}`);
  }

  /** Connections that the other side has not ended. */
  get openCount(): number {
    return this.#server.openCount;
  }

  async until(isTrue: (proxy: this) => boolean): Promise<void> {
    await this.#server.until(() => isTrue(this));
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await this.#server.close();
  }

  async #answer(request: RawRequest, peer: RawPeer): Promise<void> {
    if (this.mood === "silent") return;
    if (this.authorization !== null && request.headers.get("proxy-authorization") !== this.authorization) {
      return peer.write(answer("who are you", {}, "407 Proxy Authentication Required"));
    }
    if (this.mood !== "pass") return peer.write(answer("no", {}, this.mood.refuse));
    if (request.method === "CONNECT") return this.#tunnel(request, peer);
    await this.#passOn(request, peer);
  }

  async #tunnel({ target }: RawRequest, { socket }: RawPeer): Promise<void> {
    const upstream = await this.#reach(target);
    if (upstream === null) return void socket.end(answer("", {}, "502 Bad Gateway"));
    // What comes from here on is no request any more.
    socket.removeAllListeners("data");
    socket.write("HTTP/1.1 200 Connection established\r\n\r\n");
    join(socket, upstream);
  }

  /** One request on a connection of its own; its answer goes back as it comes. */
  async #passOn({ method, target, head, body }: RawRequest, { socket }: RawPeer): Promise<void> {
    const url = new URL(target);
    const upstream = await this.#reach(url.host.includes(":") ? url.host : `${url.host}:80`);
    if (upstream === null) return void socket.end(answer("", {}, "502 Bad Gateway"));
    const headers = head
      .split("\r\n")
      .slice(1)
      .filter((line) => !/^proxy-/i.test(line));
    upstream.write(`${[`${method} ${url.pathname}${url.search} HTTP/1.1`, ...headers].join("\r\n")}\r\n\r\n`);
    upstream.write(body);
    upstream.on("data", (chunk) => socket.write(chunk));
    upstream.on("close", () => socket.destroy());
    socket.on("close", () => upstream.destroy());
  }

  #reach(authority: string): Promise<Socket | null> {
    const [, host = "", port = ""] = /^(.*):(\d+)$/.exec(authority) ?? [];
    const socket = connect({ host: /^[\d.]+$/.test(host) ? host : "127.0.0.1", port: Number(port) });
    this.#sockets.add(socket);
    return new Promise((resolve) => {
      socket.once("connect", () => resolve(socket));
      socket.on("error", () => resolve(null));
    });
  }
}

function join(one: Socket, other: Socket): void {
  one.on("data", (chunk) => other.write(chunk));
  other.on("data", (chunk) => one.write(chunk));
  one.on("close", () => other.destroy());
  other.on("close", () => one.destroy());
}
