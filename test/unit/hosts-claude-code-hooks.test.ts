import { execFileSync } from "node:child_process";
import { chmodSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { CLAUDE_CODE } from "../../src/hosts/claude-code/host.ts";
import { Machine } from "./hosts-claude-code-fixture.ts";

describe("settings that take hooks", () => {
  const filesIn = (
    machine: Machine,
    cwd: string,
    version: [number, number, number] | null,
    scope: "user" | "local" = "local",
  ) => CLAUDE_CODE.hookFiles(machine.place(cwd), scope, version).map(({ file }) => file.slice(machine.root.length + 1));

  test("are the local ones at the root of the project", () => {
    const machine = new Machine();
    machine.repository("repo");
    machine.directory("repo/pkg");
    machine.worktree("wt", "repo");
    expect(filesIn(machine, "repo/pkg", [2, 1, 332])).toEqual(["repo/.claude/settings.local.json"]);
    expect(filesIn(machine, "wt", [2, 1, 332])).toEqual(["repo/.claude/settings.local.json"]);
    expect(filesIn(machine, "repo", null)).toEqual(["repo/.claude/settings.local.json"]);
  });

  test("are those of the directory too for versions that look nowhere else", () => {
    const machine = new Machine();
    machine.repository("repo");
    machine.directory("repo/pkg");
    machine.worktree("wt", "repo");
    const both = ["repo/.claude/settings.local.json", "repo/pkg/.claude/settings.local.json"];
    expect(filesIn(machine, "repo/pkg", [2, 1, 197])).toEqual(both);
    expect(filesIn(machine, "repo/pkg", null)).toEqual(both);
    expect(filesIn(machine, "wt", [2, 0, 76])).toEqual(["wt/.claude/settings.local.json"]);
  });

  test("are the user's where everything is meant", () => {
    const machine = new Machine();
    machine.directory("repo");
    expect(filesIn(machine, "repo", null, "user")).toEqual(["home/.claude/settings.json"]);
    machine.env.CLAUDE_CONFIG_DIR = join(machine.root, "moved");
    expect(filesIn(machine, "repo", null, "user")).toEqual(["moved/settings.json"]);
  });

  test("are told apart by whether git shows them", async () => {
    const machine = new Machine();
    const repo = machine.directory("repo");
    machine.env = { PATH: process.env.PATH ?? "", HOME: machine.home, GIT_CONFIG_NOSYSTEM: "1" };
    const file = join(repo, ".claude/settings.local.json");
    const isSeen = async () => await CLAUDE_CODE.isSeenByGit(machine.place("repo"), file);
    expect(await isSeen()).toBe(false);
    execFileSync("git", ["init", "-q", repo], { env: machine.env });
    expect(await isSeen()).toBe(true);
    machine.file("home/.config/git/ignore", "**/.claude/settings.local.json\n");
    expect(await isSeen()).toBe(false);
    machine.file("repo/.claude/settings.local.json", {});
    execFileSync("git", ["add", "-f", file], { env: machine.env, cwd: repo });
    expect(await isSeen()).toBe(true);
  });

  test.each([
    ["home/.claude/settings.json", { disableAllHooks: true }],
    ["repo/.claude/settings.json", { disableAllHooks: true }],
    ["repo/.claude/settings.local.json", { disableAllHooks: true }],
    ["managed/managed-settings.json", { disableAllHooks: true }],
    ["managed/managed-settings.json", { allowManagedHooksOnly: true }],
  ])("are told to be of no use where %s says so", (file, settings) => {
    const machine = new Machine();
    machine.repository("repo");
    expect(CLAUDE_CODE.hooksRefused(machine.place("repo"), machine.options())).toBeNull();
    const path = machine.file(file, settings);
    expect(CLAUDE_CODE.hooksRefused(machine.place("repo"), machine.options())).toContain(path);
  });

  test("are not refused by what only an administrator may say", () => {
    const machine = new Machine();
    machine.directory("repo");
    machine.file("home/.claude/settings.json", { allowManagedHooksOnly: true, disableAllHooks: false });
    expect(CLAUDE_CODE.hooksRefused(machine.place("repo"), machine.options())).toBeNull();
  });
});

describe("the installed version", () => {
  function program(machine: Machine, path: string, script: string): void {
    chmodSync(machine.file(path, `#!/bin/sh\n${script}\n`), 0o755);
  }
  const versionOf = (machine: Machine) => CLAUDE_CODE.installedVersion(machine.place("repo"));
  const sealed = () => {
    const machine = new Machine();
    machine.directory("repo");
    // Nothing of the machine that the tests run on.
    machine.env.PATH = machine.directory("bin");
    const { files } = machine.place("repo");
    const exists = (path: string) => path.startsWith(machine.root) && files.exists(path);
    const place = machine.place.bind(machine);
    machine.place = (cwd) => ({ ...place(cwd), files: { ...files, exists } });
    return machine;
  };

  test("is what the program on the path says", async () => {
    const machine = sealed();
    program(machine, "bin/claude", 'echo "2.1.332 (Claude Code)"');
    expect(await versionOf(machine)).toEqual([2, 1, 332]);
  });

  test("is the oldest of those that are there", async () => {
    const machine = sealed();
    program(machine, "bin/claude", "echo 2.1.332");
    program(machine, "home/.local/bin/claude", "echo 2.1.90");
    program(machine, "home/.claude/local/claude", "echo 2.1.200");
    expect(await versionOf(machine)).toEqual([2, 1, 90]);
    machine.directory("home/.vscode/extensions/anthropic.claude-code-2.0.76-linux-x64");
    expect(await versionOf(machine)).toEqual([2, 0, 76]);
  });

  test("is not known where no program answers with one", async () => {
    const machine = sealed();
    expect(await versionOf(machine)).toBeNull();
    program(machine, "bin/claude", "exit 1");
    expect(await versionOf(machine)).toBeNull();
    program(machine, "bin/claude", "echo hello");
    expect(await versionOf(machine)).toBeNull();
  });
});
