import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { EventPage } from "../../src/core/service-wire.ts";
import { isSignedOut } from "../../src/viewer/data/ask.ts";
import { Live } from "../../src/viewer/data/live.ts";
import type { Watcher } from "../../src/viewer/data/source.ts";

/** The one stream of the page: who is told what, and what happens when it breaks or nobody looks. */

/** A stream that the service answered with, or has yet to. */
interface Asked {
  path: string;
  lastId: string | null;
  isClosed: boolean;
  answer: (status?: number) => void;
  send: (text: string) => void;
  end: () => void;
}

let asked: Asked[] = [];
let page: EventTarget & { visibilityState: string };

function fakeFetch(path: string, init: { signal: AbortSignal; headers: Record<string, string> }): Promise<Response> {
  return new Promise((resolve, reject) => {
    let controller: ReadableStreamDefaultController<Uint8Array> | null = null;
    const body = new ReadableStream<Uint8Array>({
      start: (given) => {
        controller = given;
      },
    });
    const one: Asked = {
      path,
      lastId: init.headers["Last-Event-ID"] ?? null,
      isClosed: false,
      answer: (status = 200) => resolve(new Response(status === 200 ? body : null, { status })),
      send: (text) => controller?.enqueue(new TextEncoder().encode(text)),
      end: () => controller?.close(),
    };
    init.signal.addEventListener("abort", () => {
      one.isClosed = true;
      const fault = new DOMException("called off", "AbortError");
      reject(fault);
      try {
        controller?.error(fault);
      } catch {
        // It had ended.
      }
    });
    asked.push(one);
  });
}

beforeEach(() => {
  vi.useFakeTimers();
  vi.spyOn(Math, "random").mockReturnValue(0.5);
  asked = [];
  page = Object.assign(new EventTarget(), { visibilityState: "visible" });
  vi.stubGlobal("document", page);
  vi.stubGlobal("window", new EventTarget());
  vi.stubGlobal("fetch", fakeFetch);
});

afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
  vi.useRealTimers();
});

const settled = () => vi.advanceTimersByTimeAsync(0);
const nth = (index: number): Asked => asked.at(index) ?? expect.unreachable("not asked");
const events = (position: number): string =>
  `event: events\ndata: ${JSON.stringify({ events: [], position, more: false, isAbandoned: false } satisfies EventPage)}\n\n`;

function watcher() {
  const told: string[] = [];
  const one: Watcher = {
    runs: ({ removed }) => told.push(`removed ${removed.join()}`),
    events: ({ position }) => told.push(`events ${position}`),
    index: ({ done }) => told.push(`index ${done}`),
    connected: (isConnected) => told.push(isConnected ? "connected" : "lost"),
  };
  return { one, told };
}

function hide(isHidden: boolean): void {
  page.visibilityState = isHidden ? "hidden" : "visible";
  page.dispatchEvent(new Event("visibilitychange"));
}

describe("one stream", () => {
  test("for all who watch, and none when nobody does", async () => {
    const live = new Live();
    const [a, b] = [watcher(), watcher()];
    const first = live.watch(null, a.one);
    const second = live.watch(null, b.one);
    await settled();
    expect(asked.map(({ path }) => path)).toEqual(["/api/live"]);
    nth(0).answer();
    await settled();
    nth(0).send(
      'event: runs\nid: 5\ndata: {"changed":[],"removed":["x"]}\n\nevent: index\ndata: {"isCurrent":false,"done":0.5}\n\n',
    );
    await settled();
    expect(a.told).toEqual(["connected", "removed x", "index 0.5"]);
    expect(b.told).toEqual(a.told);
    first.stop();
    await settled();
    expect(nth(0).isClosed).toBe(false);
    second.stop();
    await settled();
    expect(nth(0).isClosed).toBe(true);
  });

  test("for a run, the new one is open before the old one is closed", async () => {
    const live = new Live();
    const list = watcher();
    live.watch(null, list.one);
    await settled();
    nth(0).answer();
    await settled();
    const run = watcher();
    const watching = live.watch({ id: "run_1", after: 40 }, run.one);
    await settled();
    expect(nth(1).path).toBe("/api/live?run=run_1&after=40");
    expect(nth(0).isClosed).toBe(false);
    nth(1).answer();
    await settled();
    expect(nth(0).isClosed).toBe(true);
    expect(list.told).toEqual(["connected"]);
    nth(1).send(events(44));
    await settled();
    expect(run.told).toEqual(["connected", "events 44"]);
    expect(list.told).toEqual(["connected"]);
    watching.stop();
    await settled();
    expect(nth(2).path).toBe("/api/live");
  });
});

describe("when it breaks", () => {
  test("it is opened again, later each time, from where it was heard last", async () => {
    const live = new Live();
    const { one, told } = watcher();
    live.watch({ id: "run_1", after: 0 }, one);
    await settled();
    nth(0).answer();
    await settled();
    nth(0).send(`event: runs\nid: 7\ndata: {"changed":[],"removed":[]}\n\n${events(12)}`);
    await settled();
    nth(0).end();
    await settled();
    expect(told.at(-1)).toBe("lost");
    await vi.advanceTimersByTimeAsync(399);
    expect(asked).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(nth(1)).toMatchObject({ path: "/api/live?run=run_1&after=12", lastId: "7" });
    nth(1).answer(503);
    await settled();
    await vi.advanceTimersByTimeAsync(799);
    expect(asked).toHaveLength(2);
    await vi.advanceTimersByTimeAsync(1);
    nth(2).answer();
    await settled();
    expect(told).toEqual(["connected", "removed ", "events 12", "lost", "connected"]);
  });

  test("one that says nothing for a minute is dead", async () => {
    const live = new Live();
    live.watch(null, watcher().one);
    await settled();
    nth(0).answer();
    await vi.advanceTimersByTimeAsync(40_000);
    nth(0).send(":\n\n");
    await vi.advanceTimersByTimeAsync(59_000);
    expect(nth(0).isClosed).toBe(false);
    await vi.advanceTimersByTimeAsync(2000);
    expect(nth(0).isClosed).toBe(true);
    expect(asked).toHaveLength(2);
  });

  test("one who may not ask is not let in by asking again", async () => {
    const live = new Live();
    live.watch(null, watcher().one);
    await settled();
    nth(0).answer(401);
    await vi.advanceTimersByTimeAsync(120_000);
    expect(asked).toHaveLength(1);
    isSignedOut.value = false;
    await settled();
    expect(asked).toHaveLength(2);
  });
});

describe("while nobody looks", () => {
  test("it is let go after a while, and opened anew when somebody does, who is told", async () => {
    const live = new Live();
    const { one, told } = watcher();
    live.watch(null, one);
    await settled();
    nth(0).answer();
    await settled();
    hide(true);
    await vi.advanceTimersByTimeAsync(5000);
    hide(false);
    await vi.advanceTimersByTimeAsync(20_000);
    expect(nth(0).isClosed).toBe(false);
    hide(true);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(nth(0).isClosed).toBe(true);
    await vi.advanceTimersByTimeAsync(120_000);
    expect(asked).toHaveLength(1);
    hide(false);
    await settled();
    nth(1).answer();
    await settled();
    expect(told).toEqual(["connected", "connected"]);
  });
});
