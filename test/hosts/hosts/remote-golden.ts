/**
 * Records of sessions with remote servers against the golden files of servers on stdio: a record does not depend on how its
 * server was reached. Never writes a golden file.
 */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import type { Run } from "../../../src/core/run.ts";
import { ROOT } from "../../harness/locations.ts";
import type { Sandbox } from "../../harness/sandbox.ts";
import { expectOrderly, goldenText } from "./golden-run.ts";
import type { RemotePeer } from "./remote-servers.ts";

const SERVER_INFO = "io.modelcontextprotocol/serverInfo";

/** Fails unless the runs are those of the golden file of this name, as a server of this era would have made them. */
export function expectStdioGolden(
  box: Sandbox,
  { version, era }: RemotePeer,
  name: string,
  runs: readonly Run[],
): void {
  for (const run of runs) expectOrderly(run);
  const path = join(ROOT, "test", "hosts", "golden", version, `${name}.yaml.txt`);
  const golden: unknown = Bun.YAML.parse(readFileSync(path, "utf8"));
  const expected = era === "legacy" ? JSON.parse(JSON.stringify(golden), withoutModernMembers) : golden;
  expect(goldenText(box, version, runs), path).toBe(`${Bun.YAML.stringify(expected, null, 2)}\n`);
}

/** What only servers of 2026-07-28 say in a result. */
function withoutModernMembers(key: string, value: unknown): unknown {
  if (key === "resultType" || key === SERVER_INFO) return undefined;
  return key === "_meta" && Object.keys(value as object).length === 0 ? undefined : value;
}
