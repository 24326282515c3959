import { beforeEach, describe, expect, test } from "vitest";
import { ConnectionPool } from "../../src/upstream/http/connection-pool.ts";
import { TestClient } from "../fakes/http/client.ts";
import { answer, RawHttpServer } from "../fakes/http/raw-server.ts";

/** Servers that close a connection behind their answer without saying so: what is learnt of them, and forgotten again. */

class Fake {
  isOpen = true;
  close(): void {
    this.isOpen = false;
  }
}

let now = 0;
let pool: ConnectionPool<Fake>;

beforeEach(() => {
  now = 1000;
  pool = new ConnectionPool<Fake>(() => now);
});

/** A connection that has carried an answer. */
function given(key = "a"): Fake {
  const connection = new Fake();
  pool.give(key, connection, 9000);
  return connection;
}

/** The other side ends it, after so long. */
function endedAfter(ms: number, connection: Fake, key = "a"): void {
  now += ms;
  connection.isOpen = false;
  pool.endedIdle(key, connection);
}

describe("no connection is used again", () => {
  test("once one was closed within a second of its release, for this key only", () => {
    const other = given();
    const elsewhere = given("b");
    endedAfter(999, given());
    expect([pool.mayReuse("a"), pool.take("a"), pool.mayReuse("b"), pool.take("b")]).toEqual([
      false,
      null,
      true,
      elsewhere,
    ]);
    expect(other.isOpen).toBe(true);
  });

  test("once a request was lost on one that was used before", () => {
    given();
    pool.endedUnheard("a");
    expect(pool.take("a")).toBeNull();
  });

  test("but one that lay idle for longer teaches nothing", () => {
    const other = given();
    endedAfter(1000, given());
    expect(pool.take("a")).toBe(other);
  });
});

describe("while there is doubt", () => {
  test("one at a time is held to see whether it lasts, the others are closed", () => {
    pool.endedUnheard("a");
    const [first, second] = [given(), given()];
    expect([first.isOpen, second.isOpen, pool.take("a")]).toEqual([true, false, null]);
    now += 1000;
    const third = given();
    pool.sweep();
    expect([first.isOpen, third.isOpen, pool.take("a")]).toEqual([false, true, null]);
  });

  test("a minute, and one that lasts, end it", () => {
    pool.endedUnheard("a");
    given();
    now += 59_999;
    given();
    now += 1;
    expect(pool.mayReuse("a")).toBe(false);
    now += 1000;
    const connection = given();
    expect(pool.take("a")).toBe(connection);
  });

  test("a minute alone does not", () => {
    pool.endedUnheard("a");
    now += 3_600_000;
    expect(given().isOpen).toBe(true);
    expect(pool.take("a")).toBeNull();
    now += 1000;
    expect(pool.take("a")).toBeNull();
    const connection = given();
    expect(pool.take("a")).toBe(connection);
  });

  test("one that does not last begins it anew", () => {
    pool.endedUnheard("a");
    now += 59_000;
    endedAfter(10, given());
    now += 30_000;
    given();
    now += 2000;
    given();
    expect(pool.take("a")).toBeNull();
    now += 30_000;
    const connection = given();
    expect(pool.take("a")).toBe(connection);
  });
});

describe("on the wire", () => {
  const CALLS = 30;

  test.for(["end", "reset"] as const)(
    "a server that closes each connection unsaid (%s): one call lost at most",
    async (how) => {
      const server = await RawHttpServer.start({
        script: (_, peer) =>
          void peer.write(answer("ok", { "keep-alive": "timeout=600" })).then(() => setImmediate(() => peer[how]())),
      });
      const http = new TestClient();
      const lost: string[] = [];
      for (let i = 0; i < CALLS; i++) await http.post(server.url(), "x").catch(({ kind }) => lost.push(kind));
      expect(lost.filter((kind) => kind !== "lost")).toEqual([]);
      expect(lost.length).toBeLessThanOrEqual(1);
      // Nothing went out twice.
      expect(server.requests.length).toBeLessThanOrEqual(CALLS);
      http.client.close();
      await server.close();
    },
  );

  test.for(["end", "reset"] as const)(
    "a connection closed behind its answer (%s): those after it are used once",
    async (how) => {
      const server = await RawHttpServer.start();
      const http = new TestClient();
      await http.post(server.url(), "first");
      server.peers[0]?.[how]();
      // What the system has to report by then is heard before the next request goes out.
      await server.peers[0]?.closed;
      for (const body of ["second", "third", "fourth"]) expect(await http.post(server.url(), body)).toBe("ok");
      expect(server.peers).toHaveLength(4);
      http.client.close();
      await server.close();
    },
  );

  test("a request lost on a connection that was used before: those after it go over new ones", async () => {
    const server = await RawHttpServer.start();
    const http = new TestClient();
    await http.post(server.url(), "first");
    server.script = (_, peer) => peer.reset();
    await expect(http.post(server.url(), "second")).rejects.toMatchObject({ kind: "lost" });
    server.script = (_, peer) => void peer.write(answer("ok"));
    for (const body of ["third", "fourth"]) expect(await http.post(server.url(), body)).toBe("ok");
    expect(server.requests.map(({ body }) => body.toString())).toEqual(["first", "second", "third", "fourth"]);
    expect(server.peers).toHaveLength(3);
    http.client.close();
    await server.close();
  });
});
