import type { Comparison } from "../../core/comparison.ts";
import type { NoteEntry, Step } from "../../core/run.ts";
import type {
  EventPage,
  Facets,
  HitPage,
  IndexState,
  LiveMessages,
  PendingDeletion,
  RunItem,
  RunPage,
} from "../../core/service-wire.ts";

/**
 * Where the page gets runs from: the local service, or what an exported file carries within itself. Every question can be
 * called off; whoever asked is then told `AbortError`. What it could not do is a `SourceProblem`.
 */
export interface Source {
  /** `file`: one run, nothing to list, delete or compare with; nothing grows. */
  readonly kind: "service" | "file";
  runs(query: string, after: string | null, signal: AbortSignal): Promise<RunPage>;
  search(query: string, after: string | null, signal: AbortSignal): Promise<HitPage>;
  facets(signal: AbortSignal): Promise<Facets>;
  /** One run with its whole prompt and answer. */
  run(id: string, signal: AbortSignal): Promise<RunItem>;
  /** Events of a run behind a position (0: from the beginning), with brief payloads. */
  events(id: string, after: number, signal: AbortSignal): Promise<EventPage>;
  /** One call with its whole payloads. */
  step(runId: string, stepId: string, signal: AbortSignal): Promise<Step>;
  /** One note with its whole text. */
  note(runId: string, seq: number, signal: AbortSignal): Promise<NoteEntry>;
  compare(left: string, right: string, signal: AbortSignal): Promise<Comparison>;
  remove(id: string): Promise<PendingDeletion>;
  restore(id: string): Promise<void>;
  /** Saves a run as a file. */
  save(id: string, format: ExportFormat): Promise<void>;
  /** What changes from now on, until `stop` is called; `run`: that run's events behind a position, too. */
  watch(run: { id: string; after: number } | null, watcher: Watcher): { stop(): void };
}

export type ExportFormat = "html" | "ndjson" | "md";

/** What is called as things change. After `connected` again, what was missed has been told too. */
export interface Watcher {
  runs(message: LiveMessages["runs"]): void;
  events?(page: EventPage): void;
  index?(state: IndexState): void;
  connected?(isConnected: boolean): void;
}

/**
 * Why the page does not get what it asked for. `signed-out`: it has to be opened with its link again. `unreachable`: nobody
 * answers. `unavailable`: the service answers that it cannot just now. Both may pass.
 */
export class SourceProblem extends Error {
  readonly code: "signed-out" | "not-found" | "unreachable" | "unavailable" | "refused";

  constructor(code: SourceProblem["code"], message: string) {
    super(message);
    this.name = "SourceProblem";
    this.code = code;
  }

  /** Asking again later may help. */
  get mayPass(): boolean {
    return this.code === "unreachable" || this.code === "unavailable";
  }
}
