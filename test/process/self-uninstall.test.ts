/** `bir self uninstall` of an installed executable. That it gives back the home as it was: install-script.test.ts, too. */

import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect } from "vitest";
import { BIR } from "../harness/locations.ts";
import { test } from "../harness/process-test.ts";
import { fileNeeds, needs } from "../harness/requirement.ts";
import type { CliResult, Sandbox } from "../harness/sandbox.ts";
import {
  install,
  installed,
  makeRelease,
  REAL,
  receiptOf,
  runScript,
  SHELLS,
  type Shell,
  tree,
} from "./install-fixture.ts";

const SH = (SHELLS.find(([name]) => Bun.which(name) !== null) ?? SHELLS[0]) as Shell;
const OBEYING_MODES =
  process.getuid?.() === 0 ? ["setpriv", "--bounding-set=-dac_override,-dac_read_search", "--"] : [];

async function installReal(box: Sandbox): Promise<void> {
  const done = await install(box, SH, { BIR_BASE_URL: makeRelease(box, REAL) });
  expect(done).toMatchObject({ code: 0, stderr: "" });
}

async function uninstall(box: Sandbox, ...flags: string[]): Promise<CliResult> {
  return await runScript(box, [installed(box), "self", "uninstall", "--yes", ...flags], {});
}

async function recordACall(box: Sandbox): Promise<void> {
  // The fake server's runtime keeps a cache in the home otherwise.
  const env = { BUN_RUNTIME_TRANSPILER_CACHE_PATH: "0" };
  const proxy = box.start([installed(box), "proxy", "--server-name", "fake", "--", ...box.fake("--quiet")], { env });
  await proxy.call(1, "echo", { text: "kept" });
  expect((await proxy.finish()).code).toBe(0);
}

if (fileNeeds(process.platform !== "win32", "a POSIX system")) {
  test("keeps what was recorded, which a later installation shows again", async ({ box }) => {
    await installReal(box);
    await recordACall(box);
    const done = await uninstall(box);
    expect(done).toMatchObject({ code: 0, stderr: "" });
    expect(done.stdout).toContain(`kept     ${box.birHome}: what was recorded.`);
    expect(readdirSync(box.home)).toEqual([".baseinstrunner"]);
    expect(readdirSync(box.birHome).filter((name) => !name.startsWith("recordings.db"))).toEqual([]);
    await installReal(box);
    const list = JSON.parse((await runScript(box, [installed(box), "run", "list", "--json"], {})).stdout);
    expect(list).toMatchObject([{ stepCount: 1 }]);
  });

  test("with --delete-recordings leaves nothing, and ends the control server", async ({ box }) => {
    const before = tree(box.home);
    await installReal(box);
    await recordACall(box);
    const up = JSON.parse((await runScript(box, [installed(box), "up", "--json"], {})).stdout);
    expect(box.survivors().map(({ pid }) => pid)).toContain(up.pid);
    const done = await uninstall(box, "--delete-recordings", "--json");
    expect(done).toMatchObject({ code: 0, stderr: "" });
    expect(JSON.parse(done.stdout)).toMatchObject({ kept: [], recordings: null, restored: [] });
    expect(box.survivors()).toEqual([]);
    expect(tree(box.home)).toEqual(before);
  });

  test("leaves what a person has put there or changed, and says so", async ({ box }) => {
    await installReal(box);
    const bashrc = join(box.home, ".bashrc");
    const changed = readFileSync(bashrc, "utf8").replace("case", "# case");
    writeFileSync(bashrc, changed);
    writeFileSync(join(dirname(installed(box)), "mine"), "");
    const done = await uninstall(box);
    expect(done.code).toBe(0);
    expect(done.stderr).toBe(`bir: ${bashrc} stays: the lines of bir in it were changed: take them out yourself.\n`);
    expect(readFileSync(bashrc, "utf8")).toBe(changed);
    expect(Object.keys(tree(box.home)).sort()).toEqual([".", ".bashrc", ".local", ".local/bin", ".local/bin/mine"]);
  });

  test("after `bir install`, hosts have their settings back, byte for byte", async ({ box }) => {
    const cursor = join(box.home, ".cursor");
    mkdirSync(cursor);
    writeFileSync(join(cursor, "mcp.json"), '{\r\n\t"mcpServers": { "a": {"command":"cat"} }\r\n}');
    const before = tree(box.home);
    await installReal(box);
    const wrapped = await runScript(box, [installed(box), "install", "--host", "cursor"], {});
    expect(wrapped).toMatchObject({ code: 0, stderr: "" });
    expect(readFileSync(join(cursor, "mcp.json"), "utf8")).toContain(installed(box));
    const done = await uninstall(box, "--json");
    expect(done.code).toBe(0);
    expect(JSON.parse(done.stdout)).toMatchObject({ kept: [], recordings: null });
    expect(tree(box.home)).toEqual(before);
  });

  test("removes nothing while hosts start it and it cannot be taken out of them", async ({ box }) => {
    await installReal(box);
    writeFileSync(join(box.birHome, "installed.json"), "{");
    const before = tree(box.home);
    const done = await uninstall(box);
    expect(done).toMatchObject({ code: 1, stdout: "" });
    expect(done.stderr).toMatch(/hosts would still start bir, so nothing was removed/);
    expect(tree(box.home)).toEqual(before);
  });

  test("removes nothing while an entry starts it that the ledger has forgotten", async ({ box }) => {
    await installReal(box);
    mkdirSync(join(box.home, ".cursor"));
    const entry = { command: installed(box), args: ["proxy", "--server-name", "db", "--", "npx", "db"] };
    writeFileSync(join(box.home, ".cursor", "mcp.json"), JSON.stringify({ mcpServers: { db: entry } }));
    const before = tree(box.home);
    const { code, stderr } = await uninstall(box);
    expect(code).toBe(1);
    expect(tree(box.home)).toEqual(before);
    expect(stderr).toContain("db");
  });

  test("is asked of the installed one, or of any other when that is gone", async ({ box }) => {
    const before = tree(box.home);
    await installReal(box);
    const other = await runScript(box, [BIR, "self", "uninstall", "--yes"], {});
    expect(other).toMatchObject({ code: 2, stdout: "" });
    rmSync(installed(box));
    expect(await runScript(box, [BIR, "self", "uninstall", "--yes"], {})).toMatchObject({ code: 0, stderr: "" });
    expect(tree(box.home)).toEqual(before);
  });

  test("says when the executable may not be removed, and can be done again", async ({ box, task }) => {
    needs(
      task.context,
      OBEYING_MODES.length === 0 || Bun.which("setpriv") !== null,
      "modes bind root only through setpriv(1)",
    );
    const before = tree(box.home);
    await installReal(box);
    const bin = dirname(installed(box));
    chmodSync(bin, 0o555);
    const command = [...OBEYING_MODES, installed(box), "self", "uninstall", "--yes"];
    const refused = await runScript(box, command, {});
    expect(refused).toMatchObject({ code: 1, stdout: "" });
    expect(refused.stderr).toMatch(/could not be removed: this user may not do that/);
    expect(receiptOf(box).executable).toBe(installed(box));
    chmodSync(bin, 0o755);
    expect((await runScript(box, command, {})).code).toBe(0);
    expect(tree(box.home)).toEqual(before);
  });

  test("in a home that was there before, takes only what is of its own", async ({ box }) => {
    mkdirSync(join(box.home, ".local", "bin"), { recursive: true });
    mkdirSync(box.birHome, { mode: 0o755 });
    for (const name of [".bashrc", ".profile"]) writeFileSync(join(box.home, name), `# ${name}\n`);
    const before = tree(box.home);
    await installReal(box);
    const done = await uninstall(box);
    expect(done).toMatchObject({ code: 0, stderr: "" });
    expect(done.stdout).toContain(`restored ${join(box.home, ".bashrc")}\n`);
    expect(tree(box.home)).toEqual(before);
  });
}
