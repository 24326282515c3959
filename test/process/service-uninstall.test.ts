/** `bir self uninstall` while the service of the home runs: it ends, and nothing of it is left. */

import { expect } from "vitest";
import { test } from "../harness/process-test.ts";
import { needs } from "../harness/requirement.ts";
import { install, installed, makeRelease, REAL, runScript, SHELLS, type Shell, tree } from "./install-fixture.ts";
import { ask, tokenOf } from "./service-process.ts";

test("ends the service, and takes its files with it", async ({ box, task }) => {
  needs(task.context, process.platform !== "win32", "the installer is a shell script");
  const sh = (SHELLS.find(([name]) => Bun.which(name) !== null) ?? SHELLS[0]) as Shell;
  const before = tree(box.home);
  expect(await install(box, sh, { BIR_BASE_URL: makeRelease(box, REAL) })).toMatchObject({ code: 0 });
  const env = { BUN_RUNTIME_TRANSPILER_CACHE_PATH: "0" };
  const proxy = box.start([installed(box), "proxy", "--server-name", "fake", "--", ...box.fake("--quiet")], { env });
  await proxy.call(1, "echo", { text: "kept" });
  expect((await proxy.finish()).code).toBe(0);
  const service = box.start([installed(box), "view", "--port", "0", "--no-open", "--json"]);
  await service.stdout.untilText("\n}");
  const { url } = JSON.parse(service.stdout.text()) as { url: string };
  expect((await ask({ url, token: tokenOf(box) }, "/api/search?q=kept")).status).toBe(200);
  const done = await runScript(
    box,
    [installed(box), "self", "uninstall", "--yes", "--delete-recordings", "--json"],
    {},
  );
  expect(done).toMatchObject({ code: 0, stderr: "" });
  expect((await service.exit()).code).toBe(0);
  expect(tree(box.home)).toEqual(before);
});
