/** Following live: one look for everybody, batches, the run that is watched, listeners that do not read. */

import { Database } from "bun:sqlite";
import { renameSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import type { EventPage, IndexState, LiveMessages, RunItem } from "../../src/core/service-wire.ts";
import { type Changes, LiveHub, type LiveSource } from "../../src/service/live/hub.ts";
import { Listener } from "../../src/service/live/listener.ts";
import { deleteRuns } from "../../src/store/delete-runs.ts";
import { SqliteStore } from "../../src/store/sqlite-store.ts";
import { RUN_A, RUN_B, RUN_C, RunWriter, T0 } from "./cli-fixture.ts";
import { KeptLog } from "./control-fixture.ts";
import { TestService } from "./service-fixture.ts";
import { SentEvents } from "./service-sse.ts";

type Runs = LiveMessages["runs"];

/** A store of nothing but numbers: run `r` has as many events as was said. */
class FakeSource implements LiveSource {
  looks = 0;
  pages = 0;
  events = 0;
  news: Changes[] = [];
  isBroken = false;
  state: IndexState = { isCurrent: true, done: 1 };

  changes(): Changes | null {
    this.looks++;
    if (this.isBroken) throw new Error("purple");
    return this.news.shift() ?? null;
  }

  changesSince(position: number): Changes {
    return { changed: [`since-${position}`], removed: [], position: position + 2, more: position < 8 };
  }

  position(): number {
    return 42;
  }

  items(ids: readonly string[]): RunItem[] {
    return ids.map((id) => ({ id }) as RunItem);
  }

  eventPage(_runId: string, after: number): EventPage | null {
    this.pages++;
    const position = Math.min(this.events, after + 10);
    return { events: [], position, more: position < this.events, isAbandoned: false };
  }

  index(): IndexState {
    return this.state;
  }
}

function hubOver(source: LiveSource, options: { pollMs?: number; heartbeatMs?: number } = {}) {
  const log = new KeptLog();
  const hub = new LiveHub(source, log, { pollMs: 1, ...options });
  onTestFinished(() => hub.close());
  return { hub, log };
}

function told(changed: string[], removed: string[] = [], position = 1): Changes {
  return { changed, removed, position, more: false };
}

const watched = (id: string, position = 0) => ({ id, position, isAbandoned: false, isBehind: false });

describe("the hub", () => {
  test("looks at nothing while nobody listens, and once for all who do", async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const source = new FakeSource();
    const { hub } = hubOver(source, { pollMs: 150 });
    await vi.advanceTimersByTimeAsync(10_000);
    expect(source.looks).toBe(0);
    const streams = [1, 2, 3].map(() => new SentEvents(hub.listen(null, null)));
    expect(source.looks).toBe(1);
    await vi.advanceTimersByTimeAsync(1500);
    expect(source.looks).toBeGreaterThan(8);
    expect(source.looks).toBeLessThan(14);
    expect(source.pages).toBe(0);
    for (const stream of streams) await stream.close();
    expect(hub.size).toBe(0);
    const before = source.looks;
    await vi.advanceTimersByTimeAsync(10_000);
    expect(source.looks).toBeLessThanOrEqual(before + 1);
    expect(vi.getTimerCount()).toBe(0);
  });

  test("tells everybody the same, with the place in the journal", async () => {
    const source = new FakeSource();
    const { hub } = hubOver(source);
    const [a, b] = [new SentEvents(hub.listen(null, null)), new SentEvents(hub.listen(null, null))];
    expect(await a.next()).toEqual({ name: "index", id: "42", data: source.state });
    source.news.push(told(["x", "y"], ["z"], 7));
    for (const stream of [a, b]) {
      expect(await stream.nextOf<Runs>("runs")).toEqual({
        id: "7",
        data: { changed: [{ id: "x" }, { id: "y" }], removed: ["z"] },
      });
    }
    source.state = { isCurrent: false, done: 0.5 };
    expect((await a.nextOf("index")).data).toEqual(source.state);
  });

  test("tells what was missed to one that comes back, and nothing old to a new one", async () => {
    const source = new FakeSource();
    const { hub } = hubOver(source);
    source.news.push(told(["old"]));
    const first = new SentEvents(hub.listen(null, null));
    const second = new SentEvents(hub.listen(null, 5));
    // Part by part, and each with the place that it goes on from.
    for (const [part, id] of [
      ["since-5", "7"],
      ["since-7", "9"],
      ["since-9", "11"],
    ]) {
      expect(await second.nextOf<Runs>("runs")).toMatchObject({ id, data: { changed: [{ id: part }] } });
    }
    source.news.push(told(["new"]));
    expect((await first.nextOf<Runs>("runs")).data.changed).toEqual([{ id: "new" }]);
  });

  test("tells the events of a watched run from the asked position on, and again only when there are some", async () => {
    const source = new FakeSource();
    source.events = 95;
    const { hub } = hubOver(source);
    const stream = new SentEvents(hub.listen(watched("r", 20), null));
    for (const position of [30, 40, 50, 60, 70, 80, 90, 95]) {
      expect((await stream.nextOf<EventPage>("events")).data.position).toBe(position);
    }
    const before = source.pages;
    source.events = 96;
    await vi.waitFor(() => expect(source.looks).toBeGreaterThan(20));
    // The store did not change: it was not read again.
    expect(source.pages).toBe(before);
    source.news.push(told(["r"]));
    expect((await stream.nextOf<EventPage>("events")).data.position).toBe(96);
  });

  test("reads a page once for two who are at the same place", async () => {
    const source = new FakeSource();
    const { hub } = hubOver(source);
    const streams = [1, 2, 3].map(() => new SentEvents(hub.listen(watched("r"), null)));
    await vi.waitFor(() => expect(source.pages).toBe(3));
    source.events = 5;
    source.news.push(told(["r"]));
    for (const stream of streams) expect((await stream.nextOf<EventPage>("events")).data.position).toBe(5);
    expect(source.pages).toBe(4);
  });

  test("shows that it is there, and goes on after trouble", async () => {
    const source = new FakeSource();
    const { hub, log } = hubOver(source, { heartbeatMs: 0 });
    const stream = new SentEvents(hub.listen(null, null));
    source.isBroken = true;
    await vi.waitFor(() => expect(log.lines).toContain("fault while following the store: Error"));
    source.isBroken = false;
    source.news.push(told(["x"]));
    await stream.nextOf("runs");
    expect(stream.comments).toBeGreaterThan(0);
  });

  test("ends every stream when it is closed", async () => {
    const { hub } = hubOver(new FakeSource());
    const stream = new SentEvents(hub.listen(null, null));
    await stream.next();
    hub.close();
    for (let event = await stream.next(); event !== null; ) event = await stream.next();
    expect(hub.size).toBe(0);
  });
});

describe("a listener that does not read", () => {
  const large = `:${"x".repeat(1024 * 1024)}\n\n`;

  test("is dropped once too much waits for it", async () => {
    let gone = 0;
    const listener = new Listener(null, null, () => gone++);
    expect(listener.takesMore).toBe(true);
    for (let i = 0; i < 7; i++) listener.tell(large, 0);
    expect([gone, listener.takesMore]).toEqual([0, false]);
    for (let i = 0; i < 5; i++) listener.tell(large, 0);
    expect(gone).toBe(1);
    // What waits is bounded, and then it is told that there is no more.
    let sizeBytes = 0;
    for await (const chunk of listener.stream) sizeBytes += chunk.length;
    expect(sizeBytes).toBeLessThan(10 * 1024 * 1024);
  });

  test("is dropped when it has read nothing for long, however little waits", () => {
    let gone = 0;
    const listener = new Listener(null, null, () => gone++);
    listener.tell(large, 0);
    listener.tell(large, 29_000);
    expect(gone).toBe(0);
    listener.tell(":\n\n", 31_000);
    expect(gone).toBe(1);
    listener.tell(":\n\n", 32_000);
    listener.end();
    expect(gone).toBe(1);
  });

  test("holds nobody up over a real connection, and costs no more than its bound", async () => {
    const source = new FakeSource();
    const { hub } = hubOver(source);
    let written = 0;
    const server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response(hub.listen(null, null)) });
    onTestFinished(() => void server.stop(true));
    const { promise: closed, resolve } = Promise.withResolvers<void>();
    const socket = await Bun.connect({
      hostname: "127.0.0.1",
      port: server.port ?? 0,
      socket: {
        open: (one) => void one.write("GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n"),
        data() {},
        close: () => resolve(),
      },
    });
    socket.pause();
    await vi.waitFor(() => expect(hub.size).toBe(1));
    const reading = new SentEvents((await fetch(server.url)).body as ReadableStream<Uint8Array>);
    const many = Array.from({ length: 20_000 }, (_, i) => `run-${i}`);
    while (hub.size === 2 && written < 500) {
      source.news.push(told(many));
      written++;
      expect((await reading.nextOf<Runs>("runs")).data.changed).toHaveLength(many.length);
    }
    expect(hub.size).toBe(1);
    expect(written).toBeLessThan(100);
    source.news.push(told(["last"]));
    expect((await reading.nextOf<Runs>("runs")).data.changed).toHaveLength(1);
    socket.resume();
    await closed;
    await reading.close();
  });
});

/** Follows a service as a program does. */
async function follow(service: TestService, query = "", headers: Record<string, string> = {}): Promise<SentEvents> {
  const answer = await service.ask(`/api/live${query}`, {}, headers);
  expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "text/event-stream"]);
  return new SentEvents(answer.body as ReadableStream<Uint8Array>);
}

describe("over a store", () => {
  test("the first run of all, what becomes of it, and its end are told", async () => {
    const service = new TestService();
    const stream = await follow(service);
    const run = new RunWriter(RUN_A, T0).update({ input: "hello" });
    service.cli.record(run);
    const { data } = await stream.nextOf<Runs>("runs");
    expect(data).toMatchObject({ changed: [{ id: RUN_A, input: "hello", stepCount: 0 }], removed: [] });
    const store = SqliteStore.open(join(service.home, "recordings.db"));
    onTestFinished(() => store.close());
    const told = run.entries.length;
    store.append(run.call("echo", "{}", "{}", 1).entries.slice(told));
    expect((await stream.nextOf<Runs>("runs")).data).toMatchObject({ changed: [{ id: RUN_A, stepCount: 1 }] });
    const before = run.entries.length;
    store.append(run.end().entries.slice(before));
    expect((await stream.nextOf<Runs>("runs")).data).toMatchObject({ changed: [{ id: RUN_A, status: "completed" }] });
    await stream.close();
  });

  test("runs that another process deletes are told, whichever they are", async () => {
    const service = new TestService();
    service.cli.record(...[RUN_A, RUN_B, RUN_C].map((id) => new RunWriter(id, T0).end()));
    const stream = await follow(service);
    deleteRuns(join(service.home, "recordings.db"), [RUN_A]);
    const { data } = await stream.nextOf<Runs>("runs");
    expect(data).toEqual({ changed: [], removed: [RUN_A] });
    deleteRuns(join(service.home, "recordings.db"), [RUN_B, RUN_C]);
    expect(new Set((await stream.nextOf<Runs>("runs")).data.removed)).toEqual(new Set([RUN_B, RUN_C]));
    await stream.close();
  });

  test("one that was away is told what changed and what is gone since", async () => {
    const service = new TestService();
    service.cli.record(...[RUN_A, RUN_B].map((id) => new RunWriter(id, T0).end()));
    const staying = await follow(service);
    service.cli.record(new RunWriter(RUN_C, T0).end());
    const { id } = await staying.nextOf<Runs>("runs");
    deleteRuns(join(service.home, "recordings.db"), [RUN_A]);
    await staying.nextOf<Runs>("runs");
    service.cli.record(new RunWriter("run_d", T0).end());
    await staying.nextOf<Runs>("runs");
    const back = await follow(service, "", { "last-event-id": id ?? "" });
    const { data } = await back.nextOf<Runs>("runs");
    expect(data.changed.map((run) => run.id)).toEqual(["run_d"]);
    expect(data.removed).toEqual([RUN_A]);
    await staying.close();
    await back.close();
  });

  test("a run whose recorder has gone without a word is told as abandoned, also to who watches it", async () => {
    let isAlive = true;
    const service = new TestService({ isAlive: () => isAlive, ownersMs: 5 });
    service.cli.record(new RunWriter(RUN_A, T0).update({ input: "hello" }));
    const stream = await follow(service, `?run=${RUN_A}`);
    const page = await stream.nextOf<EventPage>("events");
    expect(page.data).toMatchObject({ isAbandoned: false, more: false });
    isAlive = false;
    expect((await stream.nextOf<Runs>("runs")).data.changed).toMatchObject([{ id: RUN_A, status: "abandoned" }]);
    expect((await stream.nextOf<EventPage>("events")).data).toEqual({
      events: [],
      position: page.data.position,
      more: false,
      isAbandoned: true,
    });
    await stream.close();
  });

  test("a run that grows fast is told whole and in order", async () => {
    const service = new TestService();
    const run = new RunWriter(RUN_A, T0);
    service.cli.record(run);
    const store = SqliteStore.open(join(service.home, "recordings.db"));
    onTestFinished(() => store.close());
    const stream = await follow(service, `?run=${RUN_A}&after=0`);
    let told = run.entries.length;
    const seen: number[] = [];
    for (let batch = 0; batch < 20; batch++) {
      for (let i = 0; i < 100; i++) run.call("echo", '{"n":1}', "{}", 1);
      store.append(run.entries.slice(told));
      told = run.entries.length;
      const { data } = await stream.nextOf<EventPage>("events");
      seen.push(...data.events.flatMap((event) => (event.type === "step.closed" ? [event.seq] : [])));
    }
    while (seen.length < 2000) {
      const { data } = await stream.nextOf<EventPage>("events");
      seen.push(...data.events.flatMap((event) => (event.type === "step.closed" ? [event.seq] : [])));
    }
    expect(seen).toEqual(Array.from({ length: 2000 }, (_, i) => i));
    await stream.close();
  });

  test("a store that takes the place of another is followed from then on", async () => {
    const service = new TestService();
    service.cli.record(new RunWriter(RUN_A, T0).end());
    const other = new TestService();
    other.cli.record(new RunWriter(RUN_B, T0).end());
    new Database(join(other.home, "recordings.db")).run("PRAGMA wal_checkpoint(TRUNCATE)");
    const stream = await follow(service);
    await service.json("/api/runs");
    renameSync(join(other.home, "recordings.db"), join(service.home, "recordings.db"));
    const removed = new Set<string>();
    const changed = new Set<string>();
    while (removed.size + changed.size < 2) {
      const { data } = await stream.nextOf<Runs>("runs");
      for (const id of data.removed) removed.add(id);
      for (const { id } of data.changed) changed.add(id);
    }
    expect([[...removed], [...changed]]).toEqual([[RUN_A], [RUN_B]]);
    await stream.close();
  });

  test("a run that is not there, or not yet, is waited for", async () => {
    const service = new TestService();
    const stream = await follow(service, `?run=${RUN_A}`);
    service.cli.record(new RunWriter(RUN_A, T0).end());
    expect((await stream.nextOf<EventPage>("events")).data.events).toHaveLength(2);
    await stream.close();
  });
});
