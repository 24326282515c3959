/**
 * A whole release, made as people make it: every platform's executable, its checksum, its signature; and a recorded
 * session with those that can run here. Windows' and macOS' are run on their own machines only.
 */

import { createHash } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, type TestContext } from "vitest";
import packageJson from "../../package.json" with { type: "json" };
import { signAdHoc } from "../../packaging/adhoc-signature.ts";
import { thisTarget } from "../../packaging/runtimes.ts";
import { signatureFaults } from "../../packaging/signature-check.ts";
import { TARGETS } from "../../packaging/targets.ts";
import { type BuildResult, CheckoutCopy } from "../harness/checkout-copy.ts";
import { BUN } from "../harness/locations.ts";
import { test } from "../harness/process-test.ts";
import { needs } from "../harness/requirement.ts";
import type { Sandbox } from "../harness/sandbox.ts";
import { linuxArm64, linuxX64Musl, type Platform } from "./foreign-platforms.ts";

/** Long enough for 300 MB of runtimes over a slow line. */
const BUILD_TIMEOUT_MS = 900_000;
const MIB = 1024 * 1024;

/** File → what its header must say. ELF: machine and loader; Mach-O: CPU type; PE: machine. */
const FILES: Record<string, string> = {
  "bir-linux-x64": "ELF 62 /lib64/ld-linux-x86-64.so.2",
  "bir-linux-x64-musl": "ELF 62 /lib/ld-musl-x86_64.so.1",
  "bir-linux-arm64": "ELF 183 /lib/ld-linux-aarch64.so.1",
  "bir-darwin-x64": "Mach-O 0x1000007",
  "bir-darwin-arm64": "Mach-O 0x100000c",
  "bir-windows-x64.exe": "PE 0x8664",
  "bir-windows-arm64.exe": "PE 0xaa64",
};

let checkout: CheckoutCopy;
let release: string;
let built: BuildResult;

beforeAll(async () => {
  checkout = new CheckoutCopy("release");
  release = join(checkout.dist, "release");
  built = await checkout.build(["--all"]);
}, BUILD_TIMEOUT_MS);

afterAll(() => checkout.dispose());

describe("a release", () => {
  test("is every platform's executable and their checksums, and nothing else", () => {
    expect(built).toMatchObject({ code: 0, stderr: "" });
    expect(readdirSync(release).sort()).toEqual([...Object.keys(FILES), "SHA256SUMS"].sort());
    expect(readdirSync(checkout.dist)).toEqual(["release"]);
  });

  test("has checksums that sha256sum finds right", ({ task }) => {
    const sha256sum = Bun.which("sha256sum");
    needs(task.context, sha256sum !== null, "there is no sha256sum");
    const check = Bun.spawnSync([sha256sum ?? "", "--check", "--strict", "SHA256SUMS"], { cwd: release });
    expect(check.stdout.toString()).toBe(TARGETS.map(({ name }) => `${fileOf(name)}: OK\n`).join(""));
    expect(check.exitCode).toBe(0);
  });

  test.for(Object.entries(FILES))("%s is what its name says", ([file, kind]) => {
    const bytes = readFileSync(join(release, file));
    expect(kindOf(bytes)).toBe(kind);
    expect(bytes.length / MIB).toBeGreaterThan(60);
    expect(bytes.length / MIB).toBeLessThan(150);
    // The program itself is inside, and no path of where it was built.
    expect(bytes.includes(".baseinstrunner")).toBe(true);
    expect(bytes.includes(checkout.directory)).toBe(false);
    if (process.platform !== "win32") expect(statSync(join(release, file)).mode & 0o111).toBe(0o111);
  });

  test("holds the very executable that is built for this platform", async ({ skip }) => {
    const target = TARGETS.find(({ name }) => name === thisTarget());
    const runtime = createHash("sha256").update(readFileSync(BUN)).digest("hex");
    if (target?.runtimeSha256 !== runtime) skip("this Bun is another build than the pinned one");
    expect((await checkout.build()).code).toBe(0);
    const here = readFileSync(join(checkout.dist, fileOf(thisTarget()).replace(`-${thisTarget()}`, "")));
    expect(here.equals(readFileSync(join(release, fileOf(thisTarget()))))).toBe(true);
  });
});

describe("signatures", () => {
  test.for(["bir-darwin-x64", "bir-darwin-arm64"])("%s: every page and slot holds", (file) => {
    expect(signatureFaults(readFileSync(join(release, file)))).toEqual([]);
  });

  test("are judged rightly: those of Bun's makers hold in all but being ad hoc", () => {
    for (const name of ["darwin-x64", "darwin-arm64"]) {
      const runtime = readFileSync(runtimePath(name));
      expect(signatureFaults(runtime)).toEqual([
        "it is not an ad-hoc signature",
        "it asks for the hardened runtime",
        "it carries a certificate",
      ]);
      expect(signatureFaults(signAdHoc(runtime, "bun"))).toEqual([]);
    }
  });
});

describe("a recorded session on", () => {
  test("linux-arm64", async ({ box, task }) => {
    await recordsASession(box, "linux-arm64", linuxArm64(), task.context);
  });

  test("linux-x64-musl", async ({ box, task }) => {
    const scratch = mkdtempSync(join(box.directory, "musl-"));
    await recordsASession(box, "linux-x64-musl", linuxX64Musl(scratch), task.context);
  });
});

describe("a runtime that is not the pinned one", () => {
  test(
    "is refused, and the last release stays",
    async () => {
      const before = readFileSync(join(release, "SHA256SUMS"), "utf8");
      const runtime = runtimePath("windows-x64");
      const bytes = readFileSync(runtime);
      bytes[5_000_000] = (bytes[5_000_000] ?? 0) ^ 1;
      // The file is also a part of Bun's cache: a new one, not new content.
      rmSync(runtime);
      writeFileSync(runtime, bytes);
      const { code, stderr } = await checkout.build(["--all"]);
      expect(code).toBe(1);
      expect(stderr).toMatch(/^build: \S+bun-windows-x64\S+ has SHA-256 [0-9a-f]{64}, pinned is /);
      expect(readFileSync(join(release, "SHA256SUMS"), "utf8")).toBe(before);
      expect(readdirSync(release)).toHaveLength(TARGETS.length + 1);
    },
    BUILD_TIMEOUT_MS,
  );
});

/** Runs the executable of `target` as a proxy and as the reader of what it recorded. */
async function recordsASession(box: Sandbox, target: string, platform: Platform, context: TestContext): Promise<void> {
  needs(context, platform.lack === undefined, platform.lack ?? "");
  const bir = [...platform.prefix, join(release, fileOf(target))];
  const { env } = platform;
  const run = async (...args: string[]): Promise<string> => {
    const child = box.start([...bir, ...args], { env });
    const exit = await child.finish();
    expect({ ...exit, stderr: child.stderr.text() }).toEqual({ code: 0, signal: null, stderr: "" });
    return child.stdout.text();
  };
  // Servers are programs of this machine: nothing that the executable alone needs may reach them.
  const clean = ["env", ...Object.keys(env).flatMap((name) => ["-u", name])];

  expect(await run("--version")).toBe(`${packageJson.version}\n`);

  const host = box.start([...bir, "proxy", "--server-name", "fake", "--", ...clean, ...box.fake("--quiet")], { env });
  const answer = await host.call(1, "echo", { text: "across" });
  expect(answer.result).toMatchObject({ content: [{ type: "text", text: "across" }] });
  expect(await host.finish()).toEqual({ code: 0, signal: null });

  const [{ id }] = JSON.parse(await run("run", "list", "--json"));
  const { steps } = JSON.parse(await run("run", "show", id, "--json"));
  expect(steps).toMatchObject([{ server: "fake", tool: "echo", args: { text: "across" }, status: "ok" }]);

  // Switched off it becomes the server, with the signals that a program starts with.
  const ignored = [...clean, "grep", "SigIgn:", "/proc/self/status"];
  const off = box.start([...bir, "proxy", "--server-name", "grep", "--", ...ignored], {
    env: { ...env, BIR_OFF: "1" },
  });
  expect(await off.finish()).toEqual({ code: 0, signal: null });
  const [, mask = ""] = /SigIgn:\s*([0-9a-f]+)/.exec(off.stdout.text()) ?? [];
  const SIGPIPE = 13n;
  expect(BigInt(`0x${mask}`) & (1n << (SIGPIPE - 1n))).toBe(0n);
}

function fileOf(target: string): string {
  return `bir-${target}${target.startsWith("windows") ? ".exe" : ""}`;
}

function runtimePath(target: string): string {
  const name = TARGETS.find((one) => one.name === target)?.runtime ?? "";
  const file = target.startsWith("windows") ? "bun.exe" : "bun";
  return join(checkout.directory, "packaging", "runtimes", "node_modules", name, "bin", file);
}

/** What the header of an executable says, in the words of FILES. */
function kindOf(bytes: Buffer): string {
  if (bytes.toString("latin1", 0, 4) === "\x7fELF") {
    const [loader = "none"] = /\/lib[\w/]*\/ld-[\w.-]+/.exec(bytes.toString("latin1", 0, 4096)) ?? [];
    return `ELF ${bytes.readUInt16LE(18)} ${loader}`;
  }
  if (bytes.readUInt32LE(0) === 0xfeedfacf) return `Mach-O 0x${bytes.readUInt32LE(4).toString(16)}`;
  if (bytes.toString("latin1", 0, 2) !== "MZ") return "unknown";
  const header = bytes.readUInt32LE(60);
  expect(bytes.toString("latin1", header, header + 4)).toBe("PE\0\0");
  return `PE 0x${bytes.readUInt16LE(header + 4).toString(16)}`;
}
