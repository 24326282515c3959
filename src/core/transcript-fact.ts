import type { TaskNotice, ToolName } from "./hook-fact.ts";
import type { RedactedJson, RedactedText } from "./redacted.ts";

/**
 * What a session's transcript tells beyond its hooks: reasoning, interim text, usage, and the outcome of calls for which no
 * hook runs. Pure types; nothing here may hold text that was not redacted.
 */

/** Where a fact belongs. Null: the row does not tell. */
export interface RowKeys {
  /** The row's own id: a fact that is read twice carries it twice. */
  rowId: RedactedText | null;
  /** Epoch ms. */
  at: number | null;
  sessionId: RedactedText | null;
  /** Only on what is not the model's. In a forked session's copy of older rows it is the fork's first prompt, not theirs. */
  promptId: RedactedText | null;
  agentId: RedactedText | null;
  /** A subagent's row. Old versions write them into the session's own file, some without an agent's id. */
  isSidechain: boolean;
  /** The model answered this in another session: the row was copied when that one was forked. Known of no other rows. */
  isCopied: boolean;
  /** Version of the host that wrote the row. */
  hostVersion: RedactedText | null;
}

/** `program`: through an SDK or a pipe. `task-notice`: made by the host. `agent-task`: what a subagent was told to do. */
export type PromptOrigin = "person" | "program" | "task-notice" | "agent-task" | "unknown";

/**
 * How a call ended. `not-run`: the host answered it by itself (invalid input, no such tool, a sibling that failed), and no
 * hook ran. `denied`: not allowed to run. `interrupted`: stopped by the person while it ran. `rejected`: one of the last
 * two, which old versions do not tell apart. No hook tells of these three.
 */
export type CallOutcome = "ok" | "error" | "not-run" | "denied" | "interrupted" | "rejected";

/** Tokens of one model answer. */
export interface TokenUsage {
  inputTokens: number;
  outputTokens: number;
  cacheReadTokens: number;
  cacheCreationTokens: number;
}

type Told =
  | { kind: "prompt"; text: RedactedText; origin: PromptOrigin; notice: TaskNotice | null }
  | { kind: "thought"; text: RedactedText; messageId: RedactedText | null }
  /** `endsTurn` is null where the row was written before the model had finished. */
  | { kind: "text"; text: RedactedText; messageId: RedactedText | null; endsTurn: boolean | null }
  /**
   * The model asked for a call. `input` is what it wrote, before any hook rewrote it. `reasoning` is what it thought and said since
   * the call before this one in the same message; the later calls of a batch have none of their own.
   */
  | ({
      kind: "tool-use";
      toolUseId: RedactedText | null;
      input: RedactedJson | null;
      reasoning: RedactedText | null;
      messageId: RedactedText | null;
    } & ToolName)
  | {
      kind: "tool-result";
      toolUseId: RedactedText | null;
      outcome: CallOutcome;
      /** As the model was shown it. */
      content: RedactedJson | null;
      /** The host's own form, as a hook is given it. */
      response: RedactedJson | null;
      /** What an MCP server put beside its content: `_meta` and `structuredContent`. */
      mcpMeta: RedactedJson | null;
      /** The subagent that the call started. */
      startedAgentId: RedactedText | null;
    }
  /** The person stopped the agent. */
  | { kind: "interrupt"; messageId: RedactedText | null }
  /** Told once for a message; again, in place of the earlier one, only where its numbers have changed. */
  | { kind: "usage"; messageId: RedactedText; model: RedactedText | null; usage: TokenUsage }
  /** The model could not be reached; `text` is what the person was shown. */
  | { kind: "api-error"; text: RedactedText; error: RedactedText | null };

export type TranscriptFact = RowKeys & Told;
