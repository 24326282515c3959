/** An install that is killed in the middle, wherever that is, leaves a whole file, and the next uninstall gives back the first text. */

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { formatOf } from "../../src/hosts/edit/formats.ts";
import { applyTasks } from "../../src/hosts/plan/apply.ts";
import { planInstall } from "../../src/hosts/plan/plan-install.ts";
import { planUninstall } from "../../src/hosts/plan/plan-uninstall.ts";
import { BUN, ROOT } from "../harness/locations.ts";
import { test } from "../harness/process-test.ts";
import { hostOf, listOf, OPTIONS, target } from "../unit/hosts-entry-fixture.ts";

const KILLS = 25;
const ALL = { hosts: null, servers: null, file: null };
const TEXT = `{
\t// mine
\t"mcpServers": {
\t\t"files": {"command": "npx", "args": ["-y", "server"]}, // why
\t\t"far": {"type": "sse", "url": "https://e.x/mcp", "headers": {"Authorization": "Bearer x"},},
\t},
}`;

test(`${KILLS} times killed at any moment`, async ({ box }) => {
  const directory = join(box.directory, "config");
  mkdirSync(directory);
  const file = join(directory, "mcp.json");
  writeFileSync(file, TEXT);
  const program = join(ROOT, "test", "fakes", "config-installer.ts");
  const found = new Set<string>();
  for (let i = 0; i < KILLS; i++) {
    const installer = box.start([BUN, program, file, box.birHome]);
    await installer.stdout.untilText("ready");
    await new Promise((resolve) => setTimeout(resolve, 20 + Math.random() * 60));
    installer.signal("SIGKILL");
    await installer.exit();
    const text = readFileSync(file, "utf8");
    formatOf("jsonc").parse(text);
    found.add(text);
    if (i % 2 === 0) {
      const list = listOf("plain", "jsonc", ["mcpServers"], { file });
      await applyTasks(planInstall([target(list, hostOf())], OPTIONS), box.birHome);
    }
    await applyTasks((rows) => planUninstall(rows, ALL), box.birHome);
    expect(readFileSync(file, "utf8")).toBe(TEXT);
    expect(readdirSync(directory)).toEqual(["mcp.json"]);
  }
  // Killed in different places indeed.
  expect(found.size).toBeGreaterThan(1);
});
