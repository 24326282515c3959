/**
 * Installs the real hosts that test/hosts runs against, at the versions its lock file pins, into test/hosts only.
 * Run as `bun test/hosts/install.ts`. Runs no install script of any package.
 */

import { spawnSync } from "node:child_process";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { inspector } from "./installed.ts";

const here = dirname(fileURLToPath(import.meta.url));
const { status } = spawnSync(process.execPath, ["install", "--frozen-lockfile", "--ignore-scripts"], {
  cwd: here,
  stdio: "inherit",
});
const { lack } = inspector();
if (status !== 0 || lack !== undefined) {
  process.stderr.write(`The hosts are not (all) installed: ${lack ?? `bun install ended with ${status}`}\n`);
  process.exitCode = 1;
}
