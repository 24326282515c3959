import type {
  BackgroundTask,
  HookFact,
  HookReading,
  MalformedReason,
  StartedTask,
  ToolName,
} from "../core/hook-fact.ts";
import { toolPrefix } from "../core/tool-name.ts";
import { redactText } from "../redact/redact.ts";
import { Fields } from "./fields.ts";
import { readTaskNotice } from "./task-notice.ts";

/**
 * Claude Code's hooks: the text that one is given on stdin, read into a fact. Shapes as captured from version 2.1.332; older
 * ones lack fields (`tool_use_id` up to 2.0.10, `prompt_id` up to 2.1.165, `mcp_server` up to 2.1.270) and newer ones may
 * add some. Knows no other host, keeps nothing, never throws.
 */

/** What one event tells beside the keys that all have; a reason where it cannot be read. */
type Told = HookFact extends infer Fact ? (Fact extends HookFact ? Omit<Fact, keyof Keys> : never) : never;
type Keys = Pick<
  HookFact,
  "sessionId" | "promptId" | "agentId" | "agentType" | "cwd" | "transcriptPath" | "permissionMode" | "isCut"
>;

const EVENTS: Readonly<Record<string, (from: Fields) => Told | MalformedReason>> = {
  SessionStart: (from) => ({ kind: "session-started", source: from.text("source"), model: from.text("model") }),
  SessionEnd: (from) => ({ kind: "session-ended", reason: from.text("reason") }),
  UserPromptSubmit: (from) => ({
    kind: "prompt-submitted",
    prompt: from.text("prompt"),
    notice: readTaskNotice(from.raw("prompt") ?? ""),
  }),
  PreToolUse: (from) => onCall(from, (call) => ({ kind: "tool-starting", ...call })),
  PostToolUse: (from) =>
    onCall(from, (call) => ({
      kind: "tool-ended",
      ...call,
      response: from.json("tool_response"),
      durationMs: from.amount("duration_ms"),
      started: readStarted(from.object("tool_response")),
    })),
  PostToolUseFailure: (from) =>
    onCall(from, (call) => ({
      kind: "tool-failed",
      ...call,
      error: from.text("error"),
      isInterrupt: from.flag("is_interrupt"),
      durationMs: from.amount("duration_ms"),
    })),
  PostToolBatch: (from) => ({
    kind: "batch-ended",
    calls: (from.objects("tool_calls") ?? []).flatMap((each) => {
      const call = readCall(each);
      return call === null ? [] : [{ ...call, response: each.json("tool_response") }];
    }),
  }),
  SubagentStart: () => ({ kind: "subagent-started" }),
  SubagentStop: (from) => ({
    kind: "subagent-stopped",
    finalText: from.text("last_assistant_message"),
    agentTranscriptPath: from.text("agent_transcript_path"),
    backgroundTasks: readTasks(from),
  }),
  Stop: (from) => ({
    kind: "stopped",
    finalText: from.text("last_assistant_message"),
    backgroundTasks: readTasks(from),
    isContinued: from.flag("stop_hook_active"),
  }),
  StopFailure: (from) => ({
    kind: "stop-failed",
    error: from.text("error"),
    finalText: from.text("last_assistant_message"),
  }),
  PreCompact: (from) => ({
    kind: "compacting",
    trigger: from.text("trigger"),
    instructions: from.text("custom_instructions"),
  }),
  PostCompact: (from) => ({ kind: "compacted", trigger: from.text("trigger"), summary: from.text("compact_summary") }),
  PermissionRequest: (from) => onCall(from, (call) => ({ kind: "permission-asked", ...call })),
  Elicitation: (from) => ({
    kind: "elicitation-asked",
    server: from.text("mcp_server_name"),
    message: from.text("message"),
    mode: from.text("mode"),
    elicitationId: from.text("elicitation_id"),
    schema: from.json("requested_schema"),
    url: from.text("url"),
  }),
  ElicitationResult: (from) => ({
    kind: "elicitation-answered",
    server: from.text("mcp_server_name"),
    mode: from.text("mode"),
    elicitationId: from.text("elicitation_id"),
    action: from.text("action"),
    content: from.json("content"),
  }),
};

/** Reads the text of one hook; `isCut` says that its end never came. */
export function readClaudeCodeHook(text: string, isCut = false): HookReading {
  const from = Fields.of(text, isCut);
  if (from === null) return { kind: "malformed", reason: isCut ? "cut short" : "not a JSON object", sessionId: null };
  const sessionId = from.text("session_id");
  const malformed = (reason: MalformedReason): HookReading => ({ kind: "malformed", reason, sessionId });
  const event = from.raw("hook_event_name");
  if (event === null) return malformed(isCut ? "cut short" : "no event name");
  const read = Object.hasOwn(EVENTS, event) ? EVENTS[event] : undefined;
  if (read === undefined) return { kind: "nothing" };
  if (sessionId === null || sessionId === "") return malformed("no session id");
  const told = read(from);
  if (typeof told === "string") return malformed(isCut ? "cut short" : told);
  const keys: Keys = {
    sessionId,
    promptId: from.text("prompt_id"),
    agentId: from.text("agent_id"),
    agentType: from.text("agent_type"),
    cwd: from.text("cwd"),
    transcriptPath: from.text("transcript_path"),
    permissionMode: from.text("permission_mode"),
    isCut,
  };
  return { kind: "fact", fact: { ...keys, ...told } };
}

type Call = Omit<Extract<HookFact, { kind: "tool-starting" }>, keyof Keys | "kind">;

function onCall(from: Fields, tell: (call: Call) => Told): Told | MalformedReason {
  const call = readCall(from);
  return call === null ? "no tool name" : tell(call);
}

function readCall(from: Fields): Call | null {
  const name = from.raw("tool_name");
  if (name === null || name === "") return null;
  const server = from.object("mcp_server")?.raw("name") ?? null;
  return { ...splitToolName(name, server), toolUseId: from.text("tool_use_id"), input: from.json("tool_input") };
}

/**
 * A tool's name in parts. `server` is the one that the host names beside it, which may hold characters that the tool's name
 * spells as `_`. Without it the server's name ends at the first `__`, so one that holds `__` itself is read short.
 */
export function splitToolName(name: string, server: string | null): ToolName {
  const qualifiedName = redactText(name);
  const prefix = server === null ? "" : toolPrefix(server);
  if (server !== null && name.startsWith(prefix) && name.length > prefix.length) {
    return { qualifiedName, server: redactText(server), tool: redactText(name.slice(prefix.length)) };
  }
  const parts = name.startsWith("mcp__") ? /^mcp__(.+?)__(.+)$/s.exec(name) : null;
  return {
    qualifiedName,
    server: server === null ? (parts?.[1] === undefined ? null : redactText(parts[1])) : redactText(server),
    tool: parts?.[2] === undefined ? qualifiedName : redactText(parts[2]),
  };
}

/** A subagent, or a shell that goes on in the background. */
function readStarted(response: Fields | null): StartedTask | null {
  const agentId = response?.text("agentId") ?? null;
  if (response !== null && agentId !== null) {
    return { id: agentId, isAgent: true, isBackground: response.raw("status") === "async_launched" };
  }
  const shellId = response?.text("backgroundTaskId") ?? null;
  return shellId === null ? null : { id: shellId, isAgent: false, isBackground: true };
}

function readTasks(from: Fields): BackgroundTask[] | null {
  const tasks = from.objects("background_tasks");
  return tasks === null
    ? null
    : tasks.map((task) => ({ id: task.text("id"), type: task.text("type"), status: task.text("status") }));
}
