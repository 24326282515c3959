/**
 * Installs the real hosts that test/hosts runs against, at the versions its lock file pins, into test/hosts only.
 * Run as `bun test/hosts/install.ts`. Runs no install script of any package.
 */

import { spawnSync } from "node:child_process";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { CLAUDE_VERSIONS, claudeCode, conformance, inspector, OTHER_HOST_IDS, otherHost } from "./installed.ts";

const here = dirname(fileURLToPath(import.meta.url));
const { status } = spawnSync(process.execPath, ["install", "--frozen-lockfile", "--ignore-scripts"], {
  cwd: here,
  stdio: "inherit",
});
const all = [inspector(), conformance(), ...CLAUDE_VERSIONS.map(claudeCode), ...OTHER_HOST_IDS.map(otherHost)];
const lacks = all.flatMap(({ lack }) => lack ?? []);
if (status !== 0) lacks.unshift(`bun install ended with ${status}`);
if (lacks.length > 0) {
  process.stderr.write(`The hosts are not (all) installed: ${lacks.join("; ")}\n`);
  process.exitCode = 1;
}
