/**
 * Made-up runs put into a real store, event by event: for what no recording of a test brings about (losses, usage, notes of every
 * kind, times that are always the same). Owns nothing of what they hold.
 */

import type { RunEvent } from "../../src/core/event.ts";
import { stringifyExact } from "../../src/core/exact-json.ts";
import type { JournalEntry } from "../../src/store/entry.ts";
import { SqliteStore } from "../../src/store/sqlite-store.ts";
import type { RunScript } from "./preview/run-script.ts";

/** Adds them to the store at a path. */
export function writeRuns(path: string, scripts: readonly RunScript[]): void {
  const store = SqliteStore.open(path);
  try {
    for (const { events } of scripts) store.append(events.map(entryOf));
  } finally {
    store.close();
  }
}

/** Payloads as JSON text, as they come from the wire; what is made up holds no secret. */
function entryOf({ v: _, ...event }: RunEvent): JournalEntry {
  const head: Record<string, unknown> = { ...event };
  const payload = "args" in event ? event.args : "result" in event ? event.result : undefined;
  delete head.args;
  delete head.result;
  for (const name of ["hostMeta", "rpcError"]) if (head[name] != null) head[name] = stringifyExact(head[name]);
  return { head, payload: payload == null ? null : stringifyExact(payload) } as unknown as JournalEntry;
}
