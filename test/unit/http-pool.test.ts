import { beforeEach, describe, expect, test } from "vitest";
import { ConnectionPool } from "../../src/upstream/http/connection-pool.ts";

/** Which connections are used again, by a clock of the test. */

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

test("the one used last comes first, each once", () => {
  const [first, second, other] = [new Fake(), new Fake(), new Fake()];
  pool.give("a", first, 4000);
  pool.give("a", second, 4000);
  pool.give("b", other, 4000);
  expect([pool.take("a"), pool.take("a"), pool.take("a"), pool.take("b")]).toEqual([second, first, null, other]);
  expect(pool.take("a")).toBeNull();
});

describe("time", () => {
  test("one that has waited its time is closed, not used", () => {
    const [short, long] = [new Fake(), new Fake()];
    pool.give("a", long, 9000);
    pool.give("a", short, 4000);
    now += 4000;
    expect(pool.take("a")).toBe(long);
    expect(short.isOpen).toBe(false);
  });

  test("one that has waited a little less is used", () => {
    const connection = new Fake();
    pool.give("a", connection, 4000);
    now += 3999;
    pool.sweep();
    expect(pool.take("a")).toBe(connection);
    expect(connection.isOpen).toBe(true);
  });

  test("a sweep closes what has waited too long, of every key", () => {
    const all = ["a", "a", "b", "c"].map((key, index) => {
      const connection = new Fake();
      pool.give(key, connection, 1000 * (index + 1));
      return connection;
    });
    now += 3000;
    pool.sweep();
    expect(all.map(({ isOpen }) => isOpen)).toEqual([false, false, false, true]);
    expect(pool.take("c")).toBe(all[3]);
  });
});

test("one that has ended is never used", () => {
  const [gone, good] = [new Fake(), new Fake()];
  pool.give("a", good, 4000);
  pool.give("a", gone, 4000);
  gone.isOpen = false;
  expect(pool.take("a")).toBe(good);
});

test("closing closes all", () => {
  const all = ["a", "a", "b"].map((key) => {
    const connection = new Fake();
    pool.give(key, connection, 4000);
    return connection;
  });
  pool.close();
  expect(all.some(({ isOpen }) => isOpen)).toBe(false);
  expect(pool.take("a")).toBeNull();
});
