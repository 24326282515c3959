import { briefOf, briefText } from "../../../src/core/brief.ts";
import type { RunEvent } from "../../../src/core/event.ts";
import { foldRun, summaryOf } from "../../../src/core/fold.ts";
import type { Run } from "../../../src/core/run.ts";
import type { EventPage, Facets, Hit, RunItem } from "../../../src/core/service-wire.ts";
import { calledTools } from "../../../src/core/text/run-title.ts";
import type { RunScript } from "./run-script.ts";

/** Made-up runs in memory, with the answers that the page asks for. Positions are counted in one run. */

interface Kept {
  script: RunScript;
  folded: { run: Run; item: RunItem; events: number } | null;
}

const NOTE_LENGTH = 4000;

export class MadeStore {
  readonly #runs = new Map<string, Kept>();
  readonly #hidden = new Set<string>();

  add(script: RunScript): void {
    this.#runs.set(script.id, { script, folded: null });
  }

  hide(id: string): void {
    this.#hidden.add(id);
  }

  show(id: string): void {
    this.#hidden.delete(id);
  }

  /** How many events a run has; changes when it grows. Null when it is not there. */
  length(id: string): number | null {
    const kept = this.#kept(id);
    return kept === null ? null : kept.script.events.length;
  }

  ids(): string[] {
    return [...this.#runs.keys()].filter((id) => !this.#hidden.has(id));
  }

  run(id: string): Run | null {
    return this.#folded(id)?.run ?? null;
  }

  item(id: string): RunItem | null {
    return this.#folded(id)?.item ?? null;
  }

  /** Newest first, texts cut. */
  list(): RunItem[] {
    return this.ids()
      .flatMap((id) => this.item(id) ?? [])
      .map(cutItem)
      .toSorted((a, b) => b.startedAt - a.startedAt || (a.id < b.id ? 1 : -1));
  }

  events(id: string, after: number, limit: number): EventPage | null {
    const kept = this.#kept(id);
    if (kept === null) return null;
    const { events } = kept.script;
    const page = events.slice(after, after + limit);
    return {
      events: page.map(briefEvent),
      position: after + page.length,
      more: after + page.length < events.length,
      isAbandoned: this.item(id)?.status === "abandoned",
    };
  }

  facets(): Facets {
    const hosts = new Map<string, number>();
    const servers = new Map<string, number>();
    const tools = new Map<string, number>();
    const count = (map: Map<string, number>, values: Iterable<string>) => {
      for (const value of new Set(values)) map.set(value, (map.get(value) ?? 0) + 1);
    };
    for (const run of this.list()) {
      count(hosts, run.host === null ? [] : [run.host.app]);
      count(
        servers,
        (run.tools ?? []).flatMap(({ server }) => server ?? []),
      );
      count(
        tools,
        (run.tools ?? []).map(({ tool }) => tool),
      );
    }
    const sorted = (map: Map<string, number>) =>
      [...map].map(([value, runs]) => ({ value, runs })).toSorted((a, b) => b.runs - a.runs);
    return { hosts: sorted(hosts), servers: sorted(servers), tools: sorted(tools) };
  }

  /** Every place that holds all the words, newest run first. */
  *hits(runs: readonly RunItem[], words: readonly string[]): Generator<Hit> {
    for (const item of runs) {
      const run = this.run(item.id);
      if (run === null || words.length === 0) continue;
      const { id, input, host, status, startedAt, tools } = item;
      const of = { id, input, host, status, startedAt, tools };
      if (run.input !== null)
        yield* hitIn(run.input, words, { run: of, step: null, noteSeq: null, field: "prompt", path: "" });
      for (const step of run.steps) {
        const about = {
          run: of,
          noteSeq: null,
          step: {
            id: step.id,
            index: step.index,
            seq: step.seq,
            server: step.server,
            tool: step.tool,
            status: step.status,
          },
        };
        yield* hitIn(JSON.stringify(step.args), words, { ...about, field: "arguments", path: "arguments" });
        if (step.error !== null) yield* hitIn(step.error, words, { ...about, field: "error", path: "error" });
        else yield* hitIn(JSON.stringify(step.result), words, { ...about, field: "result", path: "result" });
      }
    }
  }

  #kept(id: string): Kept | null {
    return this.#hidden.has(id) ? null : (this.#runs.get(id) ?? null);
  }

  #folded(id: string): { run: Run; item: RunItem } | null {
    const kept = this.#kept(id);
    if (kept === null) return null;
    if (kept.folded?.events !== kept.script.events.length) {
      const run = foldRun(kept.script.events);
      kept.folded = run === null ? null : { run, item: itemOf(run), events: kept.script.events.length };
    }
    return kept.folded;
  }
}

function* hitIn(text: string, words: readonly string[], about: Omit<Hit, "excerpt">): Generator<Hit> {
  const lower = text.toLowerCase();
  if (!words.every((word) => lower.includes(word.toLowerCase()))) return;
  const at = lower.indexOf(words[0]?.toLowerCase() ?? "");
  const start = Math.max(0, at - 40);
  const excerpt = text.slice(start, start + 160);
  const marks = words.flatMap((word) => {
    const found = excerpt.toLowerCase().indexOf(word.toLowerCase());
    return found < 0 ? [] : [{ start: found, end: found + word.length }];
  });
  yield { ...about, excerpt: { text: excerpt, marks: marks.toSorted((a, b) => a.start - b.start) } };
}

function itemOf(run: Run): RunItem {
  return {
    ...summaryOf(run),
    stepCount: run.steps.length,
    errorCount: run.steps.filter(({ status }) => status === "error").length,
    lostCount: run.steps.filter(({ status }) => status === "lost").length,
    tools: calledTools(run.steps).slice(0, 8),
  };
}

function cutItem(item: RunItem): RunItem {
  const cut = (text: string | null) => (text === null ? null : briefText(text, 400));
  return { ...item, input: cut(item.input), finalAnswer: cut(item.finalAnswer) };
}

function briefEvent(event: RunEvent): RunEvent {
  switch (event.type) {
    case "step.opened":
      return { ...event, args: brief(event.args) };
    case "step.closed":
      return {
        ...event,
        result: brief(event.result),
        error: event.error === null ? null : briefText(event.error, NOTE_LENGTH),
      };
    case "note":
      return { ...event, text: briefText(event.text, NOTE_LENGTH) };
    default:
      return event;
  }
}

function brief(payload: unknown): unknown {
  return briefOf(JSON.stringify(payload)) ?? payload;
}
