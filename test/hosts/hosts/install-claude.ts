/**
 * Claude Code with servers in its own files, as a person has them, and what install and uninstall do to those. Owns the files
 * of one sandbox: its home and its project. Installs by the same plans as the command line does.
 */

import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { readHostVersion } from "../../../src/core/host-version.ts";
import { claudeCodeHooks } from "../../../src/hooks/settings/claude-code-settings.ts";
import { hookCommand } from "../../../src/hooks/settings/hook-command.ts";
import { copyTasks } from "../../../src/hosts/claude-code/copy-tasks.ts";
import { CLAUDE_CODE } from "../../../src/hosts/claude-code/host.ts";
import { planCopiesRemoval } from "../../../src/hosts/claude-code/plan-copies-removal.ts";
import type { HostReason, ScopedList } from "../../../src/hosts/claude-code/scopes.ts";
import { left } from "../../../src/hosts/entry/left.ts";
import type { ServerEntry } from "../../../src/hosts/entry/server-entry.ts";
import type { Place } from "../../../src/hosts/host.ts";
import type { LedgerRow } from "../../../src/hosts/ledger.ts";
import { applyTasks } from "../../../src/hosts/plan/apply.ts";
import type { FileResult } from "../../../src/hosts/plan/outcome.ts";
import { planHooks, planHooksRemoval } from "../../../src/hosts/plan/plan-hooks.ts";
import { planInstall } from "../../../src/hosts/plan/plan-install.ts";
import { planUninstall } from "../../../src/hosts/plan/plan-uninstall.ts";
import { BIR } from "../../harness/locations.ts";
import type { Sandbox } from "../../harness/sandbox.ts";
import type { ClaudeVersion } from "../installed.ts";
import { type Outcome, outcomeOf, type SealedClaude, toolResults, toolUses } from "./sealed-claude.ts";

const KEY_SHOWN = "sk-ant-scripted";
const EXECUTABLE: readonly [string] = [BIR];
const ALL = { hosts: null, servers: null, file: null };

export interface Installing {
  cwd?: string;
  inPlace?: boolean;
  hooks?: "user" | "local" | "none";
}

export class InstalledClaude {
  readonly host: SealedClaude;
  readonly #box: Sandbox;
  readonly #version: ClaudeVersion;

  constructor(box: Sandbox, host: SealedClaude) {
    this.#box = box;
    this.#version = host.version;
    this.host = host;
  }

  /** Writes a file of the sandbox, as JSON unless it is text; gives its path. */
  put(path: string, content: unknown): string {
    const whole = join(this.#box.directory, path);
    mkdirSync(dirname(whole), { recursive: true });
    writeFileSync(whole, typeof content === "string" ? content : `${JSON.stringify(content, null, 2)}\n`);
    return whole;
  }

  read(path: string): string {
    return readFileSync(join(this.#box.directory, path), "utf8");
  }

  /** Changes a JSON file as a person does. */
  edit<T>(path: string, change: (content: T) => void): void {
    const content: T = JSON.parse(this.read(path));
    change(content);
    this.put(path, content);
  }

  /** What it remembers of a person who has answered its first questions. */
  state(projects: Record<string, object>, more: object = {}): object {
    return {
      hasCompletedOnboarding: true,
      theme: "dark",
      customApiKeyResponses: { approved: [KEY_SHOWN], rejected: [] },
      officialMarketplaceAutoInstallAttempted: true,
      officialMarketplaceAutoInstalled: true,
      ...more,
      projects: Object.fromEntries(
        Object.entries(projects).map(([key, project]) => [key, { hasTrustDialogAccepted: true, ...project }]),
      ),
    };
  }

  /** The entry of a fake server that says in a variable which one it is. */
  server(which: string): { command: string; args: string[]; env: Record<string, string> } {
    const [command = "", ...args] = this.#box.fake("--quiet");
    return { command, args, env: { WHICH: which } };
  }

  git(...words: string[]): string {
    const person = ["-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "protocol.file.allow=always"];
    const env = { ...process.env, HOME: this.#box.home, GIT_CONFIG_NOSYSTEM: "1" };
    return execFileSync("git", [...person, ...words], { cwd: this.#box.cwd, env, encoding: "utf8", stdio: "pipe" });
  }

  /** What `claude ARGS…` prints. */
  async says(args: readonly string[], cwd = this.#box.cwd): Promise<string> {
    const run = this.host.run(args, { cwd });
    await run.closeStdin();
    await run.finish();
    return run.stdout.text();
  }

  /** Each server that it lists, with what it says of it: `connected`, `pending`. */
  async listed(cwd?: string): Promise<Record<string, string>> {
    const lines = (await this.says(["mcp", "list"], cwd)).split("\n");
    const found = lines.flatMap((line) => {
      const [, name = "", state = ""] = /^(\S+): .* - (?:\S+ )?(Connected|Pending|Disabled|Failed)/.exec(line) ?? [];
      return name === "" ? [] : [[name, `${state.toLowerCase()}${line.includes(BIR) ? " through bir" : ""}`]];
    });
    return Object.fromEntries(found);
  }

  /** One session in which the model calls what the script says; gives what each call was answered, in order. */
  async session(
    prompt: string,
    servers: readonly string[],
    cwd = this.#box.cwd,
  ): Promise<Outcome & { answers: string[] }> {
    const flags = ["--model", "claude-sonnet-4-5", "--output-format", "stream-json", "--verbose"];
    const allowed = ["--allowedTools", ...servers.map((name) => `mcp__${name}`)];
    const run = this.host.run(["-p", prompt, ...flags, ...allowed], { cwd });
    await run.closeStdin();
    const outcome = await outcomeOf(run);
    const results = toolResults(outcome);
    return { ...outcome, answers: toolUses(outcome).map(({ id }) => JSON.stringify(results.get(id)?.content)) };
  }

  place(cwd = this.#box.cwd): Place {
    const names = (directory: string) => (existsSync(directory) ? readdirSync(directory).sort() : []);
    const files = { exists: existsSync, names };
    return { platform: process.platform, userHome: this.#box.home, cwd, env: {}, files };
  }

  /** Gives one line for each thing that was done or left, e.g. `local files wrapped`. */
  async install({ cwd, inPlace = false, hooks = "none" }: Installing = {}): Promise<string[]> {
    const place = this.place(cwd);
    const version = readHostVersion(this.#version);
    const lists = CLAUDE_CODE.scopedLists(place, { inPlace, version });
    const options = { executableWords: EXECUTABLE, birHome: null, servers: null, correlation: false };
    const targets = lists.filter(({ shadowIn }) => shadowIn === null).map(({ list }) => ({ host: CLAUDE_CODE, list }));
    const veto = (entry: ServerEntry) => {
      const reason = reasonOf(lists, entry);
      return reason === null ? null : left(reason.code);
    };
    const copies = await copyTasks(CLAUDE_CODE, lists, options);
    if (copies.problems.length > 0) throw copies.problems[0];
    const hookTasks = (hooks === "none" ? [] : CLAUDE_CODE.hookFiles(place, hooks, version)).map(
      ({ file, format, scope }) =>
        planHooks({
          hosts: [CLAUDE_CODE.id],
          scope,
          directory: scope === "user" ? null : place.cwd,
          file,
          format,
          groups: claudeCodeHooks({ version, executable: BIR, correlation: false }),
          isOurs: isOurHook,
          missingDirectories: existsSync(dirname(file)) ? [] : [dirname(file)],
        }),
    );
    const tasks = [...planInstall(targets, { ...options, veto }), ...copies.tasks, ...hookTasks];
    return told(await applyTasks(tasks, this.#box.birHome));
  }

  async uninstall(): Promise<string[]> {
    const { shape } = CLAUDE_CODE.lists(this.place())[0] ?? {};
    if (shape === undefined) throw new Error("there is no list");
    const tasks = (rows: readonly LedgerRow[]) => [
      ...planHooksRemoval(rows, isOurHook),
      ...planCopiesRemoval(rows, shape),
      ...planUninstall(rows, ALL),
    ];
    return told(await applyTasks(tasks, this.#box.birHome));
  }

  /** A copy of the home and the project as they are; `differences` says later what has become different. */
  snapshot(): { differences: () => string } {
    const before = join(this.#box.directory, `before-${crypto.randomUUID().slice(0, 8)}`);
    for (const name of ["home", "project"]) {
      cpSync(join(this.#box.directory, name), join(before, name), { recursive: true, verbatimSymlinks: true });
    }
    const differences = () =>
      ["home", "project"]
        .map((name) => {
          const words = ["-r", "--no-dereference", "-x", ".baseinstrunner", join(before, name)];
          const { stdout } = Bun.spawnSync(["diff", ...words, join(this.#box.directory, name)]);
          return stdout.toString();
        })
        .join("");
    return { differences };
  }
}

function reasonOf(lists: readonly ScopedList[], entry: ServerEntry): HostReason | null {
  const scoped = lists.find(({ list }) => list.file === entry.list.file && Bun.deepEquals(list.path, entry.list.path));
  const words = entry.command === null ? ["--url", entry.url ?? ""] : ["--", entry.command, ...entry.args];
  return scoped?.leave(entry, [BIR, "proxy", "--server-name", entry.name, ...words]) ?? null;
}

function isOurHook(handler: Readonly<Record<string, unknown>>): boolean {
  return handler.command === hookCommand(BIR);
}

function told(results: readonly FileResult[]): string[] {
  for (const { problem } of results) if (problem !== null) throw problem;
  const lines = results.flatMap(({ outcomes }) =>
    outcomes.map(({ scope, server, what, why }) => [scope, server, what, why].filter(Boolean).join(" ")),
  );
  // A copy is seen by two plans.
  return [...new Set(lines)].toSorted();
}
