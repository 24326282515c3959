/**
 * The real hosts, each with a configuration as a person would have it: works as it is, works and is recorded after
 * `bir install`, and is as it was, byte for byte, after `bir uninstall`.
 */

import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { expect } from "vitest";
import type { Step } from "../../src/core/run.ts";
import { test } from "../harness/process-test.ts";
import { listRuns, showRun } from "../harness/recorded-runs.ts";
import { fileNeeds } from "../harness/requirement.ts";
import type { Sandbox } from "../harness/sandbox.ts";
import { SealedHost, type Seen, TOLD } from "./hosts/tested/sealed-host.ts";
import { FAR_TOKEN, type TestedHost } from "./hosts/tested/tested-host.ts";
import { TESTED_HOSTS } from "./hosts/tested/tested-hosts.ts";
import { until } from "./hosts/until.ts";

const INSTALLED = TESTED_HOSTS.filter(({ lack }) => fileNeeds(lack === undefined, lack ?? ""));

for (const host of INSTALLED) {
  test(`${host.name}: works directly, through bir, and directly again`, async ({ box }) => {
    const sealed = await SealedHost.start(box, host);
    try {
      const direct = await sealed.run();
      expectBothCalled(host, direct, "as it is");
      // From here on: some hosts write the file in their first session.
      const before = readFileSync(sealed.config);
      const mode = lstatSync(sealed.config).mode;

      await bir(box, ["install", "--host", host.id], sealed.env);
      expect(readFileSync(sealed.config).equals(before)).toBe(false);
      await bir(box, ["uninstall", "--all"], sealed.env);
      expect(readFileSync(sealed.config, "utf8")).toBe(before.toString("utf8"));
      expect(readFileSync(sealed.config).equals(before)).toBe(true);

      await bir(box, ["install", "--host", host.id], sealed.env);
      // Some hosts kill their servers at once when they end: what is recorded is looked for before.
      const through = await sealed.run(() => untilRecorded(box, 2));
      expectBothCalled(host, through, "through bir");
      expect(through.offered).toEqual(direct.offered);
      expect(through.calls).toEqual(direct.calls);
      expect(await recordedCalls(box)).toEqual([called("far", TOLD.far), called("near", TOLD.near)]);

      await bir(box, ["uninstall", "--all"], sealed.env);
      expect(lstatSync(sealed.config).mode).toBe(mode);
      if (host.writesConfig) expect(serversIn(sealed.config)).toEqual(serversIn(before));
      else expect(readFileSync(sealed.config, "utf8")).toBe(before.toString("utf8"));
      expectBothCalled(host, await sealed.run(), "as it was");
      // Nothing is recorded any more.
      expect(await recordedCalls(box)).toHaveLength(2);
      expect(sealed.strayTraffic()).toEqual([]);
    } finally {
      await box.bir(["down"]);
      await sealed.close();
    }
  });
}

test("all of them in one home: it is the same, file by file, after an installation that is taken back", async ({
  box,
}) => {
  const servers = { near: { command: "/usr/bin/near", args: ["--flag", "a word"] }, far: "http://127.0.0.1:9/mcp" };
  const files = TESTED_HOSTS.flatMap((host) => {
    const own = { ...host.files("http://127.0.0.1:9"), [host.config]: host.configText(servers, "http://127.0.0.1:9") };
    return Object.entries(own).map(([name, text]) => ({ name, text, isConfig: name === host.config }));
  });
  for (const [index, { name, text }] of files.entries()) {
    const path = join(box.home, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text, { mode: index % 2 === 0 ? 0o600 : 0o644 });
  }
  // As programs that look after a person's files keep them.
  const [first] = files;
  const kept = join(box.home, "kept-elsewhere.json");
  renameSync(join(box.home, first?.name ?? ""), kept);
  symlinkSync(kept, join(box.home, first?.name ?? ""));
  const before = [treeOf(box.home), treeOf(box.cwd)];
  // A person's recordings need not be in their home.
  const env = { BIR_HOME: join(box.directory, "bir-home"), FAR_TOKEN };

  for (const round of [1, 2, 3]) {
    await bir(box, ["install"], env);
    const unwrapped = files.filter(
      ({ name, text, isConfig }) => isConfig && text === readFileSync(join(box.home, name), "utf8"),
    );
    expect({ round, unwrapped: unwrapped.map(({ name }) => name) }).toEqual({ round, unwrapped: [] });
  }
  await bir(box, ["uninstall", "--all"], env);
  await box.bir(["down"], { env });
  expect([treeOf(box.home), treeOf(box.cwd)]).toEqual(before);
});

function expectBothCalled(host: TestedHost, seen: Seen, how: string): void {
  const names = (["near", "far"] as const).map((server) => {
    const { namespace, name } = host.use(server, "echo");
    return namespace === undefined ? name : `${namespace}.${name}`;
  });
  const call = (text: string) => [{ name: "echo", arguments: { text } }];
  expect(seen, `${how}: ${seen.said}`).toMatchObject({
    code: 0,
    isDone: true,
    offered: expect.arrayContaining(names),
    results: [expect.stringContaining(TOLD.near), expect.stringContaining(TOLD.far)],
    calls: { near: call(TOLD.near), far: call(TOLD.far) },
  });
}

async function bir(box: Sandbox, args: readonly string[], env: Record<string, string>): Promise<void> {
  const { code, stdout, stderr } = await box.bir(args, { env });
  expect(code, `bir ${args.join(" ")}\n${stdout}${stderr}`).toBe(0);
}

/** Waits until so many calls are recorded, or long enough: the test itself looks at what there is. */
async function untilRecorded(box: Sandbox, count: number): Promise<void> {
  const isSo = async () => (await recordedCalls(box)).filter(({ status }) => status === "ok").length >= count;
  await until("the calls are recorded", isSo).catch(() => {});
}

/** The steps of all runs, by the server's name. */
async function recordedCalls(box: Sandbox): Promise<Pick<Step, "server" | "tool" | "status" | "args">[]> {
  const runs = await Promise.all((await listRuns(box)).map(({ id }) => showRun(box, id)));
  const steps = runs.flatMap((run) => run.steps);
  return steps
    .map(({ server, tool, status, args }) => ({ server, tool, status, args }))
    .toSorted((one, other) => String(one.server).localeCompare(String(other.server)));
}

function called(server: string, text: string): object {
  return { server, tool: "echo", status: "ok", args: { text } };
}

function serversIn(config: string | Buffer): unknown {
  const text = typeof config === "string" ? readFileSync(config, "utf8") : config.toString("utf8");
  return (JSON.parse(text) as { mcpServers: unknown }).mcpServers;
}

/** Everything below `directory` by its path: the mode, and what is in it or where it leads. */
function treeOf(directory: string): Record<string, string> {
  const names = (readdirSync(directory, { recursive: true }) as string[]).toSorted();
  return Object.fromEntries(names.map((name) => [name, described(join(directory, name))]));
}

function described(path: string): string {
  const found = lstatSync(path);
  const mode = found.mode.toString(8);
  if (found.isDirectory()) return mode;
  return `${mode} ${found.isSymbolicLink() ? readlinkSync(path) : readFileSync(path, "latin1")}`;
}
