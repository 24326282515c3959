/** Where hooks are installed a control server is meant, so a session that finds none starts one. */

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { test } from "../harness/process-test.ts";
import { listRuns } from "../harness/recorded-runs.ts";
import { ComparedSession } from "./faults/compared-session.ts";

test("DEG-01 a short session where hooks are installed is recorded by a server that it starts", async ({ box }) => {
  mkdirSync(box.birHome, { recursive: true, mode: 0o700 });
  const row = {
    kind: "hooks",
    state: "written",
    scope: "local",
    directory: box.cwd,
    file: "x",
    path: [],
    name: "",
    hosts: [],
  };
  const ledger = { version: 1, rows: [{ ...row, made: [], undo: null }] };
  writeFileSync(join(box.birHome, "installed.json"), JSON.stringify(ledger), { mode: 0o600 });
  const session = new ComparedSession(box);
  await session.request("i", "initialize", { clientInfo: { name: "cursor", version: "1" } });
  await session.calls(0, 3);
  await session.finish();
  // The server takes the session's report up by itself; asking for the runs is what tells.
  await expect.poll(() => listRuns(box), { timeout: 25_000 }).toMatchObject([{ tier: "bound", stepCount: 3 }]);
  expect((await box.bir(["down"])).code).toBe(0);
  expect(await box.untilNoneLeft()).toEqual([]);
});
