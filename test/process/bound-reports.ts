/** What a proxy told a control server, and what it left in the spool, each report once. */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { ProxyReport, ProxyStepReport, SpooledReport } from "../../src/core/control-wire.ts";
import { spoolDirectory } from "../../src/kit/paths.ts";
import type { FakeControlServer, SeenRequest } from "../fakes/control-server.ts";
import { Deadline } from "../harness/deadline.ts";

/** The reports that a fake answered with 200, each once; `answered` tells those from others. */
export function reportsOf(requests: readonly SeenRequest[], answered: (request: SeenRequest) => boolean = () => true) {
  const found = new Map<string, ProxyReport>();
  for (const request of requests) {
    if (request.route !== "/proxy/step" || !answered(request)) continue;
    for (const report of request.body.reports as ProxyReport[]) found.set(report.reportId, report);
  }
  return [...found.values()];
}

/** Calls of which the end was told. */
export function endedCalls(reports: readonly ProxyReport[]): ProxyStepReport[] {
  return reports.filter((report): report is ProxyStepReport => report.kind === "step" && report.status !== "running");
}

/** The number that a test gave a call. */
export function numberOf({ args }: { args: unknown }): number {
  return (args as { n: number }).n;
}

/** Waits until the end of so many calls was told, in requests that were `answered`. */
export async function untilEnded(
  fake: FakeControlServer,
  count: number,
  answered: (request: SeenRequest) => boolean = () => true,
): Promise<void> {
  const deadline = new Deadline();
  while (endedCalls(reportsOf(fake.requests, answered)).length < count) {
    await fake.untilRequests(fake.requests.length + 1, deadline);
  }
}

/** The lines of the spool in `home`, oldest first. */
export function spooled(home: string): Extract<SpooledReport, { route: "/proxy/step" }>[] {
  try {
    const directory = spoolDirectory(home);
    return readdirSync(directory).flatMap((name) =>
      readFileSync(join(directory, name), "utf8")
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => JSON.parse(line)),
    );
  } catch {
    return [];
  }
}

export const upTo = (count: number) => Array.from({ length: count }, (_, n) => n);
