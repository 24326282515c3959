/**
 * Claude Code with its hooks in place and its servers behind the proxy, as `bir install` would leave it: hooks as
 * `bir hooks print-settings` prints them, in the settings of its home. Owns the way to what was recorded: when a session is
 * over, waits until all of it is written, ends the control server, and reads.
 */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import type { Discovery } from "../../../src/core/control-wire.ts";
import type { Run, Step } from "../../../src/core/run.ts";
import type { Conversation } from "../../fakes/model-api/script.ts";
import { BIR } from "../../harness/locations.ts";
import type { MarkedProcess } from "../../harness/marked-processes.ts";
import { listRuns, showRun } from "../../harness/recorded-runs.ts";
import type { RunningProcess } from "../../harness/running-process.ts";
import type { Sandbox } from "../../harness/sandbox.ts";
import type { ClaudeVersion } from "../installed.ts";
import { type Peer, upstreamOf } from "./claude-peers.ts";
import { test as claudeTest } from "./claude-session.ts";
import type { ClaudeTerminal } from "./claude-terminal.ts";
import { expectGolden } from "./golden-run.ts";
import { type Outcome, outcomeOf, type SealedClaude, type Session, toolUses } from "./sealed-claude.ts";
import { until } from "./until.ts";

/** Tools of its own that the scripts use. */
const BUILT_IN = ["Bash", "Read", "Write", "Edit", "Agent", "Task", "EnterWorktree"];

export class RecordedClaude {
  readonly host: SealedClaude;
  readonly version: ClaudeVersion;
  readonly #box: Sandbox;
  readonly #peer: Peer;
  readonly #bir: string;

  constructor(box: Sandbox, peer: Peer, host: SealedClaude, bir: string) {
    this.#box = box;
    this.#peer = peer;
    this.#bir = bir;
    this.host = host;
    this.version = peer.version;
  }

  /** The command of `upstream` (the fake one when not given) behind the proxy. */
  behindProxy(upstream: readonly string[] = upstreamOf(this.#box, this.#peer), name = "fake"): string[] {
    return [this.#bir, "proxy", "--server-name", name, "--", ...upstream];
  }

  /** Puts the hooks into the settings of a home; a session that is under way takes them up too. */
  async writeHooks(home = "home"): Promise<void> {
    const printing = this.#box.start([this.#bir, "hooks", "print-settings", "--host-version", this.version]);
    expect(await printing.finish()).toEqual({ code: 0, signal: null });
    this.host.file(".claude/settings.json", JSON.parse(printing.stdout.text()), home);
  }

  /** A session as tests here mean it: the fake server behind the proxy, its own tools allowed. */
  sessionOf<S extends Partial<Session>>(more: S): S & Omit<Session, "prompt"> {
    return { servers: { fake: this.behindProxy() }, allowed: BUILT_IN, ...more };
  }

  /** Runs one session of `claude -p` to its end. */
  async session(prompt: string, more: Partial<Session> = {}): Promise<Outcome> {
    return await outcomeOf(await this.start(prompt, more));
  }

  /** Starts one session of `claude -p`. */
  async start(prompt: string, more: Partial<Session> = {}): Promise<RunningProcess> {
    return await this.host.start({ ...this.sessionOf(more), prompt });
  }

  /** Starts one session that is given its prompts by `ask`. */
  startFed(more: Partial<Session> = {}): RunningProcess {
    return this.host.startFed(this.sessionOf(more));
  }

  /** Starts one session in a terminal. Nothing but what `allowed` names is allowed in it. */
  async startInTerminal(more: Partial<Session> = {}): Promise<ClaudeTerminal> {
    return await this.host.startInTerminal(this.sessionOf({ allowed: [], ...more }));
  }

  /** The control server of this sandbox; undefined when there is none. */
  server(): Discovery | undefined {
    try {
      return JSON.parse(readFileSync(join(this.#box.birHome, "control", "server.json"), "utf8"));
    } catch {
      return undefined;
    }
  }

  /** Kills the control server, and waits until it is gone. */
  async killServer(): Promise<void> {
    const { pid } = this.server() ?? {};
    if (pid === undefined) throw new Error("there is no control server to kill");
    process.kill(pid, "SIGKILL");
    await until("the control server is gone", () => !this.#box.survivors().some((one) => one.pid === pid));
  }

  /**
   * Every run, oldest first, once nothing can change them: what the sessions started has ended, what was put aside is
   * taken up, every run is closed, and the control server has been told to go. `stayOpen`: runs that nothing closes before.
   */
  async runs(stayOpen = false): Promise<Run[]> {
    const box = this.#box;
    await until("only the control server is left", () => box.survivors().every(isServer));
    await until("nothing is put aside", () => filesIn(join(box.birHome, "spool")).length === 0);
    await until("every run is closed", async () => {
      const summaries = await listRuns(box);
      return stayOpen || summaries.every(({ status }) => status !== "running");
    });
    const down = await box.bir(["down"]);
    expect({ code: down.code, stderr: down.stderr }).toEqual({ code: 0, stderr: "" });
    expect(await box.untilNoneLeft()).toEqual([]);
    const summaries = await listRuns(box);
    return await Promise.all(summaries.toReversed().map(({ id }) => showRun(box, id)));
  }

  /** Every run, compared with the golden file of this name. */
  async expectGolden(name: string, sort: (runs: Run[]) => Run[] = (runs) => runs): Promise<Run[]> {
    const runs = sort(await this.runs());
    expectGolden(this.#box, this.version, name, runs);
    return runs;
  }
}

/** Gives a session that was started to be fed its next prompt, and waits for the answer. */
export async function ask(fed: RunningProcess, prompt: string): Promise<void> {
  const results = () => fed.stdout.lines().filter((line) => JSON.parse(line).type === "result").length;
  const before = results();
  await fed.send({ type: "user", message: { role: "user", content: prompt } });
  await fed.stdout.until(`the answer to ${prompt}`, () => results() > before);
}

/** Every call that the host told of is a step, once; and no step is anything else. */
export function expectEveryCall(runs: readonly Run[], ...outcomes: readonly Outcome[]): void {
  const told = outcomes.flatMap((outcome) => toolUses(outcome).map(({ id }) => String(id)));
  const recorded = runs.flatMap(({ steps }) => steps.map(({ callId }) => String(callId)));
  expect(recorded.toSorted()).toEqual(told.toSorted());
}

/** The runs by what was asked: for sessions that ran at the same time. */
export function byInput(runs: readonly Run[]): Run[] {
  return runs.toSorted((a, b) => (String(a.input) < String(b.input) ? -1 : 1));
}

/** The calls of each run by their ids: for calls that ran at the same time, which began within a millisecond of each other. */
export function byCall(runs: readonly Run[]): Run[] {
  const idOf = ({ callId }: Step) => String(callId);
  return runs.map((run) => {
    const sorted = run.steps.toSorted((a, b) => (idOf(a) < idOf(b) ? -1 : 1));
    const steps = sorted.map((step, at) => {
      const { index, seq, startedAt } = run.steps[at] ?? step;
      return { ...step, index, seq, startedAt };
    });
    return { ...run, steps };
  });
}

function isServer({ command }: MarkedProcess): boolean {
  return /\bhooks serve\b/.test(command);
}

function filesIn(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

/** `recorded(peer, conversations)` starts it for a test, with the hooks in its first home. */
export const test = claudeTest.extend<{
  recorded: (peer: Peer, conversations: readonly Conversation[], bir?: string) => Promise<RecordedClaude>;
}>({
  recorded: async ({ box, claude }, use) => {
    await use(async (peer, conversations, bir = BIR) => {
      const recorded = new RecordedClaude(box, peer, await claude(peer.version, conversations), bir);
      await recorded.writeHooks();
      return recorded;
    });
  },
});
