/** What `bun build.ts` makes for this platform: the same bytes everywhere, in one step, whatever runs meanwhile. */

import { appendFileSync, readdirSync, readFileSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect } from "vitest";
import packageJson from "../../package.json" with { type: "json" };
import runtimes from "../../packaging/runtimes/package.json" with { type: "json" };
import { TARGETS } from "../../packaging/targets.ts";
import { CheckoutCopy } from "../harness/checkout-copy.ts";
import { BIR, ROOT } from "../harness/locations.ts";
import { test } from "../harness/process-test.ts";

const FILE = process.platform === "win32" ? "bir.exe" : "bir";
const VERSION = `${packageJson.version}\n`;
const BUILD_TIMEOUT_MS = 300_000;

let here: CheckoutCopy;
let elsewhere: CheckoutCopy;
let built: string;

beforeAll(async () => {
  here = new CheckoutCopy("here");
  elsewhere = new CheckoutCopy("in-a-longer-place");
  built = join(here.dist, FILE);
  const first = await here.build();
  expect(first).toEqual({ code: 0, stdout: `${join("dist", FILE)}\n`, stderr: "" });
  const environment = { NODE_ENV: "development", BIR_BUILD_VERSION: "9.9.9", BIR_HOME: "/nowhere", TZ: "Asia/Tokyo" };
  expect((await elsewhere.build([], environment)).code).toBe(0);
}, BUILD_TIMEOUT_MS);

afterAll(() => {
  here.dispose();
  elsewhere.dispose();
});

describe("the executable", () => {
  test("has the same bytes when built in another directory and environment", () => {
    expect(readFileSync(built).equals(readFileSync(join(elsewhere.dist, FILE)))).toBe(true);
  });

  test("holds no path of where it was built", () => {
    const bytes = readFileSync(built);
    for (const path of [here.directory, join(ROOT, "src"), join(ROOT, "node_modules"), join(ROOT, "packaging")]) {
      expect(bytes.includes(path), path).toBe(false);
    }
  });

  test("is all that the build leaves", () => {
    expect(readdirSync(here.dist)).toEqual([FILE]);
    expect(readdirSync(here.directory).sort()).toEqual(
      ["build.ts", "dist", "node_modules", "package.json", "packaging", "src", "tsconfig.json"].sort(),
    );
  });

  test("says the version of package.json", async ({ box }) => {
    const bir = box.start([built, "--version"]);
    expect(await bir.finish()).toEqual({ code: 0, signal: null });
    expect(bir.stdout.text()).toBe(VERSION);
  });

  test.for(["bir-proxy", "Bir-Proxy.exe"])("is the proxy when it is called %s", async (name, { box }) => {
    const alias = join(box.directory, name);
    symlinkSync(built, alias);
    const proxy = box.start([alias, "--server-name", "cat", "--", "cat"]);
    await proxy.write('{"jsonrpc":"2.0","id":1,"method":"ping"}\n');
    await proxy.stdout.untilText("}\n");
    expect(await proxy.finish()).toEqual({ code: 0, signal: null });
    expect(proxy.stdout.text()).toBe('{"jsonrpc":"2.0","id":1,"method":"ping"}\n');
  });

  test("takes a role from its first word under any other name", async ({ box }) => {
    const alias = join(box.directory, "recorder");
    symlinkSync(built, alias);
    const bir = box.start([alias, "--version"]);
    expect(await bir.finish()).toEqual({ code: 0, signal: null });
    expect(bir.stdout.text()).toBe(VERSION);
  });
});

describe("building again", () => {
  test("replaces an executable that runs, and does not disturb it", async ({ box }) => {
    const proxy = box.start([built, "proxy", "--server-name", "cat", "--", "cat"]);
    await proxy.write("1\n");
    await proxy.stdout.untilText("1\n");
    const before = statSync(built).ino;
    expect(await here.build()).toMatchObject({ code: 0, stderr: "" });
    expect(statSync(built).ino).not.toBe(before);
    expect(readFileSync(built).equals(readFileSync(join(elsewhere.dist, FILE)))).toBe(true);
    await proxy.write("2\n");
    await proxy.stdout.untilText("2\n");
    expect(await proxy.finish()).toEqual({ code: 0, signal: null });
  });

  test("with a mistake in the sources says where it is and leaves the last executable", async () => {
    const before = statSync(join(elsewhere.dist, FILE));
    appendFileSync(join(elsewhere.directory, "src", "version.ts"), "export const = 1;\n");
    const { code, stderr } = await elsewhere.build();
    expect(code).toBe(1);
    expect(stderr).toMatch(/^build: building for \S+ failed:\n.*version\.ts:\d+/s);
    expect(statSync(join(elsewhere.dist, FILE))).toMatchObject({ ino: before.ino, mtimeMs: before.mtimeMs });
    expect(readdirSync(elsewhere.dist)).toEqual([FILE]);
  });

  test("with an unknown option is one line that names it", async () => {
    const { code, stdout, stderr } = await elsewhere.build(["--everything"]);
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toMatch(/^build: [^\n]*--everything[^\n]*\n$/);
  });
});

describe("the pinned runtimes", () => {
  test("are those of the Bun that the project is built with", () => {
    const version = packageJson.packageManager.replace("bun@", "");
    expect(runtimes.dependencies).toEqual(Object.fromEntries(TARGETS.map(({ runtime }) => [runtime, version])));
  });

  test("are locked with a hash each", () => {
    const lock = readFileSync(join(ROOT, "packaging", "runtimes", "bun.lock"), "utf8");
    for (const [name, version] of Object.entries(runtimes.dependencies)) {
      expect(lock).toMatch(new RegExp(`"${name}": \\["${name}@${version}", "", .*"sha512-[\\w+/]{86}=="\\]`));
    }
  });
});

test("the executable that all other tests run is of this version", async ({ box }) => {
  const bir = box.start([BIR, "--version"]);
  await bir.finish();
  expect(bir.stdout.text()).toBe(VERSION);
});
