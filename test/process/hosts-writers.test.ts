/**
 * Install and uninstall again and again on a file that eight other processes keep writing, some of them in place: no key and
 * no update of theirs is lost, the file can always be read once they are still, and the first text is back in the end.
 */

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { applyTasks } from "../../src/hosts/plan/apply.ts";
import { planInstall } from "../../src/hosts/plan/plan-install.ts";
import { planUninstall } from "../../src/hosts/plan/plan-uninstall.ts";
import { BUN, ROOT } from "../harness/locations.ts";
import { test } from "../harness/process-test.ts";
import { hostOf, listOf, OPTIONS, target, variable } from "../unit/hosts-entry-fixture.ts";

const ROUNDS = Number(process.env.BIR_TEST_WRITER_ROUNDS ?? 200);
const NAMES = ["a", "b", "c", "d", "e", "f", "g", "h"];
const ALL = { hosts: null, servers: null, file: null };

const SERVERS = {
  files: { type: "stdio", command: "npx", args: ["-y", "server", "/home/p"], env: { TOKEN: variable("TOKEN") } },
  bare: { command: "./run.sh" },
  far: {
    type: "http",
    url: "https://example.com/mcp",
    headers: { Authorization: `Bearer ${variable("TOKEN")}` },
    timeout: 5,
  },
};

test(`${ROUNDS} rounds among eight writers`, async ({ box }) => {
  const directory = join(box.directory, "config");
  mkdirSync(directory);
  const file = join(directory, ".claude.json");
  const zero = Object.fromEntries(NAMES.map((name) => [name, 0]));
  const first = { counters: zero, own: {}, mcpServers: SERVERS, projects: { "/home/p": { history: ["x"] } } };
  writeFileSync(file, `${JSON.stringify(first, null, 2)}\n`);
  const lock = join(box.directory, "writers.lock");
  const program = join(ROOT, "test", "fakes", "config-writer.ts");
  const writers = NAMES.map((name, i) => box.start([BUN, program, file, name, i < 6 ? "rename" : "truncate", lock]));
  await Promise.all(writers.map((writer) => writer.stdout.untilText("ready")));

  const list = listOf("plain", "json", ["mcpServers"], { file });
  const problems: string[] = [];
  let wrote = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const done = [
      ...(await applyTasks(planInstall([target(list, hostOf())], OPTIONS), box.birHome)),
      ...(await applyTasks((rows) => planUninstall(rows, ALL), box.birHome)),
    ];
    for (const { problem, wrote: isWritten } of done) {
      if (problem !== null) problems.push(problem.message);
      if (isWritten) wrote++;
    }
  }
  const said = await Promise.all(
    writers.map(async (writer) => {
      await writer.finish();
      return JSON.parse(writer.stdout.lines().at(-1) ?? "") as Record<string, number>;
    }),
  );
  await applyTasks((rows) => planUninstall(rows, ALL), box.birHome);

  const now = JSON.parse(readFileSync(file, "utf8"));
  const sum = (key: string) => said.reduce((all, one) => all + (one[key] ?? 0), 0);
  if (process.env.BIR_TEST_SHOW) console.log({ writes: sum("writes"), lost: sum("lostUpdates"), wrote });
  expect(problems).toEqual([]);
  expect({ keys: sum("lostKeys"), unreadable: sum("unreadable") }).toEqual({ keys: 0, unreadable: 0 });
  // Between two system calls, a writer can still read what is about to be swapped back.
  expect(sum("lostUpdates")).toBeLessThanOrEqual(1);
  expect(now.counters).toEqual(Object.fromEntries(NAMES.map((name, i) => [name, said[i]?.count])));
  expect(JSON.stringify(now.mcpServers, null, 2)).toBe(JSON.stringify(SERVERS, null, 2));
  expect(now.projects).toEqual(first.projects);
  expect(readdirSync(directory)).toEqual([".claude.json"]);
  expect(wrote).toBeGreaterThan(ROUNDS);
});
