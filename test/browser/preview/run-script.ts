import type { RunEvent } from "../../../src/core/event.ts";
import type { Host, NoteKind, RunStatus, StepJoin, StepStatus, Tier, Usage } from "../../../src/core/run.ts";

/** Writes down the events of a made-up run as a recorder would. Time moves only as the script says. */

interface Opening {
  id: string;
  startedAt: number;
  host?: Host | null;
  cwd?: string;
  servers?: string[];
  tier?: Tier;
  prompt?: string | null;
}

interface Call {
  server?: string | null;
  tool: string;
  args?: unknown;
  result?: unknown;
  error?: string;
  rpcError?: unknown;
  status?: StepStatus;
  tookMs?: number;
  waitingMs?: number;
  legs?: number;
  progress?: number;
  agent?: string | null;
  context?: string | null;
  join?: StepJoin | null;
  truncated?: boolean;
  hostMeta?: Record<string, unknown>;
}

export class RunScript {
  readonly id: string;
  readonly events: RunEvent[] = [];
  at: number;
  #seq = 0;

  constructor({ id, startedAt, host, cwd, servers, tier, prompt }: Opening) {
    this.id = id;
    this.at = startedAt;
    this.events.push({
      ...this.#base(0),
      type: "run.opened",
      tier: tier ?? "bound",
      cwd: cwd ?? "/home/ana/projects/weather-service",
      owner: { pid: 4242, startedAt: "1" },
      sessionId: `session-${id}`,
      host: host === undefined ? { app: "claude-code", version: "2.1.332" } : host,
      wrappedServers: servers ?? ["github", "files"],
    });
    if (prompt != null) this.events.push({ ...this.#base(0), type: "run.updated", input: prompt });
  }

  wait(ms: number): this {
    this.at += ms;
    return this;
  }

  /** A call that begins and ends; time has moved on by as long as it took. */
  call(call: Call): this {
    const end = this.begin(call);
    this.at += call.tookMs ?? 40;
    end();
    return this;
  }

  /** A call that begins now; the returned function ends it at the time it is then. */
  begin(call: Call): () => void {
    this.#seq += 1;
    const seq = this.#seq;
    const stepId = `${this.id}-step-${seq}`;
    const startedAt = this.at;
    const { server = null, tool } = call;
    this.events.push({
      ...this.#base(seq),
      type: "step.opened",
      stepId,
      sources: server === null ? ["hook"] : ["proxy", "hook"],
      server,
      tool,
      qualifiedName: server === null ? tool : `mcp__${server}__${tool}`,
      args: call.args ?? {},
      callId: `toolu_${this.id}_${seq}`,
      join: call.join ?? (server === null ? null : "host-id"),
      agentId: call.agent ?? null,
      hostMeta: call.hostMeta ?? (server === null ? {} : { "claudecode/toolUseId": `toolu_${this.id}_${seq}` }),
      startedAt,
      context: call.context ?? null,
      truncated: false,
    });
    return () => {
      const status = call.status ?? (call.error === undefined ? "ok" : "error");
      if (status === "running") return;
      this.events.push({
        ...this.#base(seq),
        type: "step.closed",
        stepId,
        status,
        isError: status === "error",
        error: call.error ?? null,
        rpcError: call.rpcError ?? null,
        result: call.result ?? null,
        durationMs: status === "lost" ? null : this.at - startedAt,
        waitingMs: call.waitingMs ?? 0,
        legs: call.legs ?? 1,
        progress: call.progress ?? 0,
        truncated: call.truncated ?? false,
        join: null,
      });
    };
  }

  note(kind: NoteKind, text: string, agentId: string | null = null): this {
    this.#seq += 1;
    this.events.push({ ...this.#base(this.#seq), type: "note", kind, text, agentId });
    return this;
  }

  gap(reason: string, lost: number): this {
    this.events.push({ ...this.#base(this.#seq), type: "gap", reason, lost });
    return this;
  }

  usage(usage: Usage, hostHookCalls = 0): this {
    this.events.push({ ...this.#base(this.#seq), type: "run.updated", usage, hostHookCalls });
    return this;
  }

  answer(finalAnswer: string): this {
    this.events.push({ ...this.#base(this.#seq), type: "run.updated", finalAnswer });
    return this;
  }

  close(status: RunStatus): this {
    this.events.push({ ...this.#base(this.#seq), type: "run.closed", status });
    return this;
  }

  #base(seq: number) {
    return { v: 1, runId: this.id, seq, at: this.at };
  }
}

/** The result of an MCP tool that answers with text. */
export function textResult(text: string, more: Record<string, unknown> = {}): unknown {
  return { content: [{ type: "text", text }], ...more };
}
