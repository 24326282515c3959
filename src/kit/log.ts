import type { DegradationId } from "../core/degradation.ts";
import { readEnv } from "./env.ts";

/**
 * Our own words on stderr: one line each, prefixed, never a payload, a secret or a foreign message body. Writing is
 * queued and never waited for: a host that does not read stderr must not hold up a session.
 */

type Area = "proxy" | "record" | "hooks";

const said = new Set<string>();
let pending: Promise<unknown> = Promise.resolve();

let sink: ((line: string) => void) | null = null;

/** Has lines kept elsewhere from now on: a process without a terminal says nothing on stderr. */
export function sendLogTo(write: (line: string) => void): void {
  sink = write;
}

/** Says a line that a person should see. */
export function log(line: string): void {
  if (sink !== null) sink(line);
  else pending = pending.then(() => Bun.write(Bun.stderr, `bir: ${line}\n`)).catch(() => {});
}

/** Says what is amiss and what becomes of it, under its row of the degradation matrix. */
export function logDegraded(id: DegradationId, line: string): void {
  log(`${line} (${id})`);
}

/** The same, once in this process. */
export function logDegradedOnce(id: DegradationId, line: string): void {
  if (said.has(line)) return;
  said.add(line);
  logDegraded(id, line);
}

/** Says a line only where `BIR_DEBUG` names this area. */
export function debug(area: Area, line: () => string): void {
  const areas = readEnv("BIR_DEBUG")?.split(",");
  if (areas?.includes(area) || areas?.includes("all")) log(`[${area}] ${line()}`);
}

/** Resolves when everything said so far is written; where nobody reads stderr, that may be never. */
export async function logWritten(): Promise<void> {
  await pending;
}
