/**
 * The directory that a host is started in belongs to whoever wrote what is in it. Nothing there changes what `bir` does,
 * and nothing there is run.
 */

import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect } from "vitest";
import { BIR, BUN } from "../harness/locations.ts";
import { test } from "../harness/process-test.ts";
import type { Sandbox } from "../harness/sandbox.ts";
import { onlyStoredRun, storedRuns } from "./faults/stored-runs.ts";

/** What each planted program does: it leaves this file. */
const planted = (box: Sandbox) => join(box.directory, "planted-code-ran");

/** Answers one call, then tells all of its environment. Not run by Bun, which would itself read the planted files. */
const SERVER = [
  "sh",
  "-c",
  `read -r line; echo '{"jsonrpc":"2.0","id":1,"result":{"content":[]}}'; cat >/dev/null; env`,
];
const CALL = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"n":1}}}\n';

/** Fills the working directory with what Bun, Node, SQLite and the system's loader could be made to read. */
function plant(box: Sandbox): void {
  const mark = JSON.stringify(planted(box));
  const code = `require("node:fs").writeFileSync(${mark}, "ran");\n`;
  const dotenv = [
    `BIR_HOME=${join(box.directory, "stolen")}`,
    "BIR_OFF=1",
    "BIR_DEBUG=all",
    "BIR_PROXY_STAY_UP=1",
    "BIR_REDACT_LEGACY_KEYS=1",
    "HOME=/nowhere",
    "PATH=/nowhere",
    "PLANTED=1",
    "CLAUDE_CODE_SESSION_ID=planted",
  ].join("\n");
  const files: Record<string, string> = {
    ".env": dotenv,
    ".env.local": dotenv,
    ".env.production": dotenv,
    ".env.development": dotenv,
    "bunfig.toml": 'preload = ["./preload.ts"]\n',
    "preload.ts": code,
    "tsconfig.json": '{"compilerOptions":{"paths":{"*":["./preload.ts"]},"jsx":"nonsense"},"extends":"./nowhere"}',
    "jsconfig.json": "{broken",
    "package.json": '{"type":"commonjs","imports":{"#*":"./preload.ts"},"overrides":{"zod":"./preload.ts"}, broken',
    "libc.so.6": "no library",
    "libc.musl-x86_64.so.1": "no library",
    "libsqlite3.so": "no library",
    "recordings.db": "no store",
    off: "",
    ".baseinstrunner": "no directory",
    "node_modules/.bin/sh": `#!/bin/sh\necho ran > '${planted(box)}'\n`,
  };
  for (const name of ["zod", "bun:sqlite", "bun:ffi", "@stricli/core", "jsonc-parser", "node:fs", "fs"]) {
    files[`node_modules/${name}/package.json`] = '{"main":"index.js"}';
    files[`node_modules/${name}/index.js`] = code;
  }
  for (const [name, content] of Object.entries(files)) {
    const path = join(box.cwd, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content, { mode: 0o755 });
  }
  plantLibrary(box);
}

/** A real library under the name of the system's, where there is a compiler. */
function plantLibrary(box: Sandbox): void {
  const compiler = Bun.which("cc");
  if (compiler === null) return;
  const source = box.file(
    "planted.c",
    `#include <stdio.h>\n__attribute__((constructor)) static void planted(void) { fclose(fopen(${JSON.stringify(planted(box))}, "w")); }\n`,
  );
  for (const name of ["libc.so.6", "libc.musl-x86_64.so.1", "libsqlite3.so"]) {
    Bun.spawnSync([compiler, "-shared", "-fPIC", "-o", join(box.cwd, name), source]);
  }
}

/** Names and contents of what is in the working directory. */
const listing = (box: Sandbox) => readdirSync(box.cwd, { recursive: true }).map(String).sort();

/** Nothing planted has run, nothing was stolen, and the directory is as it was `before`. */
function expectUnaffected(box: Sandbox, before: string[]): void {
  expect(existsSync(planted(box))).toBe(false);
  expect(existsSync(join(box.directory, "stolen"))).toBe(false);
  expect(listing(box)).toEqual(before);
}

describe("a hostile working directory", () => {
  test("is hostile: a plain Bun obeys it", async ({ box }) => {
    plant(box);
    rmSync(join(box.cwd, "package.json"));
    rmSync(join(box.cwd, "tsconfig.json"));
    const victim = box.start([BUN, "-e", "console.log(process.env.PLANTED)"]);
    await victim.finish();
    expect(victim.stdout.text()).toBe("1\n");
    expect(existsSync(planted(box))).toBe(true);
  });

  test.for([
    ["bir proxy", [BIR, "proxy", "--server-name", "fake"], {}],
    ["bir proxy --no-record", [BIR, "proxy", "--no-record"], {}],
    ["bir proxy, switched off", [BIR, "proxy"], { BIR_OFF: "1" }],
  ] as const)("changes nothing for %s", async ([, command, env], { box }) => {
    plant(box);
    const before = listing(box);
    const host = box.start([...command, "--", ...SERVER], { env });
    await host.write(CALL);
    await host.stdout.untilAnswer(1);
    expect(await host.finish()).toEqual({ code: 0, signal: null });
    const [answer, ...environment] = host.stdout.lines();
    expect(answer).toBe('{"jsonrpc":"2.0","id":1,"result":{"content":[]}}');
    expect(environment.filter((line) => /^(PLANTED|BIR_|CLAUDE_)/.test(line))).toEqual([]);
    expect(environment).toContain(`PATH=${process.env.PATH}`);
    expect(environment).toContain(`HOME=${box.home}`);
    expect(host.stderr.text()).toBe("");
    if (command.includes("--server-name" as never)) {
      expect(onlyStoredRun(box.birHome)).toMatchObject({ sessionId: null, steps: [{ tool: "echo", status: "ok" }] });
    } else expect(storedRuns(box.birHome)).toEqual([]);
    expectUnaffected(box, before);
  });

  test.for(["--version", "proxy --help", "proxy", "run list", "doctor", "no-such-command"])(
    "changes nothing for bir %s",
    async (line, { box }) => {
      // What else goes on on this machine takes room on the disk meanwhile.
      const told = async () => {
        const outcome = await box.bir(line.split(" "));
        return { ...outcome, stdout: outcome.stdout.replace(/[\d.]+ [KMGT]iB are free/, "some are free") };
      };
      const usual = await told();
      plant(box);
      const before = listing(box);
      expect(await told()).toEqual(usual);
      expectUnaffected(box, before);
    },
  );

  test.for(["bunfig.toml", ".env", "package.json", "tsconfig.json"])(
    "a broken %s is not even read",
    async (name, { box }) => {
      for (const content of ["[[[ {broken", Buffer.alloc(100_000, 0xff)]) {
        writeFileSync(join(box.cwd, name), content);
        const host = box.start([BIR, "proxy", "--server-name", "fake", "--", ...SERVER]);
        await host.write(CALL);
        await host.stdout.untilAnswer(1);
        expect(await host.finish()).toEqual({ code: 0, signal: null });
        expect(host.stderr.text()).toBe("");
      }
      expect(storedRuns(box.birHome)).toHaveLength(2);
    },
  );
});
