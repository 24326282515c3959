/**
 * A session of a host, recorded as real ones are: a real proxy with its server, real hook receivers, a real control server. What
 * the host itself would do (the order of hooks, the ids that it gives) is played after captured sessions. Owns nothing of how
 * it is shown.
 */

import { join } from "node:path";
import { BIR } from "../harness/locations.ts";
import type { RunningProcess } from "../harness/running-process.ts";
import type { Sandbox } from "../harness/sandbox.ts";

const HOST = { name: "claude-code", version: "2.1.332" };

export class RecordedSession {
  readonly #box: Sandbox;
  readonly #id: string;
  readonly #proxies = new Map<string, RunningProcess>();
  #prompts = 0;
  #calls = 0;
  #slowestHookMs = 0;

  /** `n` tells sessions of one home apart. */
  constructor(box: Sandbox, n: number) {
    this.#box = box;
    this.#id = `5e551040-0000-4000-8000-${String(n).padStart(12, "0")}`;
  }

  /** Begins the session, with a server behind a proxy for each name. */
  async start(servers: Record<string, readonly string[]>): Promise<void> {
    const { code } = await this.#box.bir(["up"]);
    if (code !== 0) throw new Error("no control server");
    await this.#hook({ hook_event_name: "SessionStart", source: "startup" });
    for (const [name, command] of Object.entries(servers)) {
      const proxy = this.#box.start([BIR, "proxy", "--server-name", name, "--", ...command], { env: this.#env() });
      const hello = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: HOST };
      await proxy.request("i", "initialize", hello);
      await proxy.send({ jsonrpc: "2.0", method: "notifications/initialized" });
      this.#proxies.set(name, proxy);
    }
  }

  async prompt(text: string): Promise<void> {
    this.#prompts++;
    await this.#hook({ hook_event_name: "UserPromptSubmit", prompt: text });
  }

  /** A call of one of the servers' tools; `agent` names the subagent that makes it. */
  async call(server: string, tool: string, args: Record<string, unknown>, agent?: string): Promise<void> {
    const proxy = this.#proxies.get(server);
    if (proxy === undefined) throw new Error(`no server ${server}`);
    const callId = this.#nextCallId();
    const about = { tool_name: `mcp__${server}__${tool}`, tool_input: args, tool_use_id: callId, ...ofAgent(agent) };
    const { result, error } = await proxy.call(callId, tool, args, { "claudecode/toolUseId": callId });
    const failed = error !== undefined || (result as { isError?: boolean } | undefined)?.isError === true;
    const told = failed
      ? { hook_event_name: "PostToolUseFailure", error: JSON.stringify(error ?? result), is_interrupt: false }
      : {
          hook_event_name: "PostToolUse",
          tool_response: (result as { content?: unknown } | undefined)?.content ?? null,
        };
    await this.#hook({ ...about, ...told, duration_ms: 2 });
  }

  /** A call of a tool of the host's own. Answers its id. */
  async builtIn(tool: string, args: unknown, response: unknown, more: Record<string, unknown> = {}): Promise<string> {
    const callId = this.#nextCallId();
    await this.#hook({
      hook_event_name: "PostToolUse",
      tool_name: tool,
      tool_input: args,
      tool_response: response,
      tool_use_id: callId,
      duration_ms: 3,
      ...more,
    });
    return callId;
  }

  /** As `builtIn`, for one that failed. */
  async builtInFailure(tool: string, args: unknown, error: string): Promise<void> {
    const about = { tool_name: tool, tool_input: args, tool_use_id: this.#nextCallId(), duration_ms: 4 };
    await this.#hook({ hook_event_name: "PostToolUseFailure", error, is_interrupt: false, ...about });
  }

  /** A subagent that makes some calls of its own while the call that launched it runs. */
  async agent(
    agentId: string,
    prompt: string,
    answer: string,
    work: (agentId: string) => Promise<void>,
  ): Promise<void> {
    // The time that a model takes between two calls: a receiver that is late must not turn their order.
    await Bun.sleep(2 * this.#slowestHookMs);
    const begun = performance.now();
    await this.#hook({ hook_event_name: "SubagentStart", agent_id: agentId, agent_type: "general-purpose" });
    // The receiver's own start, by which it hears of the end too late, would else put the call behind what it launched.
    const receiverMs = (performance.now() - begun) / 2;
    await work(agentId);
    await this.#hook({ hook_event_name: "SubagentStop", agent_id: agentId, agent_type: "general-purpose" });
    const args = { description: prompt.slice(0, 20), prompt, subagent_type: "general-purpose" };
    await this.builtIn(
      "Agent",
      args,
      { status: "completed", agentId, content: [{ type: "text", text: answer }] },
      {
        duration_ms: Math.round(performance.now() - begun + receiverMs),
      },
    );
  }

  async stop(answer: string): Promise<void> {
    await this.#hook({ hook_event_name: "Stop", last_assistant_message: answer, background_tasks: [] });
  }

  async end(): Promise<void> {
    for (const proxy of this.#proxies.values()) await proxy.finish();
    await this.#hook({ hook_event_name: "SessionEnd", reason: "other" });
  }

  #nextCallId(): string {
    this.#calls++;
    return `toolu_${this.#id.slice(-2)}_${this.#calls}`;
  }

  async #hook(hook: Record<string, unknown>): Promise<void> {
    const { cwd } = this.#box;
    const begun = performance.now();
    const receiver = this.#box.start([BIR, "hooks"], { env: this.#env() });
    const prompt_id = `9a0a0000-0000-4000-8000-${this.#id.slice(-6)}${String(this.#prompts).padStart(6, "0")}`;
    const whole = { session_id: this.#id, transcript_path: join(cwd, "none.jsonl"), cwd, prompt_id, ...hook };
    await receiver.write(JSON.stringify(whole));
    const { code } = await receiver.finish();
    this.#slowestHookMs = Math.max(this.#slowestHookMs, performance.now() - begun);
    if (code !== 0) throw new Error(`a hook ended with ${code}`);
  }

  #env(): Record<string, string> {
    return {
      CLAUDECODE: "1",
      CLAUDE_CODE_SESSION_ID: this.#id,
      CLAUDE_PROJECT_DIR: this.#box.cwd,
      CLAUDE_PID: String(process.pid),
      AI_AGENT: `claude-code_${HOST.version.replaceAll(".", "-")}_harness`,
    };
  }
}

function ofAgent(agent: string | undefined): Record<string, unknown> {
  return agent === undefined ? {} : { agent_id: agent, agent_type: "general-purpose" };
}
