/** One session of Claude Code as its hooks and its transcript tell it, at the times of a desk. */

import type { HookAnswer, HookReport } from "../../src/core/control-wire.ts";
import { RecorderDesk } from "./recorder-desk.ts";

type Raw = Record<string, unknown>;

export interface HostOptions {
  sessionId?: string;
  pid?: number | null;
  cwd?: string;
  /** Before 2.1.197 hooks carry no id of the prompt, and rows neither; before 2.0.60 none of the call. */
  hasPromptIds?: boolean;
  hasCallIds?: boolean;
}

/** A subagent, or what else goes on in the background. */
export const task = (id: string, type = "subagent", status = "running") => ({ id, type, status });

export class HostScript {
  readonly desk: RecorderDesk;
  readonly sessionId: string;
  readonly pid: number | null;
  readonly path: string;
  cwd: string;
  /** Of the prompt that is under way. */
  promptId: string | null = null;
  readonly #hasPromptIds: boolean;
  readonly #hasCallIds: boolean;
  #rows = 0;
  #messages = 0;

  constructor(desk: RecorderDesk, options: HostOptions = {}) {
    const { sessionId = "s1", pid = 77, cwd = "/project", hasPromptIds = true, hasCallIds = true } = options;
    this.desk = desk;
    this.sessionId = sessionId;
    this.pid = pid;
    this.cwd = cwd;
    this.path = `/home/${sessionId}.jsonl`;
    this.#hasPromptIds = hasPromptIds;
    this.#hasCallIds = hasCallIds;
  }

  /** What a hook is given on its stdin. */
  payload(event: string, fields: Raw = {}): Raw {
    return {
      session_id: this.sessionId,
      transcript_path: this.path,
      cwd: this.cwd,
      hook_event_name: event,
      ...(this.#hasPromptIds && this.promptId !== null ? { prompt_id: this.promptId } : {}),
      ...fields,
    };
  }

  reportOf(event: string, fields: Raw = {}, more: Partial<HookReport> = {}): HookReport {
    return this.desk.reportOf(this.payload(event, fields), { hostPid: this.pid, ...more });
  }

  async hook(event: string, fields: Raw = {}, more: Partial<HookReport> = {}): Promise<HookAnswer> {
    return await this.desk.report(this.reportOf(event, fields, more));
  }

  async start(source = "startup"): Promise<void> {
    await this.hook("SessionStart", { source });
  }

  async prompt(promptId: string, text: string): Promise<void> {
    this.promptId = promptId;
    await this.hook("UserPromptSubmit", { prompt: text });
  }

  /** The host tells the agent that a task has ended. */
  async notice(promptId: string, taskId: string, toolUseId = "none"): Promise<void> {
    await this.prompt(promptId, this.noticeText(taskId, toolUseId));
  }

  noticeText(taskId: string, toolUseId = "none"): string {
    const ids = `<task-id>${taskId}</task-id>\n<tool-use-id>${toolUseId}</tool-use-id>`;
    return `<task-notification>\n${ids}\n<status>completed</status>\n<summary>x</summary>\n</task-notification>`;
  }

  async pre(callId: string, tool: string, input: unknown, fields: Raw = {}, more: Partial<HookReport> = {}) {
    return await this.hook("PreToolUse", { ...this.call(callId, tool, input), ...fields }, more);
  }

  async post(callId: string, tool: string, input: unknown, response: unknown, fields: Raw = {}) {
    const ended = { tool_response: response, duration_ms: 10, ...fields };
    return await this.hook("PostToolUse", { ...this.call(callId, tool, input), ...ended });
  }

  async fail(callId: string, tool: string, input: unknown, error: string, fields: Raw = {}) {
    const ended = { error, is_interrupt: false, duration_ms: 10, ...fields };
    return await this.hook("PostToolUseFailure", { ...this.call(callId, tool, input), ...ended });
  }

  /** A subagent that goes on by itself was started. */
  async launch(callId: string, agentId: string, fields: Raw = {}) {
    const response = { isAsync: true, status: "async_launched", agentId };
    return await this.post(callId, "Agent", { prompt: agentId }, response, fields);
  }

  call(callId: string, tool: string, input: unknown): Raw {
    const id = this.#hasCallIds ? { tool_use_id: callId } : {};
    return { tool_name: tool, tool_input: input, ...id };
  }

  async stop(text: string | null, tasks: unknown[] | null = [], fields: Raw = {}): Promise<HookAnswer> {
    const words = text === null ? {} : { last_assistant_message: text };
    const going = tasks === null ? {} : { background_tasks: tasks };
    return await this.hook("Stop", { stop_hook_active: false, ...words, ...going, ...fields });
  }

  async agentStopped(agentId: string, text: string): Promise<void> {
    await this.hook("SubagentStop", { agent_id: agentId, agent_type: "general", last_assistant_message: text });
  }

  async end(reason = "other"): Promise<void> {
    await this.hook("SessionEnd", { reason });
  }

  // What it writes down.

  row(row: Raw, agentId: string | null = null): void {
    const keys = { uuid: `${this.sessionId}-${agentId ?? ""}-row-${++this.#rows}`, sessionId: this.sessionId };
    const of = agentId === null ? { isSidechain: false } : { isSidechain: true, agentId };
    this.desk.row(agentId === null ? this.path : `${this.path}#${agentId}`, { ...keys, ...of, ...row });
  }

  promptRow(text: string, promptId = this.promptId, at = this.desk.now): void {
    const named = this.#hasPromptIds && promptId !== null ? { promptId } : {};
    const timestamp = new Date(at).toISOString();
    this.row({ type: "user", ...named, timestamp, message: { role: "user", content: text } });
  }

  /** A row of an answer of the model's; `messageId` null: of a new one. */
  answer(blocks: Raw[], { messageId, stop = "tool_use", agentId = null, usage }: AnswerRow = {}): string {
    const id = messageId ?? `${this.sessionId}-msg-${++this.#messages}`;
    const message = { id, role: "assistant", content: blocks, stop_reason: stop, ...(usage ? { usage } : {}) };
    this.row({ type: "assistant", message }, agentId);
    return id;
  }

  thinks(text: string, more: AnswerRow = {}): string {
    return this.answer([{ type: "thinking", thinking: text }], more);
  }

  /** Says something, at the end of its turn unless said otherwise. */
  says(text: string, more: AnswerRow = {}): string {
    return this.answer([{ type: "text", text }], { stop: "end_turn", ...more });
  }

  uses(callId: string, tool: string, input: unknown, more: AnswerRow = {}): string {
    return this.answer([{ type: "tool_use", id: callId, name: tool, input }], more);
  }

  resultRow(callId: string, content: unknown, fields: Raw = {}, agentId: string | null = null): void {
    const { is_error = false, ...row } = fields;
    const result = { type: "tool_result", tool_use_id: callId, content, is_error };
    const named = this.#hasPromptIds && this.promptId !== null ? { promptId: this.promptId } : {};
    this.row({ type: "user", ...named, message: { role: "user", content: [result] }, ...row }, agentId);
  }

  /** `messageId`: the answer that was interrupted, where the host says that. */
  interruptRow(messageId: string | null = null): void {
    const content = [{ type: "text", text: "[Request interrupted by user for tool use]" }];
    const interrupted = messageId === null ? {} : { interruptedMessageId: messageId };
    this.row({ type: "user", promptId: this.promptId, message: { role: "user", content }, ...interrupted });
  }
}

export interface AnswerRow {
  messageId?: string;
  stop?: string | null;
  agentId?: string | null;
  usage?: Raw;
}

/** Tokens as the API counts them. */
export const tokens = (input: number, output: number) => ({
  input_tokens: input,
  output_tokens: output,
  cache_read_input_tokens: 1,
  cache_creation_input_tokens: 2,
});

/** A session whose first prompt has just been asked, with a proxy of its host. */
export async function promptedHost(options = {}) {
  const desk = new RecorderDesk();
  const host = new HostScript(desk, options);
  await host.start();
  desk.now += 100;
  await host.prompt("p1", "Do it");
  desk.now += 100;
  return { desk, host, proxy: desk.proxy() };
}
