import type { RedactedJson, RedactedText } from "./redacted.ts";

/**
 * What a hook of a host can tell, in words that fit every host. Facts carry the host's own ids, so that facts which come
 * late, twice or out of order can be put in their place. Owns no wire shape and no decision about runs; nothing here may
 * hold text that was not redacted. When a hook ran is known only to who received it.
 */

/** The host's own ids and whereabouts. Null: this host, or this version of it, does not tell. */
interface HookKeys {
  sessionId: RedactedText;
  /** One value per prompt, machine-made ones included. At a session's start and end it need not be one of a prompt. */
  promptId: RedactedText | null;
  /** Set where the hook ran inside a subagent. */
  agentId: RedactedText | null;
  /** The kind of subagent; empty for the host's internal ones. */
  agentType: RedactedText | null;
  cwd: RedactedText | null;
  transcriptPath: RedactedText | null;
  permissionMode: RedactedText | null;
  /** The hook's text ended early: what follows the end is missing, a payload at the end is a truncated one. */
  isCut: boolean;
}

export interface ToolName {
  /** As the host calls the tool, e.g. `Bash` or `mcp__files__read`. */
  qualifiedName: RedactedText;
  /** The MCP server as its configuration names it, or as the tool's name spells it; null for a tool of the host's own. */
  server: RedactedText | null;
  /** The tool's own name, without the server. */
  tool: RedactedText;
}

interface ToolCall extends ToolName {
  toolUseId: RedactedText | null;
  /** As the host runs it: after a hook has rewritten it, not always what the model wrote. */
  input: RedactedJson | null;
}

/** Work that goes on after the agent has stopped. */
export interface BackgroundTask {
  /** For a subagent, its `agentId`. */
  id: RedactedText | null;
  type: RedactedText | null;
  status: RedactedText | null;
}

/** What a call started that may go on by itself. */
export interface StartedTask {
  /** For a subagent, its `agentId`. */
  id: RedactedText;
  isAgent: boolean;
  /** The call has ended, what it started has not. */
  isBackground: boolean;
}

/** What a machine-made prompt tells: a background task has ended. */
export interface TaskNotice {
  /** For a subagent, its `agentId`. */
  taskId: RedactedText | null;
  /** The call that started it. */
  toolUseId: RedactedText | null;
  status: RedactedText | null;
}

/** One call of a batch; `response` is its model-facing form, an error's text included. */
export interface BatchedCall extends ToolCall {
  response: RedactedJson | null;
}

type Told =
  | { kind: "session-started"; source: RedactedText | null; model: RedactedText | null }
  | { kind: "session-ended"; reason: RedactedText | null }
  /** `notice` is set on a prompt that the host made by itself. */
  | { kind: "prompt-submitted"; prompt: RedactedText | null; notice: TaskNotice | null }
  | ({ kind: "tool-starting" } & ToolCall)
  /** `response` is the host's form of the result, not what an MCP server answered. `durationMs` is without prompts and hooks. */
  | ({
      kind: "tool-ended";
      response: RedactedJson | null;
      durationMs: number | null;
      started: StartedTask | null;
    } & ToolCall)
  | ({
      kind: "tool-failed";
      error: RedactedText | null;
      isInterrupt: boolean;
      durationMs: number | null;
    } & ToolCall)
  /** Every call of one model message has ended, those included that failed validation and fired no other hook. */
  | { kind: "batch-ended"; calls: BatchedCall[] }
  | { kind: "subagent-started" }
  /** `backgroundTasks` may still list the agent itself. Null, as in `stopped`: this version does not tell. */
  | {
      kind: "subagent-stopped";
      finalText: RedactedText | null;
      agentTranscriptPath: RedactedText | null;
      backgroundTasks: BackgroundTask[] | null;
    }
  /** `isContinued`: the agent went on because a stop hook had told it to. */
  | {
      kind: "stopped";
      finalText: RedactedText | null;
      backgroundTasks: BackgroundTask[] | null;
      isContinued: boolean;
    }
  /** Instead of `stopped`, when the model could not be reached. */
  | { kind: "stop-failed"; error: RedactedText | null; finalText: RedactedText | null }
  | { kind: "compacting"; trigger: RedactedText | null; instructions: RedactedText | null }
  | { kind: "compacted"; trigger: RedactedText | null; summary: RedactedText | null }
  | ({ kind: "permission-asked" } & ToolCall)
  | {
      kind: "elicitation-asked";
      server: RedactedText | null;
      message: RedactedText | null;
      mode: RedactedText | null;
      elicitationId: RedactedText | null;
      /** The form's schema, or null for a URL. */
      schema: RedactedJson | null;
      url: RedactedText | null;
    }
  | {
      kind: "elicitation-answered";
      server: RedactedText | null;
      mode: RedactedText | null;
      elicitationId: RedactedText | null;
      action: RedactedText | null;
      content: RedactedJson | null;
    };

export type HookFact = HookKeys & Told;

/** Why a hook's text could not be read. Never quotes it. */
export type MalformedReason = "not a JSON object" | "cut short" | "no event name" | "no session id" | "no tool name";

/** What came of a hook's text. `nothing`: an event that is unknown, or that tells nothing for a record. */
export type HookReading =
  | { kind: "fact"; fact: HookFact }
  | { kind: "nothing" }
  | { kind: "malformed"; reason: MalformedReason; sessionId: RedactedText | null };
