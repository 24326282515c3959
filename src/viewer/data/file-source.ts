import type { RunEvent } from "../../core/event.ts";
import { CARRIED_RUN_ID, type CarriedRun } from "../../core/export/carried-run.ts";
import { summaryOf } from "../../core/fold.ts";
import type { Run } from "../../core/run.ts";
import type { EventPage, RunItem } from "../../core/service-wire.ts";
import { calledTools } from "../../core/text/run-title.ts";
import { parseJson } from "./json.ts";
import { eventsOfRun } from "./run-events.ts";
import { type Source, SourceProblem } from "./source.ts";

/** The one run that a saved file carries within itself. Nothing is asked of anybody, and nothing changes. */

const EVENTS_PER_PAGE = 1_000;
const INDEX = { isCurrent: true, done: 1 };

export interface FileSource extends Source {
  readonly kind: "file";
  /** The run, whole. */
  readonly carried: CarriedRun;
}

/** The run that a saved file carries; null where the page was not saved with one. */
export function fileSource(document: Document): FileSource | null {
  const text = document.getElementById(CARRIED_RUN_ID)?.textContent ?? null;
  if (text === null) return null;
  try {
    const carried = parseJson(text) as CarriedRun;
    return Array.isArray(carried.run.steps) ? sourceOf(carried) : null;
  } catch {
    return null;
  }
}

function sourceOf(carried: CarriedRun): FileSource {
  const { run } = carried;
  let events: RunEvent[] | null = null;
  const known = (id: string) => {
    if (id !== run.id) throw new SourceProblem("not-found", "This file holds one run, and not that one.");
    return run;
  };
  const refused = () => Promise.reject(new SourceProblem("refused", "A saved file cannot do that."));
  return {
    kind: "file",
    carried,
    runs: async () => ({ runs: [itemOf(run)], total: 1, next: null, index: INDEX, issues: [] }),
    search: async () => ({ hits: [], next: null, index: INDEX, issues: [] }),
    facets: async () => ({ hosts: [], servers: [], tools: [] }),
    run: async (id) => itemOf(known(id)),
    events: async (id, after) => {
      events ??= eventsOfRun(known(id));
      return pageOf(events, after, run);
    },
    step: async (runId, stepId) => {
      const step = known(runId).steps.find(({ id }) => id === stepId);
      if (step === undefined) throw new SourceProblem("not-found", "There is no such call in this file.");
      return step;
    },
    note: async (runId, seq) => {
      const note = known(runId).notes.find((one) => one.seq === seq);
      if (note === undefined) throw new SourceProblem("not-found", "There is no such note in this file.");
      return note;
    },
    compare: refused,
    remove: refused,
    restore: refused,
    save: refused,
    watch: () => ({ stop() {} }),
  };
}

function pageOf(events: readonly RunEvent[], after: number, run: Run): EventPage {
  const page = events.slice(after, after + EVENTS_PER_PAGE);
  const position = after + page.length;
  return { events: page, position, more: position < events.length, isAbandoned: run.status === "abandoned" };
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
