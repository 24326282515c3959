/**
 * Two sessions of Claude Code in one directory, what each of them does, and what a record of it has to say in the end. What
 * they do is told as a host and its proxies would: rows at once, some hooks waited for and others not, batches of a proxy.
 */

import type { ProxyStep } from "../../src/control/recorder.ts";
import type { HookReport } from "../../src/core/control-wire.ts";
import type { Run } from "../../src/core/run.ts";
import { trustedText } from "../../src/redact/redact.ts";
import { type HostScript, task, tokens } from "../unit/host-script.ts";
import type { RecorderDesk } from "../unit/recorder-desk.ts";

/** What can go one way or the other: numbers that a test draws, 0 once there are no more. */
export class Decisions {
  readonly #drawn: readonly number[];
  #at = 0;

  constructor(drawn: readonly number[]) {
    this.#drawn = drawn;
  }

  /** Less than `count`. */
  below(count: number): number {
    return (this.#drawn[this.#at++] ?? 0) % count;
  }
}

/** What the world has to carry to the server. */
export interface Carrier {
  /** The host waits until it was handed over, or left in the spool. */
  waitedFor(report: HookReport): Promise<void>;
  /** It goes its way. */
  async(report: HookReport): void;
  proxy(session: Session, step: ProxyStep): void;
}

type Action = () => Promise<void> | void;

/** A step as it has to read in the end, by the host's id of the call. */
interface TrueStep {
  tool: string;
  args: unknown;
  result: unknown;
  status: string;
  error: string | null;
  agentId: string | null;
  join: string | null;
  sources: string;
  /** A hook tells of a start as late as it was started itself. */
  startedAt: number | [earliest: number, latest: number];
  context: string | null;
}

export interface TrueRun {
  input: string;
  status: string;
  finalAnswer: string | null;
  usage: number | null;
  wrappedServers: string[];
  notes: string[];
  steps: Record<string, TrueStep>;
}

export class Session {
  readonly desk: RecorderDesk;
  readonly host: HostScript;
  readonly runs: TrueRun[] = [];
  readonly #carrier: Carrier;
  readonly #decisions: Decisions;
  /** The host writes the session down. */
  readonly #isWritten: boolean;
  #messages = 0;
  /** When the last row was written. */
  #rowAt = 0;

  constructor(desk: RecorderDesk, host: HostScript, carrier: Carrier, decisions: Decisions, isWritten: boolean) {
    this.#isWritten = isWritten;
    this.desk = desk;
    this.host = host;
    this.#carrier = carrier;
    this.#decisions = decisions;
  }

  /** What the main agent does, and what its subagent does meanwhile. */
  threads(): { main: Action[]; agent: Action[] } {
    const background = { isLaunched: false, isOver: false };
    const agent = this.#agent(background);
    const main = [
      () => this.#waited("SessionStart", { source: "startup" }),
      ...this.#prompt("p1", "Have it counted"),
      ...this.#batch(0, "a", null),
      ...this.#launch(0, background),
      ...this.#stop(0, "It counts.", background),
      ...this.#prompt("p2", "Something else"),
      ...this.#batch(1, "b", null),
      ...this.#refused(1),
      ...this.#stop(1, "First try.", background),
      ...this.#goOn(1, background),
      ...this.#until(() => background.isOver),
      ...this.#notice(),
      ...this.#batch(0, "c", null),
      ...this.#stop(0, "Three, it says.", background, true),
      ...this.#prompt("p4", "Hang"),
      ...this.#interrupted(2, ["p5", "And the end?"]),
      ...this.#stop(3, "The end.", background),
      () => this.#waited("SessionEnd", { reason: "other" }),
    ];
    return { main, agent };
  }

  #agent(background: { isLaunched: boolean; isOver: boolean }): Action[] {
    const { host } = this;
    return [
      ...this.#until(() => background.isLaunched),
      ...this.#batch(0, "g", "agent1"),
      ...this.#batch(0, "h", "agent1"),
      () => {
        this.#row(() => host.says("Three of them.", { agentId: "agent1" }));
        this.#note(0, "[agent1] text: Three of them.");
        const fields = { agent_id: "agent1", last_assistant_message: "Three of them." };
        this.#carrier.async(this.#reportOf("SubagentStop", fields));
        background.isOver = true;
      },
    ];
  }

  /** Is tried again until it is so. */
  #until(isSo: () => boolean): Action[] {
    return [() => (isSo() ? undefined : Promise.reject(new NotYet()))];
  }

  /** `before`: what the host still writes down of the prompt before, when this one was sent already. */
  #prompt(promptId: string, text: string, before?: () => void): Action[] {
    return [
      async () => {
        const empty = { status: "completed", finalAnswer: null, usage: null, wrappedServers: [], notes: [], steps: {} };
        this.runs.push({ input: text, ...empty });
        this.host.promptId = promptId;
        if (before === undefined) this.#row(() => this.host.promptRow(text));
        const at = this.desk.now;
        await this.#waited("UserPromptSubmit", { prompt: text });
        if (before === undefined) return;
        before();
        this.#row(() => this.host.promptRow(text, promptId, at));
      },
    ];
  }

  #notice(): Action[] {
    return [
      () => {
        this.host.promptId = "p3";
        const text = this.host.noticeText("agent1", "launch");
        this.#row(() => this.host.promptRow(text));
        return this.#waited("UserPromptSubmit", { prompt: text });
      },
    ];
  }

  /** One message of the model: a thought, words, a call of a tool of the host's own and two to a server. */
  #batch(run: number, name: string, agentId: string | null): Action[] {
    const { host } = this;
    const of = { agentId, messageId: this.#message(), usage: tokens(10, 1) };
    const thought = `I think of ${name}.`;
    const words = `Let me ${name}.`;
    const said = agentId === null ? "" : `[${agentId}] `;
    const calls = ["Bash", "mcp__files__read", "mcp__files__read", "Bash"].map((tool, n) =>
      this.#call(run, `${name}${n}`, tool, agentId, n === 0 ? `${thought}\n\n${words}` : null, of),
    );
    return [
      () => this.#row(() => host.thinks(thought, of)),
      () => this.#row(() => host.says(words, { ...of, stop: "tool_use" })),
      () => {
        if (this.#isWritten) this.#note(run, `${said}thought: ${thought}`, `${said}text: ${words}`);
        this.#used(run);
      },
      // All of them are written down before the first one runs; then one runs after the other.
      ...calls.map(({ isMade }) => isMade),
      ...calls.flatMap(({ runs }) => runs),
    ];
  }

  #call(
    run: number,
    callId: string,
    tool: string,
    agentId: string | null,
    context: string | null,
    of: { agentId: string | null; messageId: string; usage: Record<string, unknown> },
  ): { isMade: Action; runs: Action[] } {
    const { host, desk } = this;
    const args = { of: callId, session: host.sessionId };
    const isServers = tool !== "Bash";
    const isError = this.#decisions.below(5) === 4;
    const agent = agentId === null ? {} : { agent_id: agentId };
    const shown = { shown: callId };
    let startedAt = 0;
    const callRef = desk.id();
    const isMade = () => this.#row(() => host.uses(callId, tool, args, of));
    const runs: Action[] = [
      () => {
        startedAt = desk.now;
        if (!isServers) return;
        this.#carrier.proxy(
          this,
          this.#step(callId, callRef, startedAt, { status: "running", durationMs: null, result: null }),
        );
      },
      () => {
        const durationMs = desk.now - startedAt;
        if (isServers) {
          const end = isError
            ? { status: "error" as const, isError, errorMessage: trustedText("real error"), result: null, durationMs }
            : { durationMs };
          this.#carrier.proxy(this, this.#step(callId, callRef, startedAt, end));
        }
        // A hook of somebody else's has rewritten them on the way: our hook is told that form, too.
        const ran = isServers ? { ...args, rewritten: true } : args;
        const fields = { ...host.call(callId, tool, ran), ...agent, duration_ms: durationMs };
        const at = desk.now + this.#decisions.below(30);
        const post = isError
          ? this.#reportOf("PostToolUseFailure", { ...fields, error: "shown error", is_interrupt: false }, at)
          : this.#reportOf("PostToolUse", { ...fields, tool_response: shown }, at);
        this.#carrier.async(post);
        this.#truth(run).steps[callId] = {
          tool,
          // What the model wrote stands in the transcript only.
          args: this.#isWritten ? args : ran,
          result: isError ? null : isServers ? { real: callId, of: host.sessionId } : shown,
          status: isError ? "error" : "ok",
          error: isError ? (isServers ? "real error" : "shown error") : null,
          agentId,
          join: isServers ? "host-id" : null,
          sources: isServers ? "proxy+hook" : "hook",
          startedAt: isServers ? startedAt : [startedAt, at - durationMs],
          context: this.#isWritten ? context : null,
        };
        if (isServers) this.#truth(run).wrappedServers = ["files"];
      },
      () => this.#row(() => host.resultRow(callId, isError ? "shown error" : "shown", { is_error: isError }, agentId)),
    ];
    return { isMade, runs };
  }

  #launch(run: number, background: { isLaunched: boolean }): Action[] {
    const { host, desk } = this;
    const of = { messageId: this.#message(), usage: tokens(10, 1) };
    const args = { prompt: "Count" };
    const response = { isAsync: true, status: "async_launched", agentId: "agent1" };
    return [
      () => {
        this.#row(() => host.uses("launch", "Agent", args, of));
        this.#used(run);
      },
      () => {
        const fields = { ...host.call("launch", "Agent", args), tool_response: response, duration_ms: 5 };
        const at = desk.now + 1;
        const post = this.#reportOf("PostToolUse", fields, at);
        // Only this hook says whose the agent is, where nothing is written down.
        const told = this.#isWritten ? this.#carrier.async(post) : this.#carrier.waitedFor(post);
        const rest = { error: null, agentId: null, join: null, sources: "hook", context: null };
        this.#truth(run).steps.launch = {
          tool: "Agent",
          args,
          result: response,
          status: "ok",
          startedAt: [at - 100, at - 5],
          ...rest,
        };
        this.#row(() => host.resultRow("launch", "launched", { toolUseResult: response }));
        background.isLaunched = true;
        return told;
      },
    ];
  }

  /** The host answers two calls by itself: one that is not valid, and one that is not allowed. */
  #refused(run: number): Action[] {
    const { host } = this;
    const content = { invalid: "<tool_use_error>Bad input", denied: "Permission to use Bash has been denied" };
    return (["invalid", "denied"] as const).flatMap((callId) => {
      const of = { messageId: this.#message(), usage: tokens(10, 1) };
      return [
        () => {
          this.#row(() => host.uses(callId, "Bash", { callId }, of));
          this.#used(run);
          if (!this.#isWritten) return;
          this.#truth(run).steps[callId] = {
            tool: "Bash",
            args: { callId },
            result: null,
            status: callId === "denied" ? "denied" : "error",
            error: content[callId],
            agentId: null,
            join: null,
            sources: "transcript",
            startedAt: this.#rowAt,
            context: null,
          };
        },
        () => this.#row(() => host.resultRow(callId, content[callId], { is_error: true })),
      ];
    });
  }

  /** A hook of somebody else's has told the agent to go on. */
  #goOn(run: number, background: { isOver: boolean }): Action[] {
    return [
      () => this.#note(run, "text: First try."),
      ...this.#batch(run, "d", null),
      ...this.#stop(run, "Something else is done.", background),
    ];
  }

  #stop(run: number, words: string, background: { isOver: boolean }, isListedOver = false): Action[] {
    const of = { messageId: this.#message(), usage: tokens(10, 1) };
    return [
      () => {
        // What it had answered before was not its last word.
        if (run === 0 && words !== "It counts.") this.#note(0, "text: It counts.");
        this.#row(() => this.host.says(words, of));
        this.#used(run);
        this.#truth(run).finalAnswer = words;
        const isRunning = run < 2 && !isListedOver && !background.isOver;
        const background_tasks = isRunning ? [task("agent1")] : [];
        return this.#waited("Stop", { last_assistant_message: words, background_tasks });
      },
    ];
  }

  /** A person stops the agent and sends the next prompt: after the host has written that down, or before. */
  #interrupted(run: number, [promptId, text]: [promptId: string, text: string]): Action[] {
    const { host } = this;
    const rejected = { is_error: true, toolDenialKind: "user-rejected" };
    const isNamed = this.#decisions.below(2) === 1;
    const of = { messageId: this.#message(), usage: tokens(10, 1) };
    const isWritten = () => {
      this.#row(() => host.resultRow("hang", "The user doesn't want to proceed", rejected));
      this.#row(() => host.interruptRow(isNamed ? of.messageId : null));
    };
    return [
      () => {
        this.#row(() => host.uses("hang", "Bash", { hang: 1 }, of));
        this.#used(run);
        Object.assign(this.#truth(run), { status: "interrupted" });
        if (!this.#isWritten) return;
        this.#note(run, "interrupt: interrupted by the person");
        this.#truth(run).steps.hang = {
          tool: "Bash",
          args: { hang: 1 },
          result: null,
          status: "cancelled",
          error: null,
          agentId: null,
          join: null,
          sources: "transcript",
          startedAt: this.#rowAt,
          context: null,
        };
      },
      ...(this.#decisions.below(2) === 1
        ? this.#prompt(promptId, text, isWritten)
        : [isWritten, ...this.#prompt(promptId, text)]),
    ];
  }

  /** Each row is written a little later than the one before it, and before anything that follows. */
  #row(write: () => unknown): void {
    this.desk.now += 1;
    this.#rowAt = this.desk.now;
    if (this.#isWritten) write();
    this.desk.now += 1;
  }

  #waited(event: string, fields: Record<string, unknown>): Promise<void> {
    return this.#carrier.waitedFor(this.#reportOf(event, fields));
  }

  #reportOf(event: string, fields: Record<string, unknown>, at = this.desk.now): HookReport {
    return this.host.reportOf(event, fields, { at });
  }

  #step(callId: string, callRef: ProxyStep["callRef"], startedAt: number, more: Partial<ProxyStep>): ProxyStep {
    const { sessionId } = this.host;
    const result = { real: callId, of: sessionId };
    const { result: _none, ...rest } = more;
    const told = more.result === null ? { result: null } : { result };
    return this.desk.step({
      hostCallId: trustedText(callId),
      callRef,
      args: { of: callId, session: sessionId, rewritten: true },
      startedAt,
      ...rest,
      ...told,
    });
  }

  #message(): string {
    return `${this.host.sessionId}-message-${++this.#messages}`;
  }

  /** An answer of the model's was used: each has ten tokens. */
  #used(run: number): void {
    if (!this.#isWritten) return;
    const truth = this.#truth(run);
    truth.usage = (truth.usage ?? 0) + 10;
  }

  #note(run: number, ...notes: string[]): void {
    this.#truth(run).notes.push(...notes);
  }

  #truth(run: number): TrueRun {
    const truth = this.runs[run];
    if (truth === undefined) throw new Error(`run ${run} has not begun`);
    return truth;
  }
}

/** What an action waits for has not happened yet. */
export class NotYet extends Error {}

/** A recorded run in the words of the truth. */
export function readAs(run: Run): TrueRun {
  const { input, status, finalAnswer, usage, wrappedServers } = run;
  const steps: Record<string, TrueStep> = {};
  for (const {
    callId,
    qualifiedName,
    args,
    result,
    error,
    agentId,
    join,
    sources,
    startedAt,
    context,
    ...step
  } of run.steps) {
    const key = steps[callId ?? ""] === undefined ? (callId ?? "") : `${callId} again`;
    const rest = { args, result, error, agentId, join, sources: sources.join("+"), startedAt, context };
    steps[key] = { tool: qualifiedName, status: step.status, ...rest };
  }
  return {
    input: input ?? "",
    status,
    finalAnswer,
    usage: usage?.inputTokens ?? null,
    wrappedServers,
    notes: run.notes
      .map(({ kind, text, agentId }) => `${agentId === null ? "" : `[${agentId}] `}${kind}: ${text}`)
      .sort(),
    steps,
  };
}
