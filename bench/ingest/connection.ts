/**
 * One keep-alive HTTP/1.1 connection that costs next to nothing: what is measured is the server, not a client's machinery. One
 * request at a time; reads no more of an answer than its status and its length.
 */

interface Waiting {
  resolve: (status: number) => void;
  reject: (cause: Error) => void;
}

export class Connection {
  readonly #socket: Bun.Socket<undefined>;
  readonly #head: string;
  #waiting: Waiting | null = null;
  #answer = "";
  #unsent: Uint8Array = new Uint8Array(0);

  private constructor(socket: Bun.Socket<undefined>, head: string) {
    this.#socket = socket;
    this.#head = head;
  }

  static async open(port: number, token: string): Promise<Connection> {
    const opened = Promise.withResolvers<Connection>();
    const head = `host: 127.0.0.1:${port}\r\nauthorization: Bearer ${token}\r\ncontent-type: application/json\r\n`;
    let connection: Connection | null = null;
    await Bun.connect({
      hostname: "127.0.0.1",
      port,
      socket: {
        open: (socket) => {
          connection = new Connection(socket, head);
          opened.resolve(connection);
        },
        data: (_socket, bytes) => connection?.take(bytes.toString("latin1")),
        drain: () => connection?.push(),
        close: () => connection?.fail(new Error("the server closed the connection")),
        error: (_socket, cause) => connection?.fail(cause),
        connectError: (_socket, cause) => opened.reject(cause),
      },
    });
    return opened.promise;
  }

  /** Answers the status. */
  request(method: string, path: string, body: string): Promise<number> {
    const { promise, resolve, reject } = Promise.withResolvers<number>();
    this.#waiting = { resolve, reject };
    const length = Buffer.byteLength(body);
    const text = `${method} ${path} HTTP/1.1\r\n${this.#head}content-length: ${length}\r\n\r\n${body}`;
    this.#unsent = Buffer.from(text);
    this.push();
    return promise;
  }

  close(): void {
    this.#socket.end();
  }

  push(): void {
    if (this.#unsent.length > 0) this.#unsent = this.#unsent.subarray(this.#socket.write(this.#unsent));
  }

  take(text: string): void {
    this.#answer += text;
    const end = this.#answer.indexOf("\r\n\r\n");
    if (end < 0) return;
    const length = Number(/content-length: *(\d+)/i.exec(this.#answer.slice(0, end))?.[1] ?? 0);
    if (this.#answer.length < end + 4 + length) return;
    const status = Number(this.#answer.slice(9, 12));
    this.#answer = this.#answer.slice(end + 4 + length);
    this.#waiting?.resolve(status);
  }

  fail(cause: Error): void {
    this.#waiting?.reject(cause);
  }
}
