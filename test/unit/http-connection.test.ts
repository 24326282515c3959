import type { Socket } from "node:net";
import { Duplex } from "node:stream";
import { describe, expect, test } from "vitest";
import { Connection, type Ending } from "../../src/upstream/http/connection.ts";
import { whole } from "../fakes/http/client.ts";

/** One connection over a stream of the test's own: what real sockets do only by chance. */

/** A socket as far as a connection looks at it; what is written is taken at once. */
class FakeSocket extends Duplex {
  override _read(): void {}
  override _write(_chunk: unknown, _encoding: string, done: () => void): void {
    done();
  }
}

function connected(): { socket: FakeSocket; connection: Connection; told: string[] } {
  const socket = new FakeSocket();
  const told: string[] = [];
  const onIdle = (_: Connection, idleMs: number): void => void told.push(`idle ${idleMs}`);
  const onClosed = (_: Connection, ending: Ending): void => void told.push(`over: ${ending}`);
  const connection = new Connection(socket as unknown as Socket, onIdle, onClosed);
  return { socket, connection, told };
}

const NOW = { signal: new AbortController().signal, onWritten: () => {} };

test("an answer that ends while its connection was paused leaves it listening", async () => {
  const { socket, connection, told } = connected();
  const answer = connection.send("POST / HTTP/1.1\r\n\r\n", null, NOW);
  await new Promise((resolve) => setImmediate(resolve));
  socket.emit("data", Buffer.from("HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nab"));
  expect(socket.isPaused()).toBe(true);
  socket.emit("data", Buffer.from("cd"));
  expect(told).toEqual(["idle 4000"]);
  expect(socket.isPaused()).toBe(false);
  expect((await whole(await answer)).toString()).toBe("abcd");
  socket.push(null);
  await new Promise((resolve) => socket.once("close", resolve));
  expect([connection.isOpen, told]).toEqual([false, ["idle 4000", "over: idle"]]);
});

test("carries one exchange at a time, and none once it has ended", async () => {
  const { socket, connection, told } = connected();
  const first = connection.send("POST / HTTP/1.1\r\n\r\n", null, NOW).catch((error) => error);
  await expect(connection.send("POST / HTTP/1.1\r\n\r\n", null, NOW)).rejects.toMatchObject({ kind: "unreachable" });
  socket.destroy(new Error("broken"));
  expect(await first).toMatchObject({ kind: "lost" });
  expect(told).toEqual(["over: closed"]);
  await expect(connection.send("POST / HTTP/1.1\r\n\r\n", null, NOW)).rejects.toMatchObject({ kind: "unreachable" });
});

describe("how it came to its end", () => {
  const OK = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n";
  const send = (connection: Connection): Promise<unknown> =>
    connection.send("POST / HTTP/1.1\r\n\r\n", null, NOW).catch(() => {});

  test.each<[string, Ending, (socket: FakeSocket, connection: Connection) => void]>([
    ["ended while idle", "idle", (socket) => socket.push(null)],
    ["broken while idle", "idle", (socket) => socket.destroy(new Error("broken"))],
    ["bytes while idle", "idle", (socket) => socket.push("HTTP/1.1 408 Request Timeout\r\n\r\n")],
    ["closed by us while idle", "closed", (_, connection) => connection.close()],
    [
      "ended after the next request, before an answer",
      "unheard",
      (socket, connection) => {
        void send(connection);
        socket.push(null);
      },
    ],
    [
      "broken after the next request, before an answer",
      "unheard",
      (socket, connection) => {
        void send(connection);
        socket.destroy(new Error("broken"));
      },
    ],
    [
      "ended in the next answer",
      "closed",
      (socket, connection) => {
        void send(connection);
        socket.push("HTTP");
        socket.push(null);
      },
    ],
    [
      "the next request given up",
      "closed",
      (_, connection) => {
        const abort = new AbortController();
        connection.send("POST / HTTP/1.1\r\n\r\n", null, { ...NOW, signal: abort.signal }).catch(() => {});
        abort.abort();
      },
    ],
  ])("%s: %s", async (_, ending, act) => {
    const { socket, connection, told } = connected();
    void send(connection);
    // The request is out.
    await new Promise((resolve) => setImmediate(resolve));
    socket.emit("data", Buffer.from(`${OK}ok`));
    act(socket, connection);
    await new Promise((resolve) => socket.once("close", resolve));
    expect(told).toEqual(["idle 4000", `over: ${ending}`]);
  });

  test("ended after the first request, before an answer: closed", async () => {
    const { socket, connection, told } = connected();
    void send(connection);
    socket.push(null);
    await new Promise((resolve) => socket.once("close", resolve));
    expect(told).toEqual(["over: closed"]);
  });
});

test.each([
  [10, 1],
  [200_000, 2],
])("a body of %i bytes goes out with its head in %i writes", async (length, writes) => {
  const { socket, connection } = connected();
  const written: Buffer[] = [];
  socket._write = (chunk: Buffer, _encoding, done) => {
    written.push(chunk);
    done();
  };
  const body = Buffer.alloc(length, "x");
  const { promise: isWhole, resolve: onWritten } = Promise.withResolvers<boolean>();
  void connection.send("POST / HTTP/1.1\r\nx: \u00fc\r\n\r\n", body, { ...NOW, onWritten }).catch(() => {});
  expect(await isWhole).toBe(true);
  expect(written).toHaveLength(writes);
  expect(
    Buffer.concat(written).equals(Buffer.concat([Buffer.from("POST / HTTP/1.1\r\nx: \u00fc\r\n\r\n", "latin1"), body])),
  ).toBe(true);
  connection.close();
});
