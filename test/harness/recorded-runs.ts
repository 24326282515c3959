/** What `bir run` tells of a sandbox's recordings, in the shapes that other programs rely on. */

import { expect } from "vitest";
import type { Run, RunSummary } from "../../src/core/run.ts";
import type { Sandbox } from "./sandbox.ts";

export async function listRuns(box: Sandbox): Promise<(RunSummary & { stepCount: number })[]> {
  return await json(box, ["run", "list", "--json"]);
}

export async function showRun(box: Sandbox, id: string): Promise<Run> {
  return await json(box, ["run", "show", id, "--json"]);
}

/** The only run of this sandbox; fails when there is none or another one. */
export async function onlyRun(box: Sandbox): Promise<Run> {
  const runs = await listRuns(box);
  expect(runs).toHaveLength(1);
  const run = await showRun(box, runs[0]?.id ?? "none");
  expect(runs[0]?.stepCount).toBe(run.steps.length);
  return run;
}

async function json<T>(box: Sandbox, args: string[]): Promise<T> {
  const { code, stdout, stderr } = await box.bir(args);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return JSON.parse(stdout) as T;
}
