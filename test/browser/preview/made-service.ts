import type { IndexState, RunItem } from "../../../src/core/service-wire.ts";
import { madeQuery } from "./made-query.ts";
import { MadeStore } from "./made-store.ts";
import { RunScript, textResult } from "./run-script.ts";
import { againRun } from "./runs/again.ts";
import { hostileRun } from "./runs/hostile.ts";
import { longRun, smallRun } from "./runs/many.ts";
import { richRun } from "./runs/rich.ts";

/**
 * Answers the service's API out of made-up runs, as one of several worlds: `rich` (one of everything), `many` (10,000 runs),
 * `empty`, `signed-out`, `down`, `indexing`. Asks nobody who they are.
 */

export const WORLDS = ["rich", "many", "empty", "signed-out", "down", "indexing"] as const;
export type World = (typeof WORLDS)[number];

/** Steps a second of the run that grows slowly, and of the fast one. */
const FAST_STEPS_PER_SECOND = 500;
const FAST_MOST = 20_000;
const LIVE_POLL_MS = 150;
const UNDO_MS = 10_000;

export class MadeService {
  readonly #store = new MadeStore();
  readonly #world: World;
  readonly #timers: ReturnType<typeof setInterval>[] = [];
  #fast: RunScript | null = null;
  #indexed = 0.35;

  constructor(world: World) {
    this.#world = world;
    const now = Date.now();
    if (world === "empty") return;
    const count = world === "many" ? 10_000 : 60;
    for (let n = 0; n < count; n++) this.#store.add(smallRun(n, now - 600_000));
    this.#store.add(longRun(5000, now - 90_000_000));
    if (world === "many") return;
    this.#store.add(richRun(now - 400_000));
    this.#store.add(againRun(now - 300_000));
    this.#store.add(hostileRun(now - 7_300_000));
    const live = new RunScript({
      id: "run_live",
      startedAt: now - 42_000,
      prompt: "Watch the deployment and tell me when it is through",
    });
    live.note("thought", "I look every few seconds.");
    this.#store.add(live);
    this.#every(1500, () => grow(live));
    this.#fast = new RunScript({
      id: "run_fast",
      startedAt: now - 5000,
      prompt: "Go through the queue as fast as you can",
    });
    this.#store.add(this.#fast);
    if (world === "indexing")
      this.#every(300, () => {
        this.#indexed = Math.min(1, this.#indexed + 0.01);
      });
  }

  stop(): void {
    for (const timer of this.#timers) clearInterval(timer);
  }

  /** Adds a run that begins now. */
  addRun(id: string, prompt: string): void {
    this.#store.add(new RunScript({ id, startedAt: Date.now(), prompt }));
  }

  async answer(request: Request): Promise<Response> {
    const url = new URL(request.url);
    if (this.#world === "down") return problem(503, "The store cannot be read just now.");
    if (this.#world === "signed-out") return problem(401, "Not signed in.");
    if (url.pathname === "/session") return Response.json({ key: "made-up" });
    const [, , what = "", id = "", part = "", partId = ""] = url.pathname.split("/").map(decodeURIComponent);
    const number = (name: string, otherwise: number) => Number(url.searchParams.get(name) ?? otherwise);
    switch (what) {
      case "runs":
        break;
      case "search":
        return this.#search(url.searchParams.get("q") ?? "", number("after", 0), number("limit", 50));
      case "facets":
        return Response.json(this.#store.facets());
      case "compare":
        return await this.#compare(url.searchParams.get("left") ?? "", url.searchParams.get("right") ?? "");
      case "live":
        return this.#live(request, url.searchParams.get("run"), number("after", 0));
      default:
        return problem(404, "There is no such thing.");
    }
    if (id === "") return this.#list(url.searchParams.get("q") ?? "", number("after", 0), number("limit", 50));
    if (part === "restore") {
      this.#store.show(id);
      return new Response(null, { status: 204 });
    }
    const run = this.#store.run(id);
    if (run === null) return problem(404, "There is no such run.");
    if (part === "" && request.method === "DELETE") {
      if (run.status === "running") return problem(409, "The run is still being recorded.");
      this.#store.hide(id);
      return Response.json({ undoUntil: Date.now() + UNDO_MS }, { status: 202 });
    }
    if (part === "") return Response.json(this.#store.item(id));
    if (part === "events") return Response.json(this.#store.events(id, number("after", 0), number("limit", 500)));
    if (part === "steps") return found(run.steps.find((step) => step.id === partId));
    if (part === "notes") return found(run.notes.find((note) => String(note.seq) === partId));
    if (part === "export") return file(`${id}.${url.searchParams.get("format")}`, JSON.stringify(run, null, 2));
    return problem(404, "There is no such thing.");
  }

  #list(text: string, after: number, limit: number): Response {
    const { matches, issues } = madeQuery(text);
    const all = this.#store.list().filter(matches);
    const runs = all.slice(after, after + limit);
    const next = after + limit < all.length ? String(after + limit) : null;
    return Response.json({
      runs: runs.map((run) => this.#known(run)),
      total: after === 0 ? all.length : null,
      next,
      index: this.#index(),
      issues,
    });
  }

  #search(text: string, after: number, limit: number): Response {
    const { matches, issues, words } = madeQuery(text);
    const all: unknown[] = [];
    for (const hit of this.#store.hits(this.#store.list().filter(matches), words)) {
      all.push(hit);
      if (all.length > after + limit) break;
    }
    const next = all.length > after + limit ? String(after + limit) : null;
    return Response.json({ hits: all.slice(after, after + limit), next, index: this.#index(), issues });
  }

  async #compare(left: string, right: string): Promise<Response> {
    const runs = [this.#store.run(left), this.#store.run(right)];
    const [one, two] = runs;
    if (one == null || two == null) return problem(404, "There is no such run.");
    const path = "../../../src/core/compare.ts";
    const { compareRuns } = (await import(path)) as { compareRuns: (a: unknown, b: unknown) => unknown };
    return Response.json(compareRuns(one, two));
  }

  /** What changes, looked for a few times a second, as the real service does. */
  #live(request: Request, watched: string | null, after: number): Response {
    if (watched === "run_fast") this.#startFast();
    const store = this.#store;
    const known = new Map(store.ids().map((id) => [id, store.length(id)]));
    let position = after;
    const encoder = new TextEncoder();
    let timer: ReturnType<typeof setInterval> | undefined;
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        const send = (name: string, data: unknown) =>
          controller.enqueue(encoder.encode(`event: ${name}\ndata: ${JSON.stringify(data)}\n\n`));
        controller.enqueue(encoder.encode(": here\n\n"));
        let done = -1;
        timer = setInterval(() => {
          const ids = store.ids();
          const there = new Set(ids);
          const changed: RunItem[] = ids
            .filter((id) => known.get(id) !== store.length(id))
            .flatMap((id) => store.item(id) ?? []);
          const removed = [...known.keys()].filter((id) => !there.has(id));
          for (const { id } of changed) known.set(id, store.length(id));
          for (const id of removed) known.delete(id);
          if (changed.length + removed.length > 0)
            send("runs", { changed: changed.map((run) => this.#known(run)), removed });
          const page = watched === null ? null : store.events(watched, position, 2000);
          if (page !== null && page.events.length > 0) {
            position = page.position;
            send("events", page);
          }
          if (this.#indexed !== done && this.#world === "indexing") send("index", this.#index());
          done = this.#indexed;
        }, LIVE_POLL_MS);
        request.signal.addEventListener("abort", () => clearInterval(timer));
      },
      cancel: () => clearInterval(timer),
    });
    return new Response(body, { headers: { "Content-Type": "text/event-stream", "Cache-Control": "no-store" } });
  }

  #startFast(): void {
    const run = this.#fast;
    if (run === null || run.events.length > 2) return;
    const perTick = FAST_STEPS_PER_SECOND / 20;
    let step = 0;
    const timer = this.#every(50, () => {
      for (let n = 0; n < perTick; n++, step++) {
        run.at = Date.now();
        run.call({
          server: "queue",
          tool: "take",
          args: { item: step, of: "the queue" },
          tookMs: 2,
          ...(step % 40 === 39 ? { error: "item is locked" } : { result: textResult(`item ${step} done`) }),
        });
      }
      if (step >= FAST_MOST) clearInterval(timer);
    });
  }

  #every(ms: number, run: () => void): ReturnType<typeof setInterval> {
    const timer = setInterval(run, ms);
    this.#timers.push(timer);
    return timer;
  }

  #index(): IndexState {
    return this.#world === "indexing"
      ? { isCurrent: this.#indexed >= 1, done: this.#indexed }
      : { isCurrent: true, done: 1 };
  }

  /** What is known of a run while the index is being made. */
  #known(run: RunItem): RunItem {
    return this.#index().isCurrent ? run : { ...run, tools: null, errorCount: null, lostCount: null };
  }
}

function grow(run: RunScript): void {
  if (run.events.length > 400) return;
  run.at = Date.now() - 300;
  const failed = run.events.length % 14 === 0;
  run.call({
    server: "deploy",
    tool: "status",
    args: { service: "weather", attempt: run.events.length },
    tookMs: 280,
    ...(failed ? { error: "HTTP 502" } : { result: textResult("rolling out: 3 of 5 instances") }),
  });
}

function found(part: unknown): Response {
  return part === undefined ? problem(404, "It is not in this run.") : Response.json(part);
}

function file(name: string, text: string): Response {
  return new Response(text, { headers: { "Content-Disposition": `attachment; filename="${name}"` } });
}

function problem(status: number, detail: string): Response {
  return new Response(JSON.stringify({ title: "Problem", status, detail }), {
    status,
    headers: { "Content-Type": "application/problem+json" },
  });
}
