/** What a server finds when it starts behind the proxy is what it would have found without: nothing of ours, nothing missing. */

import { mkdirSync, symlinkSync } from "node:fs";
import { basename, join } from "node:path";
import { describe, expect } from "vitest";
import { BIR } from "../harness/locations.ts";
import { test } from "../harness/process-test.ts";
import { needs } from "../harness/requirement.ts";
import type { Sandbox } from "../harness/sandbox.ts";
import { ComparedSession } from "./faults/compared-session.ts";
import { onlyStoredRun } from "./faults/stored-runs.ts";

const linux = process.platform === "linux";

/** The ways through the proxy, as environment and options. */
const WAYS = [
  ["recording", {}, []],
  ["--no-record", {}, ["--no-record"]],
  ["switched off", { BIR_OFF: "1" }, []],
] as const;

describe.each(WAYS)("the server's environment (%s)", (_, env, flags) => {
  /** Variables as bytes, sorted; those that are ours left out. */
  async function environmentOf(box: Sandbox, wrap: readonly string[], proxied: boolean): Promise<string[]> {
    const command = proxied ? [BIR, "proxy", ...flags, "--"] : [];
    const ours = { BIR_DEBUG: "", BIR_UPSTREAM_HEADERS: '{"a":"b"}', BIR_OF_THE_FUTURE: "1", ...env };
    const host = box.start([...wrap, ...command, "cat", "/proc/self/environ"], {
      env: { ...ours, BIRD: "1", bir_lower: "1", XBIR_: "1", EMPTY: "", "with space": "=a=\n\tb", ÜNÏ: "家😀\uFFFD" },
    });
    expect(await host.finish()).toEqual({ code: 0, signal: null });
    const bytes = host.stdout.bytes().toString("latin1");
    return bytes
      .split("\0")
      .filter((entry) => proxied || !entry.startsWith("BIR_"))
      .sort();
  }

  test.for([
    ["of text", []],
    [
      "with bytes that are no text",
      ["sh", "-c", String.raw`ODD=$(printf '\377\376 \300\200'); export ODD; exec "$@"`, "sh"],
    ],
  ] as const)("%s is the host's without ours, byte for byte", async ([, wrap], { box, task }) => {
    needs(task.context, linux, "an environment is read as bytes from /proc");
    const direct = await environmentOf(box, wrap, false);
    expect(direct.length).toBeGreaterThan(8);
    expect(await environmentOf(box, wrap, true)).toEqual(direct);
  });
});

describe.each(WAYS)("the server's arguments and directory (%s)", (_, env, flags) => {
  test("are exact", async ({ box }) => {
    const args = [
      "",
      "a b",
      '"',
      "'",
      '\\"\\',
      "--",
      "-x",
      "--server-name",
      "--version",
      "ünï 家 😀",
      "a\nb\t",
      "*",
      "$HOME",
      "%PATH%",
      "a=b",
      "{}",
      "`id`",
      "",
    ];
    const show = ["sh", "-c", 'printf "%s|" "$0" "$@"', "zero", ...args];
    await new ComparedSession(box, { env, flags, upstream: show }).finish();
  });

  test("a program with an odd name", async ({ box }) => {
    const program = join(box.cwd, "odd=name with 'quotes' ünï");
    symlinkSync("/bin/echo", program);
    for (const path of [program, `./${basename(program)}`]) {
      await new ComparedSession(box, { env, flags, upstream: [path, "a", "b"] }).finish();
    }
  });

  test("the working directory is kept, by whatever name", async ({ box }) => {
    const real = join(box.directory, "real ünï dir");
    const link = join(box.directory, "link");
    mkdirSync(real);
    symlinkSync(real, link);
    for (const cwd of [real, link]) {
      await new ComparedSession(box, {
        env: { ...env, PWD: cwd },
        flags,
        cwd,
        upstream: ["sh", "-c", "pwd; pwd -P"],
      }).finish();
    }
  });

  test("only the three standard files are open in it", async ({ box, task }) => {
    needs(task.context, linux, "open files are read from /proc");
    await new ComparedSession(box, { env, flags, upstream: ["ls", "/proc/self/fd"] }).finish();
  });
});

describe("the name it is called by", () => {
  test.for(["bir-proxy", "BIR-PROXY", "bir-proxy.exe"])("%s is bir proxy", async (name, { box }) => {
    const link = join(box.directory, name);
    symlinkSync(BIR, link);
    const session = new ComparedSession(box, { bir: [link] });
    await session.calls(0, 3);
    await session.finish();
    expect(onlyStoredRun(box.birHome).steps).toHaveLength(3);
  });

  test("bir-proxy is found on PATH too, and the server's name is its command's", async ({ box }) => {
    symlinkSync(BIR, join(box.directory, "bir-proxy"));
    const PATH = `${box.directory}:${process.env.PATH}`;
    const host = box.start(["sh", "-c", 'exec bir-proxy -- "$@"', "sh", ...box.fake("--quiet")], { env: { PATH } });
    await host.call(1, "echo");
    await host.finish();
    expect(onlyStoredRun(box.birHome)).toMatchObject({
      wrappedServers: [basename(box.fake()[0] ?? "").replace(/\.exe$/, "")],
      steps: [{ tool: "echo" }],
    });
  });
});

describe("a signal that the host has told its processes to ignore", () => {
  test("(as under nohup) does not end the session", async ({ box, task }) => {
    needs(task.context, process.platform !== "win32", "Windows has no such signals");
    const session = new ComparedSession(box, { wrap: ["sh", "-c", "trap '' HUP; exec \"$@\"", "sh"] });
    await session.call(1);
    session.host.signal("SIGHUP");
    await session.call(2);
    await session.finish();
    expect(onlyStoredRun(box.birHome).steps).toHaveLength(2);
  });
});
