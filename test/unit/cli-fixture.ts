/** A store with known runs, written by the real writer, and a context that catches what a command prints. */

import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { Owner, StepStatus } from "../../src/core/run.ts";
import type { CliContext } from "../../src/roles/cli/context.ts";
import { runCliIn } from "../../src/roles/cli/main.ts";
import type { JournalEntry } from "../../src/store/entry.ts";
import { SqliteStore } from "../../src/store/sqlite-store.ts";

/** 2026-11-24 14:00:00 UTC. */
export const T0 = 1_795_528_800_000;
export const OWNER: Owner = { pid: 4711, startedAt: "boot/1" };

export const RUN_A = "run_019ab3c4d5e67000800000000000000a";
export const RUN_B = "run_019ab3c4d5e67000800000000000000b";
export const RUN_C = "run_019ab3d000007000800000000000000c";

/** Events as they are stored; tests are not bound by the types that keep unredacted text out of a store. */
type Fields = Record<string, unknown>;

/** Tells one run to a store, event by event. */
export class RunWriter {
  readonly entries: JournalEntry[] = [];
  readonly id: string;
  #at: number;
  #seq = 0;

  constructor(id: string, at: number, fields: Fields = {}) {
    this.id = id;
    this.#at = at;
    this.add("run.opened", 0, {
      tier: "standalone",
      cwd: "/home/ada/project",
      owner: OWNER,
      sessionId: null,
      host: { app: "claude-code", version: "2.1.332" },
      wrappedServers: ["everything"],
      ...fields,
    });
  }

  add(type: string, seq: number, fields: Fields, payload: string | null = null): this {
    this.entries.push({
      head: { type, runId: this.id, seq, at: this.#at, ...fields },
      payload,
    } as unknown as JournalEntry);
    return this;
  }

  wait(ms: number): this {
    this.#at += ms;
    return this;
  }

  /** A call that began now; answers its number. */
  open(tool: string, args: string | null, fields: Fields = {}): number {
    const seq = this.#seq++;
    const server = (fields.server as string | undefined) ?? "everything";
    this.add(
      "step.opened",
      seq,
      {
        stepId: `step_${this.id.slice(-1)}${seq}`,
        sources: ["proxy"],
        server,
        tool,
        qualifiedName: `mcp__${server}__${tool}`,
        callId: `toolu_${seq}`,
        join: null,
        agentId: null,
        startedAt: this.#at,
        truncated: false,
        hostMeta: '{"claudecode/toolUseId":"toolu_1"}',
        ...fields,
      },
      args,
    );
    return seq;
  }

  close(seq: number, status: StepStatus, result: string | null, fields: Fields = {}): this {
    const opened = this.entries.find(({ head }) => head.type === "step.opened" && head.seq === seq);
    const startedAt = (opened?.head as { startedAt: number } | undefined)?.startedAt ?? this.#at;
    return this.add(
      "step.closed",
      seq,
      {
        stepId: `step_${this.id.slice(-1)}${seq}`,
        status,
        isError: status === "error",
        error: null,
        rpcError: null,
        join: null,
        durationMs: this.#at - startedAt,
        waitingMs: 0,
        legs: 1,
        progress: 0,
        truncated: false,
        ...fields,
      },
      result,
    );
  }

  /** A call with its answer `ms` later. */
  call(tool: string, args: string | null, result: string | null, ms: number, fields: Fields = {}): this {
    const { status = "ok", ...rest } = fields as { status?: StepStatus };
    const seq = this.open(tool, args, "server" in rest ? { server: rest.server } : {});
    return this.wait(ms).close(seq, status, result, rest);
  }

  note(kind: string, text: string, agentId: string | null = null): this {
    return this.add("note", this.#seq++, { kind, text, agentId });
  }

  update(fields: Fields): this {
    return this.add("run.updated", this.#seq, fields);
  }

  gap(reason: string, lost: number): this {
    return this.add("gap", this.#seq, { reason, lost });
  }

  end(status = "completed"): this {
    return this.add("run.closed", this.#seq, { status });
  }
}

export const text = (...texts: string[]) =>
  JSON.stringify({ content: texts.map((one) => ({ type: "text", text: one })) });

/** Writes runs into the store of a home. */
export function record(home: string, ...runs: RunWriter[]): void {
  const store = SqliteStore.open(join(home, "recordings.db"));
  for (const run of runs) store.append(run.entries);
  store.close();
}

/** A run with something of everything. */
export function eventfulRun(): RunWriter {
  const run = new RunWriter(RUN_A, T0, { sessionId: "session-1", wrappedServers: ["everything", "files"] });
  run.update({ input: "Please add the numbers\nand then tell me the weather." });
  run.wait(1000).call("echo", '{"message":"hello","n":12345678901234567890}', text("Echo: hello"), 12);
  run
    .wait(100)
    .call(
      "get-sum",
      '{"a":1.0,"b":"x"}',
      '{"content":[{"type":"text","text":"b must be a number"}],"isError":true}',
      3,
      {
        status: "error",
        error: "b must be a number",
      },
    );
  run.wait(50).note("warning", "a line of the server was no JSON");
  run.call("read", '{"path":"/tmp/a"}', text(Array.from({ length: 20 }, (_, i) => `line ${i + 1}`).join("\n")), 2500, {
    server: "files",
    legs: 2,
    waitingMs: 2000,
    progress: 7,
  });
  run.call(
    "snap",
    "{}",
    '{"content":[{"type":"image","mimeType":"image/png","sizeBytes":12345,"sha256":"ab12cd34ef56ab78"}]}',
    40,
  );
  run.call("missing", null, null, 1, {
    status: "error",
    isError: true,
    error: "no such tool",
    rpcError: '{"code":-32602,"message":"no such tool","data":{"big":1e400}}',
  });
  run.wait(10).call("slow", '{"seconds":60}', null, 5000, { status: "cancelled", durationMs: 5000 });
  run.gap("store-unavailable", 3);
  run.update({ hostHookCalls: 2, finalAnswer: "The sum could not be made." });
  return run.wait(200).end();
}

/** A context over an own home; everything printed is kept. */
export class TestCli {
  readonly home: string;
  readonly cwd: string;
  readonly userHome: string;
  /** The one directory on the context's PATH: holds bir, bir-proxy and server. */
  readonly programs: string;
  readonly context: CliContext;
  stdout = "";
  stderr = "";
  answers: string[] = [];
  /** What stdin holds. */
  input = "";
  alive: string[] = [];

  constructor(overrides: Partial<CliContext> = {}) {
    const root = realpathSync(mkdtempSync(join(tmpdir(), "bir-cli-")));
    onTestFinished(() => rmSync(root, { recursive: true, force: true }));
    this.home = join(root, "bir");
    this.cwd = join(root, "project");
    this.userHome = join(root, "user");
    this.programs = join(root, "bin");
    for (const directory of [this.cwd, this.userHome, this.programs]) mkdirSync(directory);
    for (const program of ["bir", "bir-proxy", "server"]) this.program(program);
    this.context = {
      home: this.home,
      cwd: this.cwd,
      userHome: this.userHome,
      env: { PATH: this.programs },
      executableWords: [join(this.programs, "bir")],
      terminal: { color: false, columns: null, interactive: false },
      now: () => T0 + 3 * 60_000,
      timeZone: "UTC",
      isAlive: (pid, startedAt) => this.alive.includes(`${pid} ${startedAt}`),
      print: async (printed) => {
        this.stdout += printed;
      },
      printError: async (line) => {
        this.stderr += `${line}\n`;
      },
      readInput: async () => this.input,
      ask: async (question) => {
        this.stderr += question;
        return this.answers.shift() ?? null;
      },
      ...overrides,
    };
  }

  /** Makes a program that can be found on PATH; answers its path. */
  program(name: string): string {
    const path = join(this.programs, name);
    writeFileSync(path, "#!/bin/sh\n", { mode: 0o755 });
    return path;
  }

  record(...runs: RunWriter[]): this {
    record(this.home, ...runs);
    return this;
  }

  /** Runs one command; answers its exit code, with `stdout` and `stderr` holding what it alone printed. */
  async run(...argv: string[]): Promise<number> {
    this.stdout = "";
    this.stderr = "";
    return await runCliIn(this.context, argv);
  }

  /** Runs a command with `--json` and gives the value it printed. */
  async json(...argv: string[]): Promise<unknown> {
    await this.run(...argv, "--json");
    return JSON.parse(this.stdout);
  }
}
