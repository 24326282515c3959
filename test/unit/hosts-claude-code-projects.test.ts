import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { HostVersion } from "../../src/core/host-version.ts";
import { projectOf } from "../../src/hosts/claude-code/repository.ts";
import { Machine } from "./hosts-claude-code-fixture.ts";

/** Each as the real versions answered; test/hosts asks the installed ones again. */

const NEW: HostVersion = [2, 1, 332];
const OLD: HostVersion = [2, 0, 76];

function keyOf(machine: Machine, cwd: string, version: HostVersion | null): string {
  return projectOf(machine.place(cwd), version).key.slice(machine.root.length + 1);
}

describe("the project of a directory", () => {
  test("is the root of its repository, from anywhere in it", () => {
    const machine = new Machine();
    machine.repository("repo");
    machine.directory("repo/a/b");
    for (const version of [NEW, OLD, null]) expect(keyOf(machine, "repo/a/b", version)).toBe("repo");
  });

  test("is the directory itself outside git", () => {
    const machine = new Machine();
    machine.directory("plain/deep");
    for (const version of [NEW, OLD]) expect(keyOf(machine, "plain/deep", version)).toBe("plain/deep");
  });

  test("is the main repository's for a worktree since 2.1.63, its own before", () => {
    const machine = new Machine();
    machine.repository("repo");
    machine.worktree("wt", "repo");
    machine.directory("wt/deep");
    expect(keyOf(machine, "wt/deep", NEW)).toBe("repo");
    expect(keyOf(machine, "wt/deep", null)).toBe("repo");
    expect(keyOf(machine, "wt/deep", [2, 1, 63])).toBe("repo");
    expect(keyOf(machine, "wt/deep", [2, 1, 50])).toBe("wt");
    expect(keyOf(machine, "wt/deep", OLD)).toBe("wt");
    expect(projectOf(machine.place("wt/deep"), NEW)).toMatchObject({
      root: join(machine.root, "wt"),
      mainRoot: join(machine.root, "repo"),
    });
  });

  test("is the bare repository where a worktree has no main working tree", () => {
    const machine = new Machine();
    machine.file("bare.git/worktrees/wt/commondir", "../..\n");
    machine.file("wt/.git", `gitdir: ${join(machine.root, "bare.git/worktrees/wt")}\n`);
    expect(keyOf(machine, "wt", NEW)).toBe("bare.git");
    machine.file("hid/.git/worktrees/main/commondir", "../..\n");
    machine.file("hid/main/.git", "gitdir: ../.git/worktrees/main\n");
    expect(keyOf(machine, "hid/main", NEW)).toBe("hid");
  });

  test("is the submodule, and the tree whose git directory is elsewhere", () => {
    const machine = new Machine();
    machine.repository("repo");
    machine.file("repo/.git/modules/sub/HEAD", "x");
    machine.file("repo/sub/.git", "gitdir: ../.git/modules/sub\n");
    expect(keyOf(machine, "repo/sub", NEW)).toBe("repo/sub");
    machine.file("sep.git/HEAD", "x");
    machine.file("sep/.git", `gitdir: ${join(machine.root, "sep.git")}\n`);
    expect(keyOf(machine, "sep", NEW)).toBe("sep");
  });

  test("is the real one behind symbolic links", () => {
    const machine = new Machine();
    machine.repository("repo");
    machine.directory("repo/pkg");
    symlinkSync(join(machine.root, "repo/pkg"), join(machine.root, "link"));
    expect(projectOf(machine.place("link"), NEW)).toMatchObject({
      cwd: join(machine.root, "repo/pkg"),
      key: join(machine.root, "repo"),
    });
  });

  test("is still told where a .git says nothing of use", () => {
    const machine = new Machine();
    machine.file("odd/.git", "nothing\n");
    expect(keyOf(machine, "odd", NEW)).toBe("odd");
    expect(projectOf(machine.place("not/there"), NEW).key).toBe(join(machine.root, "not/there"));
  });
});
