/**
 * Recorded runs as a golden file tells them: everything that is the same each time, in the order a reader sees it. Ids
 * become names in the order they appear, paths and versions become placeholders, times are left out but for their order;
 * a member that has the value it usually has is left out. Owns that form; knows nothing of how the runs came to be.
 *
 * `BIR_TEST_GOLDEN=write` makes the golden files anew. Read the difference before keeping it.
 */

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect } from "vitest";
import type { NoteEntry, Run, Step } from "../../../src/core/run.ts";
import { ROOT } from "../../harness/locations.ts";
import type { Sandbox } from "../../harness/sandbox.ts";

type Members = Record<string, unknown>;

const GOLDEN = join(ROOT, "test", "hosts", "golden");

/** Left out of a run, a step and a note: new each time. */
const RUN_TIMES = ["id", "startedAt", "endedAt", "steps", "notes"];
const STEP_TIMES = ["id", "index", "seq", "startedAt"];
const NOTE_TIMES = ["at", "seq"];

/** What most runs and steps have. */
const USUAL: Members = {
  lossy: false,
  gaps: [],
  hostHookCalls: 0,
  isError: false,
  error: null,
  rpcError: null,
  legs: 1,
  waitingMs: 0,
  progress: 0,
  truncated: false,
  agentId: null,
  context: null,
  hostMeta: {},
  status: "ok",
  tier: "bound",
};

/** Names of members of payloads that are measured, and new each time. */
const MEASURED = /(?:Ms|_ms|[dD]uration(?:Seconds)?|[tT]imestamp|mtime)$/;

/** The text of a golden file that tells these runs, oldest first. */
export function goldenText(box: Sandbox, version: string, runs: readonly Run[]): string {
  const told = runs.map((run, index) => ({ run: index + 1, ...runMembers(run) }));
  const named = JSON.parse(placeholders(box, version, runs)(JSON.stringify(told, measured)));
  return `${Bun.YAML.stringify(named, null, 2)}\n`;
}

/** Fails unless the runs are those of the golden file of this name, for this version of the host. */
export function expectGolden(box: Sandbox, version: string, name: string, runs: readonly Run[]): void {
  for (const run of runs) expectOrderly(run);
  const text = goldenText(box, version, runs);
  const path = join(GOLDEN, version, `${name}.yaml.txt`);
  if (process.env.BIR_TEST_GOLDEN === "write") {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
  expect(text, path).toBe(readFileSync(path, "utf8"));
}

/** What holds of every run that is over, whatever was called in it. */
export function expectOrderly({ status, startedAt, endedAt, steps, notes }: Run): void {
  expect(steps.map(({ index }) => index)).toEqual(steps.map((_, index) => index));
  const inTime = steps.map((step) => step.startedAt);
  expect(inTime).toEqual(inTime.toSorted((a, b) => a - b));
  const numbers = [...steps, ...notes].map(({ seq }) => seq);
  expect(new Set(numbers).size, "numbers of a run").toBe(numbers.length);
  const callIds = steps.flatMap(({ callId }) => callId ?? []);
  expect(new Set(callIds).size, "ids of calls").toBe(callIds.length);
  if (status === "running") return;
  expect(steps.filter((step) => step.status === "running")).toEqual([]);
  for (const step of steps) {
    expect(step.startedAt).toBeGreaterThanOrEqual(startedAt);
    expect(step.startedAt).toBeLessThanOrEqual(endedAt ?? 0);
  }
}

function runMembers(run: Run): Members {
  const parts = [...run.steps, ...run.notes].sort((a, b) => timeOf(a) - timeOf(b) || a.seq - b.seq);
  return { ...unusual(run, RUN_TIMES), told: parts.map(partMembers) };
}

function timeOf(part: Step | NoteEntry): number {
  return "tool" in part ? part.startedAt : part.at;
}

function partMembers(part: Step | NoteEntry): Members {
  if (!("tool" in part)) return { note: part.kind, ...without(unusual(part, NOTE_TIMES), ["kind"]) };
  const { qualifiedName, durationMs, server, tool, ...rest } = part;
  // Said by the qualified name already, in nearly every case.
  const parts = qualifiedName === (server === null ? tool : `mcp__${server}__${tool}`) ? {} : { server, tool };
  const duration = durationMs === null ? { durationMs: null } : {};
  return { step: qualifiedName, ...parts, ...unusual(rest, STEP_TIMES), ...duration };
}

function unusual(value: object, left: readonly string[]): Members {
  const members = Object.entries(without(value as Members, left));
  return Object.fromEntries(
    members.filter(([key, member]) => !(key in USUAL) || JSON.stringify(member) !== JSON.stringify(USUAL[key])),
  );
}

function without(members: Members, left: readonly string[]): Members {
  return Object.fromEntries(Object.entries(members).filter(([key]) => !left.includes(key)));
}

function measured(this: unknown, key: string, value: unknown): unknown {
  return typeof value === "number" && MEASURED.test(key) ? "<measured>" : value;
}

/** Puts names in place of what is new in each session. */
function placeholders(box: Sandbox, version: string, runs: readonly Run[]): (text: string) => string {
  const names = new Map<string, string>();
  const name = (id: string | null, kind: string) => {
    if (id === null || names.has(id)) return;
    const count = [...names.values()].filter((one) => one.startsWith(`${kind}_`)).length;
    names.set(id, `${kind}_${count + 1}`);
  };
  for (const run of runs) name(run.sessionId, "session");
  for (const { agentId } of runs.flatMap((run) => run.steps)) name(agentId, "agent");
  const paths: [string, string][] = [
    [box.cwd, "<project>"],
    [box.home, "<home>"],
    [box.directory, "<sandbox>"],
  ];
  return (text) => {
    let told = text;
    for (const [path, placeholder] of paths) {
      told = told.replaceAll(path, placeholder).replaceAll(path.replace(/[^A-Za-z0-9]/g, "-"), placeholder);
    }
    for (const id of told.match(/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g) ?? [])
      name(id, "uuid");
    for (const id of told.match(/\ba[0-9a-f]{16}\b/g) ?? []) name(id, "agent");
    for (const [id, given] of names) told = told.replaceAll(id, given);
    return told.replaceAll(`"${version}"`, '"<version>"');
  };
}
