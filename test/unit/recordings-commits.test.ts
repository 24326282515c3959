import { Database } from "bun:sqlite";
import { copyFileSync, mkdirSync, readdirSync, rmdirSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { Recordings } from "../../src/service/recordings/recordings.ts";
import { ReceivingDesk } from "./recordings-fixture.ts";

/** What is answered was committed; what the store does not take is refused, and can be sent again. */

let desk: ReceivingDesk;
beforeEach(async () => {
  desk = new ReceivingDesk();
  await desk.create({ id: "r" });
});
afterEach(async () => {
  await desk.dispose();
  expect(desk.faults).toEqual([]);
});

const row = (id: string, more: object = {}) => ({ id, type: "tool_selected", toolName: "t", ...more });

/** Waits for a store that is busy without waiting: time goes on by itself. */
function hurry(): Disposable {
  const timer = setInterval(() => {
    desk.now += 1000;
  }, 1);
  return { [Symbol.dispose]: () => clearInterval(timer) };
}

test("writes that come together share a transaction", async () => {
  const log = () => desk.value("SELECT count(*) FROM events");
  const changes = new Database(desk.path, { readonly: true });
  const version = () => changes.query<{ data_version: number }, []>("PRAGMA data_version").get()?.data_version ?? 0;
  const seen = new Set([version()]);
  const sent = Promise.all(
    Array.from({ length: 200 }, (_, n) => desk.steps("r", row(`row ${n}`)).then(() => seen.add(version()))),
  );
  await sent;
  expect(log()).toBe(201);
  // The first may have gone alone.
  expect(seen.size).toBeLessThanOrEqual(3);
  changes.close();
});

test("every answer follows its commit", async () => {
  const others = new Database(desk.path, { readonly: true });
  const isThere = others.query("SELECT 1 FROM received WHERE id = ?");
  await Promise.all(
    Array.from({ length: 600 }, async (_, n) => {
      const { status } = await desk.steps("r", row(`row ${n}`));
      expect([status, isThere.get(`row ${n}`) !== null]).toEqual([201, true]);
    }),
  );
  others.close();
});

test("more than can wait is refused, and what was not is kept", async () => {
  const filler = "x".repeat(64 * 1024);
  const answers = await Promise.all(
    Array.from({ length: 1000 }, (_, n) => desk.steps("r", row(`row ${n}`, { toolInput: filler }))),
  );
  const refused = answers.filter(({ status }) => status === 503);
  expect(refused.length).toBeGreaterThan(0);
  expect(refused[0]).toMatchObject({ body: { code: "not-now" }, retryAfterSeconds: 1 });
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(1000 - refused.length);
  expect(desk.run("r").steps).toHaveLength(1000 - refused.length);
  expect((await desk.steps("r", row("later"))).status).toBe(201);
});

test("one body over the bound is taken when nothing else waits", async () => {
  const toolInput = "x".repeat(9 * 1024 * 1024);
  expect((await desk.steps("r", row("a", { toolInput }))).status).toBe(201);
});

describe("a store that is locked", () => {
  test("is waited for", async () => {
    const other = new Database(desk.path);
    other.run("BEGIN IMMEDIATE");
    const sent = desk.steps("r", row("a"));
    await new Promise((resolve) => setTimeout(resolve, 20));
    other.run("COMMIT");
    expect((await sent).status).toBe(201);
    other.close();
  });

  test("for long is nobody's fault: senders try again", async () => {
    const other = new Database(desk.path);
    other.run("BEGIN IMMEDIATE");
    const clock = hurry();
    expect(await desk.steps("r", row("a"))).toMatchObject({ status: 503, retryAfterSeconds: 1 });
    clock[Symbol.dispose]();
    other.run("COMMIT");
    other.close();
    expect((await desk.steps("r", row("a"))).status).toBe(201);
    expect(desk.troubles).toEqual([]);
  });

  test("is not written to by a service that was told to go", async () => {
    const other = new Database(desk.path);
    other.run("BEGIN IMMEDIATE");
    const clock = hurry();
    const sent = desk.steps("r", row("a"));
    const closed = desk.recordings.close();
    expect((await desk.steps("r", row("b"))).status).toBe(503);
    expect((await sent).status).toBe(503);
    await closed;
    clock[Symbol.dispose]();
    other.run("COMMIT");
    other.close();
  });
});

test("a service that goes commits what waits", async () => {
  const sent = Array.from({ length: 50 }, (_, n) => desk.steps("r", row(`row ${n}`)));
  await desk.recordings.close();
  expect((await Promise.all(sent)).every(({ status }) => status === 201)).toBe(true);
  expect(desk.run("r").steps).toHaveLength(50);
});

describe("a store in trouble", () => {
  test("of a newer program is not touched", async () => {
    const newer = new Database(desk.path);
    const version = desk.value("PRAGMA user_version");
    newer.run("PRAGMA user_version = 999");
    expect(await desk.steps("r", row("a"))).toMatchObject({ status: 503, retryAfterSeconds: 60 });
    expect(await desk.create({ id: "q" })).toMatchObject({ status: 503 });
    newer.run(`PRAGMA user_version = ${version}`);
    newer.close();
    expect((await desk.steps("r", row("a"))).status).toBe(201);
    expect(desk.troubles).toEqual(["newer", null]);
  });

  test("that is damaged is left where it is, and used again once it is sound", async () => {
    await desk.restart();
    copyFileSync(desk.path, `${desk.path}.sound`);
    truncateSync(desk.path, 0);
    writeFileSync(desk.path, "this was a store once ".repeat(1000));
    expect(await desk.steps("r", row("a"))).toMatchObject({ status: 503, retryAfterSeconds: 5 });
    expect(readdirSync(desk.directory).filter((name) => name.includes("corrupt"))).toEqual([]);
    copyFileSync(`${desk.path}.sound`, desk.path);
    expect((await desk.steps("r", row("a"))).status).toBe(201);
    expect(desk.troubles).toEqual(["corrupt", null]);
  });

  test("that one row cannot go into holds up no other", async () => {
    const picky = new Database(desk.path);
    picky.run(`CREATE TRIGGER picky BEFORE INSERT ON events WHEN new.payload = '"bad"'
      BEGIN SELECT RAISE(ABORT, 'not this'); END`);
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, n) => desk.steps("r", row(`row ${n}`, { toolInput: n === 30 ? "bad" : "good" }))),
    );
    expect(answers.map(({ status }) => status).filter((status) => status !== 201)).toEqual([422]);
    expect(answers[30]).toMatchObject({ status: 422, body: { code: "not-storable" } });
    expect(desk.run("r").steps).toHaveLength(59);
    expect(new Set(desk.run("r").steps.map(({ seq }) => seq)).size).toBe(59);
    picky.run("DROP TRIGGER picky");
    picky.close();
  });

  test("that cannot be reached is tried again with the next write", async () => {
    await desk.restart();
    for (const suffix of ["", "-wal", "-shm"]) rmSync(desk.path + suffix, { force: true });
    // A directory in its place: nobody can open that as a file, whatever they may do.
    mkdirSync(desk.path);
    expect(await desk.create({ id: "q" })).toMatchObject({ status: 503, retryAfterSeconds: 5 });
    rmdirSync(desk.path);
    expect((await desk.create({ id: "q" })).status).toBe(201);
  });

  test("that was removed while it was open is made anew, without what was in it", async () => {
    await desk.steps("r", row("a"));
    for (const suffix of ["", "-wal", "-shm"]) rmSync(desk.path + suffix, { force: true });
    expect(await desk.steps("r", row("b"))).toMatchObject({ status: 404 });
    expect((await desk.create({ id: "r" })).status).toBe(201);
    expect((await desk.steps("r", row("a"))).status).toBe(201);
  });
});

describe("two services over one store", () => {
  test("take turns, and neither loses or repeats a row", async () => {
    const second = new Recordings({ path: desk.path, owner: { pid: 2, startedAt: "boot/2" } });
    const send = (n: number, isFirst: boolean) => {
      const text = JSON.stringify(row(`row ${n}`));
      const body = { text, value: JSON.parse(text) as unknown };
      return isFirst ? desk.recordings.addSteps("r", body) : second.addSteps("r", body);
    };
    const statuses: number[] = [];
    for (let n = 0; n < 60; n++) {
      const answers = await Promise.all([send(n, true), send(n, false), send(1000 + n, n % 2 === 0)]);
      statuses.push(...answers.map(({ status }) => status));
    }
    expect(statuses.filter((status) => status === 201)).toHaveLength(120);
    expect(statuses.filter((status) => status === 200)).toHaveLength(60);
    const { steps } = desk.run("r");
    expect(steps).toHaveLength(120);
    expect(new Set(steps.map(({ seq }) => seq)).size).toBe(120);
    await second.close();
  });
});
