/** A made-up machine in a temporary directory, as Claude Code's files would stand on it. Removed after each test. */

import { existsSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach } from "vitest";
import { CLAUDE_CODE } from "../../src/hosts/claude-code/host.ts";
import type { EntryFacts, ScopedList, ScopeOptions } from "../../src/hosts/claude-code/scopes.ts";
import type { Place } from "../../src/hosts/host.ts";

const made: string[] = [];

afterEach(() => {
  for (const directory of made.splice(0)) rmSync(directory, { recursive: true, force: true });
});

export class Machine {
  readonly root = realpathSync(mkdtempSync(join(tmpdir(), "bir-claude-")));
  readonly home = this.directory("home");
  readonly managed = join(this.root, "managed");
  env: Record<string, string> = {};

  constructor() {
    made.push(this.root);
  }

  directory(path: string): string {
    mkdirSync(join(this.root, path), { recursive: true });
    return join(this.root, path);
  }

  /** A file, as JSON unless it is text. */
  file(path: string, content: unknown): string {
    const whole = join(this.root, path);
    mkdirSync(dirname(whole), { recursive: true });
    writeFileSync(whole, typeof content === "string" ? content : JSON.stringify(content));
    return whole;
  }

  /** A git repository, as far as anybody looks at it here. */
  repository(path: string): string {
    this.file(`${path}/.git/HEAD`, "ref: refs/heads/main\n");
    return join(this.root, path);
  }

  /** A worktree of the repository at `of`. */
  worktree(path: string, of: string): string {
    const store = `${of}/.git/worktrees/${path.replaceAll("/", "-")}`;
    this.file(`${store}/commondir`, "../..\n");
    this.file(`${path}/.git`, `gitdir: ${join(this.root, store)}\n`);
    return join(this.root, path);
  }

  place(cwd: string): Place {
    const files = {
      exists: existsSync,
      names: (directory: string) => (existsSync(directory) ? readdirSync(directory).sort() : []),
    };
    return { platform: "linux", userHome: this.home, cwd: join(this.root, cwd), env: this.env, files };
  }

  options(more: Partial<ScopeOptions> = {}): ScopeOptions {
    return { inPlace: false, version: null, managedDirectory: this.managed, ...more };
  }

  lists(cwd: string, more: Partial<ScopeOptions> = {}): ScopedList[] {
    return CLAUDE_CODE.scopedLists(this.place(cwd), this.options(more));
  }

  /** What is said about an entry of the `.mcp.json` in a directory. */
  shared(cwd: string, name: string, more: Partial<ScopeOptions> & { at?: string } = {}): string | null {
    const file = join(this.root, more.at ?? cwd, ".mcp.json");
    const found = this.lists(cwd, more).find(({ list }) => list.file === file);
    if (found === undefined) throw new Error(`${file} is not read`);
    return reason(found, stdio(name));
  }
}

export const WRAPPED = ["/opt/bir", "proxy", "--server-name", "x", "--", "server", "--flag"];

export function stdio(name: string, ...words: string[]): EntryFacts {
  const [command = "server", ...args] = words.length > 0 ? words : ["server", "--flag"];
  return { name, command, args, url: null, transport: null };
}

export function remote(name: string, url: string, transport: "http" | "sse" | null = "http"): EntryFacts {
  return { name, command: null, args: [], url, transport };
}

/** The code of the reason. */
export function reason(list: ScopedList, entry: EntryFacts, wrapped: readonly string[] = WRAPPED): string | null {
  return list.leave(entry, wrapped)?.code ?? null;
}
