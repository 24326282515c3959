import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { type HostVersion, isOlder, readHostVersion } from "../../src/core/host-version.ts";
import { claudeCodeHooks, type HookEvents } from "../../src/hooks/settings/claude-code-settings.ts";
import { hookCommand } from "../../src/hooks/settings/hook-command.ts";

/** The hooks that a host is to run: only what its version takes, and a command that is silent whatever became of ours. */

function hooksFor(version: HostVersion | null, correlation = false): HookEvents {
  return claudeCodeHooks({ version, executable: "/opt/bir", correlation });
}

/** The hooks in short: the event, `async` where it is, and the seconds it may take. */
function inShort(events: HookEvents): string[] {
  return Object.entries(events).map(([event, [{ matcher, hooks }]]) => {
    const [{ async, timeout }] = hooks;
    return `${event}${matcher === undefined ? "" : `(${matcher})`}${async === true ? " async" : ""} ${timeout}`;
  });
}

test("print-settings --help prints its usage", () => {
  const role = join(import.meta.dirname, "../../src/roles/print-settings.ts");
  const script = `process.exitCode = await (await import(${JSON.stringify(role)})).printSettingsRole(["--help"])`;
  const { status, stdout, stderr } = spawnSync(process.execPath, ["-e", script], { encoding: "utf8" });
  expect([status, stderr]).toEqual([0, ""]);
  expect(stdout).toContain("bir hooks print-settings [--host-version X.Y.Z]");
});

describe("what a version takes", () => {
  const ALL = [
    "SessionStart 10",
    "UserPromptSubmit 10",
    "PostToolUse(*) async 10",
    "PostToolUseFailure(*) async 10",
    "SubagentStop async 10",
    "PreCompact async 10",
    "Stop 10",
    "StopFailure 10",
    "SessionEnd 5",
  ];
  const without = (...events: string[]) => ALL.filter((line) => !events.some((event) => line.startsWith(event)));
  const inTurn = (lines: string[]) => lines.map((line) => line.replace(" async", ""));

  const TABLE: [string, HostVersion | null, string[]][] = [
    ["unknown", null, inTurn(without("PostToolUseFailure", "StopFailure"))],
    ["2.0.10", [2, 0, 10], inTurn(without("PostToolUseFailure", "StopFailure"))],
    ["2.0.55", [2, 0, 55], inTurn(without("PostToolUseFailure", "StopFailure"))],
    ["2.0.56", [2, 0, 56], inTurn(without("StopFailure"))],
    ["2.0.76", [2, 0, 76], inTurn(without("StopFailure"))],
    ["2.1.14", [2, 1, 14], inTurn(without("StopFailure"))],
    ["2.1.15", [2, 1, 15], without("StopFailure")],
    ["2.1.77", [2, 1, 77], without("StopFailure")],
    ["2.1.78", [2, 1, 78], ALL],
    ["2.1.332", [2, 1, 332], ALL],
    ["3.0.0", [3, 0, 0], ALL],
  ];

  test.each(TABLE)("%s", (_, version, expected) => {
    expect(inShort(hooksFor(version))).toEqual(expected);
  });

  test("a hook before each call of an MCP server, where ids are wanted", () => {
    expect(inShort(hooksFor([2, 1, 332], true))).toEqual([...ALL, "PreToolUse(mcp__.*) 5"]);
  });

  test("one hook of one kind an event, with the same command in each", () => {
    const groups = Object.values(hooksFor([2, 1, 332], true)).map(([{ hooks }]) => hooks);
    expect(groups.every(([{ type }]) => type === "command")).toBe(true);
    expect(new Set(groups.map(([{ command }]) => command))).toEqual(new Set([hookCommand("/opt/bir")]));
  });

  test("versions as hosts write them", () => {
    expect(readHostVersion("2.1.332 (Claude Code)\n")).toEqual([2, 1, 332]);
    expect(readHostVersion("v2.0.76")).toEqual([2, 0, 76]);
    expect(readHostVersion("2.1.332-beta.1")).toEqual([2, 1, 332]);
    for (const text of ["", "2.1", "latest", "2.1.3.4", "Claude 2.1.3"]) expect(readHostVersion(text)).toBeNull();
    expect(isOlder([2, 0, 9], [2, 0, 10])).toBe(true);
    expect(isOlder([2, 0, 10], [2, 0, 10])).toBe(false);
    expect(isOlder([3, 0, 0], [2, 9, 9])).toBe(false);
  });
});

describe.skipIf(process.platform === "win32")("the command, run by a POSIX shell, which Windows lacks", () => {
  const directory = mkdtempSync(join(tmpdir(), "bir-test-"));
  afterAll(() => rmSync(directory, { recursive: true, force: true }));

  /** An executable that writes down how it was called and what it read. */
  function executable(name: string, ending = "exit 0"): string {
    const path = join(directory, name);
    mkdirSync(join(path, ".."), { recursive: true });
    writeFileSync(path, `#!/bin/sh\necho "$# $1 $(cat)" >> "$CALLS"\n${ending}\n`);
    chmodSync(path, 0o755);
    return path;
  }

  function run(command: string, shell: string, env: Record<string, string> = {}) {
    const calls = join(directory, "calls");
    rmSync(calls, { force: true });
    const whole = { PATH: process.env.PATH ?? "", CALLS: calls, ...env };
    const { status, stdout, stderr } = spawnSync(shell, ["-c", command], { input: "{}", encoding: "utf8", env: whole });
    const called = spawnSync("cat", [calls], { encoding: "utf8" }).stdout;
    return { status, stdout, stderr, called };
  }

  const SILENT = { status: 0, stdout: "", stderr: "", called: "" };
  const shells = ["/bin/sh", ...["bash", "zsh", "ksh"].flatMap((name) => Bun.which(name) ?? [])];

  const NAMES = [
    "plain",
    "with space",
    "it's",
    '$HOME `id` "x"',
    "a;b&c|d",
    "-dash",
    "back\\slash",
    "new\nline",
    "ünï*?[a]",
  ];

  test.each(shells.flatMap((shell) => NAMES.map((name) => [shell, name] as const)))(
    "%s starts %j once",
    (shell, name) => {
      const path = executable(join(name, name));
      expect(run(hookCommand(path), shell)).toEqual({ ...SILENT, called: "1 hooks {}\n" });
    },
  );

  test.each(shells)("%s says nothing of one that is gone, is none, or cannot run", (shell) => {
    const gone = join(directory, "gone", "bir");
    const none = join(directory, "not executable");
    writeFileSync(none, "#!/bin/sh\nexit 0\n", { mode: 0o644 });
    const broken = join(directory, "broken");
    writeFileSync(broken, "\x7fELF and nothing of the kind", { mode: 0o755 });
    const foreign = join(directory, "foreign");
    writeFileSync(foreign, "#!/nonexistent/interpreter\n", { mode: 0o755 });
    for (const path of [gone, none, broken, foreign, directory])
      expect(run(hookCommand(path), shell), path).toEqual(SILENT);
  });

  test.each(shells)("%s says nothing of one that fails or crashes", (shell) => {
    const failing = executable("failing", "echo oops >&2; exit 3");
    const crashing = executable("crashing", "kill -SEGV $$");
    for (const path of [failing, crashing]) {
      expect(run(hookCommand(path), shell)).toMatchObject({ status: 0, stdout: "", stderr: "" });
    }
  });

  test("what it prints reaches the host", () => {
    expect(run(hookCommand(executable("printing", "echo said")), "/bin/sh").stdout).toBe("said\n");
  });

  test("a name is looked up when it runs", () => {
    const path = executable("bir");
    expect(run(hookCommand("bir"), "/bin/sh").called).toBe("");
    const env = { PATH: `${directory}:${process.env.PATH}` };
    expect(run(hookCommand("bir"), "/bin/sh", env).called).toBe("1 hooks {}\n");
    rmSync(path);
  });

  test("a link under the receiver's own name needs no word", () => {
    expect(run(hookCommand(executable("bir-hooks")), "/bin/sh").called).toBe("0  {}\n");
  });

  test("the receiver runs without its compiler, and with it where that cannot be chosen", () => {
    const path = executable("choosy", "exit 0");
    writeFileSync(path, readFileSync(path, "utf8").replace("\n", '\necho "[$BUN_JSC_useJIT]" >> "$CALLS"\n'));
    expect(run(hookCommand(path), "/bin/sh").called).toBe("[0]\n1 hooks {}\n");
    writeFileSync(path, '#!/bin/sh\n[ -n "$BUN_JSC_useJIT" ] && exit 1\necho "$(cat)" >> "$CALLS"\n');
    expect(run(hookCommand(path), "/bin/sh").called).toBe("{}\n");
  });
});
