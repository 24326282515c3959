import type { Comparison } from "../../core/comparison.ts";
import type { NoteEntry, Step } from "../../core/run.ts";
import type { EventPage, Facets, HitPage, PendingDeletion, RunItem, RunPage } from "../../core/service-wire.ts";
import { ask, askJson } from "./ask.ts";
import { Live } from "./live.ts";
import { type ExportFormat, type Source, SourceProblem, type Watcher } from "./source.ts";

/** Runs out of the local service, through its documented HTTP API. */

const RUNS_PER_PAGE = 100;
const HITS_PER_PAGE = 50;
/** The service's most: a run of usual size comes as one page. */
const EVENTS_PER_PAGE = 2000;

export class HttpSource implements Source {
  readonly kind = "service";
  readonly #live = new Live();

  runs(query: string, after: string | null, signal: AbortSignal): Promise<RunPage> {
    return askJson(`/api/runs${queryOf({ q: query, after, limit: RUNS_PER_PAGE })}`, { signal });
  }

  search(query: string, after: string | null, signal: AbortSignal): Promise<HitPage> {
    return askJson(`/api/search${queryOf({ q: query, after, limit: HITS_PER_PAGE })}`, { signal });
  }

  facets(signal: AbortSignal): Promise<Facets> {
    return askJson("/api/facets", { signal });
  }

  run(id: string, signal: AbortSignal): Promise<RunItem> {
    return askJson(runPath(id), { signal });
  }

  events(id: string, after: number, signal: AbortSignal): Promise<EventPage> {
    return askJson(`${runPath(id)}/events${queryOf({ after, limit: EVENTS_PER_PAGE, payloads: "brief" })}`, { signal });
  }

  step(runId: string, stepId: string, signal: AbortSignal): Promise<Step> {
    return askJson(`${runPath(runId)}/steps/${encodeURIComponent(stepId)}`, { signal });
  }

  note(runId: string, seq: number, signal: AbortSignal): Promise<NoteEntry> {
    return askJson(`${runPath(runId)}/notes/${seq}`, { signal });
  }

  compare(left: string, right: string, signal: AbortSignal): Promise<Comparison> {
    return askJson(`/api/compare${queryOf({ left, right })}`, { signal });
  }

  remove(id: string): Promise<PendingDeletion> {
    return askJson(runPath(id), { method: "DELETE" });
  }

  async restore(id: string): Promise<void> {
    await ask(`${runPath(id)}/restore`, { method: "POST" });
  }

  async save(id: string, format: ExportFormat): Promise<void> {
    const response = await ask(`${runPath(id)}/export${queryOf({ format })}`);
    let blob: Blob;
    try {
      blob = await response.blob();
    } catch {
      throw new SourceProblem("unreachable", "The file broke off while it came.");
    }
    saveAs(blob, fileNameOf(response) ?? `${id}.${format}`);
  }

  watch(run: { id: string; after: number } | null, watcher: Watcher): { stop(): void } {
    return this.#live.watch(run, watcher);
  }
}

function runPath(id: string): string {
  return `/api/runs/${encodeURIComponent(id)}`;
}

function queryOf(values: Record<string, string | number | null>): string {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) {
    if (value !== null && value !== "") params.set(name, String(value));
  }
  const text = params.toString();
  return text === "" ? "" : `?${text}`;
}

/** The name that the service gives the file; plain characters only, whatever it says. */
function fileNameOf(response: Response): string | null {
  const [, name] = /filename="?([A-Za-z0-9._-]{1,120})"?/.exec(response.headers.get("Content-Disposition") ?? "") ?? [];
  return name ?? null;
}

function saveAs(blob: Blob, name: string): void {
  const address = URL.createObjectURL(blob);
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  // The browser has taken it up by then, however large it is.
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}
