import type { RedactedText } from "../core/redacted.ts";
import type { CallOutcome, PromptOrigin, RowKeys, TokenUsage, TranscriptFact } from "../core/transcript-fact.ts";
import { redactText } from "../redact/redact.ts";
import { splitToolName } from "./claude-code.ts";
import { Fields } from "./fields.ts";
import { readTaskNotice } from "./task-notice.ts";

/**
 * Claude Code's transcript rows, read into facts; shapes as captured from version 2.1.332, the texts of refusals also from
 * 2.0.76. Undocumented, so whatever is unknown tells nothing. Keeps only what one message's rows need of one another.
 * Never throws.
 */

/** What the rows of an answer have told so far; a subagent's rows may stand between those of the session. */
interface MessageState {
  messageId: string | null;
  /** What it thought and said since its last call. */
  words: RedactedText[];
}

export class TranscriptRows {
  readonly #ownerAgentId: RedactedText | null;
  readonly #since: number;
  readonly #messages = new Map<string, MessageState>();
  readonly #usage = new Map<string, string>();

  /** `agentId`: whose transcript it is, where it is a subagent's. Rows older than `since` (epoch ms) tell nothing. */
  constructor(agentId: RedactedText | null, since = Number.NEGATIVE_INFINITY) {
    this.#ownerAgentId = agentId;
    this.#since = since;
  }

  /** The facts of one row; null where the line is no row at all. */
  read(line: string): TranscriptFact[] | null {
    const row = Fields.of(line, false);
    if (row === null) return null;
    const type = row.raw("type");
    const message = row.object("message");
    if (message === null || (type !== "assistant" && type !== "user")) return [];
    const keys = this.#keys(row);
    if (keys.at !== null && keys.at < this.#since) return [];
    return type === "user" ? userRow(row, message, keys) : this.#answer(row, message, keys);
  }

  #keys(row: Fields): RowKeys {
    const at = Date.parse(row.raw("timestamp") ?? "");
    const answeredIn = row.raw("requestSessionId");
    return {
      rowId: row.text("uuid"),
      at: Number.isNaN(at) ? null : at,
      sessionId: row.text("sessionId"),
      promptId: row.text("promptId"),
      agentId: row.text("agentId") ?? this.#ownerAgentId,
      isSidechain: this.#ownerAgentId !== null || row.flag("isSidechain"),
      isCopied: answeredIn !== null && answeredIn !== row.raw("sessionId"),
      hostVersion: row.text("version"),
    };
  }

  #answer(row: Fields, message: Fields, keys: RowKeys): TranscriptFact[] {
    const blocks = message.objects("content") ?? [];
    if (row.flag("isApiErrorMessage")) {
      return [{ ...keys, kind: "api-error", text: redactText(textOf(blocks)), error: row.text("error") }];
    }
    const rawId = message.raw("id");
    const state = this.#stateOf(keys, rawId);
    const messageId = message.text("id");
    const facts: TranscriptFact[] = [];
    for (const block of blocks) {
      const type = block.raw("type");
      if (type === "thinking") {
        const text = block.text("thinking");
        if (text === null || text === "") continue;
        state.words.push(text);
        facts.push({ ...keys, kind: "thought", text, messageId });
      } else if (type === "text") {
        const text = block.text("text");
        if (text !== null && text !== "") {
          state.words.push(text);
          facts.push({ ...keys, kind: "text", text, messageId, endsTurn: endsTurn(message.raw("stop_reason")) });
        }
      } else if (type === "tool_use") {
        const reasoning = state.words.length === 0 ? null : redactText(state.words.join("\n\n"));
        state.words = [];
        facts.push({
          ...keys,
          kind: "tool-use",
          toolUseId: block.text("id"),
          ...splitToolName(block.raw("name") ?? "", null),
          input: block.json("input"),
          reasoning,
          messageId,
        });
      }
    }
    const usage = readUsage(message.object("usage"));
    if (usage !== null && rawId !== null && messageId !== null && this.#isNews(rawId, usage)) {
      facts.push({ ...keys, kind: "usage", messageId, model: message.text("model"), usage });
    }
    return facts;
  }

  #stateOf(keys: RowKeys, messageId: string | null): MessageState {
    const speaker = keys.agentId ?? (keys.isSidechain ? "?" : "");
    let state = this.#messages.get(speaker);
    if (state === undefined || state.messageId !== messageId) {
      state = { messageId, words: [] };
      this.#messages.set(speaker, state);
    }
    return state;
  }

  #isNews(messageId: string, usage: TokenUsage): boolean {
    const told = Object.values(usage).join(" ");
    if (this.#usage.get(messageId) === told) return false;
    this.#usage.set(messageId, told);
    return true;
  }
}

/** Starts of user rows that no one wrote as a prompt: the host's own commands, and their output. */
const NOT_A_PROMPT =
  /^<(?:command-(?:name|message|args)|local-command-(?:caveat|stdout|stderr)|bash-(?:input|stdout|stderr))>/;
const INTERRUPTED = "[Request interrupted by user";

function userRow(row: Fields, message: Fields, keys: RowKeys): TranscriptFact[] {
  const blocks = message.objects("content");
  const results = (blocks ?? []).filter((block) => block.raw("type") === "tool_result");
  const facts = results.map((result) => readResult(row, result, keys));
  if (row.flag("isMeta") || row.flag("isCompactSummary") || row.flag("isVisibleInTranscriptOnly")) return facts;
  const raw = blocks === null ? message.raw("content") : textOf(blocks);
  if (raw === null) return facts;
  if (raw.startsWith(INTERRUPTED)) {
    facts.push({ ...keys, kind: "interrupt", messageId: row.text("interruptedMessageId") });
  } else if (results.length === 0 && !NOT_A_PROMPT.test(raw)) {
    const notice = readTaskNotice(raw);
    facts.push({
      ...keys,
      kind: "prompt",
      text: redactText(raw),
      origin: originOf(row, keys, notice !== null),
      notice,
    });
  }
  return facts;
}

function originOf(row: Fields, keys: RowKeys, isNotice: boolean): PromptOrigin {
  if (keys.isSidechain) return "agent-task";
  const origin = row.object("origin")?.raw("kind");
  if (origin === "task-notification" || (isNotice && origin !== "human")) return "task-notice";
  if (origin === "human") return "person";
  return row.raw("promptSource") === "sdk" ? "program" : "unknown";
}

function readResult(row: Fields, result: Fields, keys: RowKeys): TranscriptFact {
  return {
    ...keys,
    kind: "tool-result",
    toolUseId: result.text("tool_use_id"),
    outcome: outcomeOf(row, result),
    content: result.json("content"),
    response: row.json("toolUseResult"),
    mcpMeta: row.json("mcpMeta"),
    startedAgentId: row.object("toolUseResult")?.text("agentId") ?? null,
  };
}

/** Starts of what the model is told of a call that was not allowed. */
const DENIED =
  /^(?:Claude requested permissions to |Permission to use .* has been denied|MCP tool \S+ has been denied|This command requires approval)/;

function outcomeOf(row: Fields, result: Fields): CallOutcome {
  if (row.raw("toolDenialKind") !== null) {
    if (row.flag("toolDenialBeforeRun")) return "denied";
    return row.raw("toolDenialKind") === "user-rejected" ? "interrupted" : "denied";
  }
  if (!result.flag("is_error")) return "ok";
  const blocks = result.objects("content");
  const content = blocks === null ? (result.raw("content") ?? "") : textOf(blocks);
  if (content.replace(/^Exit code \d+\n/, "").startsWith(INTERRUPTED)) return "interrupted";
  if (content.startsWith("The user doesn't want to ")) return "rejected";
  if (content.startsWith("<tool_use_error>")) return "not-run";
  return DENIED.test(content) ? "denied" : "error";
}

/** The text blocks of a content array, as one text. */
function textOf(blocks: Fields[]): string {
  return blocks.flatMap((block) => (block.raw("type") === "text" ? [block.raw("text") ?? ""] : [])).join("\n");
}

function endsTurn(stopReason: string | null): boolean | null {
  return stopReason === null ? null : stopReason !== "tool_use" && stopReason !== "pause_turn";
}

function readUsage(usage: Fields | null): TokenUsage | null {
  const inputTokens = usage?.amount("input_tokens") ?? null;
  const outputTokens = usage?.amount("output_tokens") ?? null;
  if (usage === null || inputTokens === null || outputTokens === null) return null;
  return {
    inputTokens,
    outputTokens,
    cacheReadTokens: usage.amount("cache_read_input_tokens") ?? 0,
    cacheCreationTokens: usage.amount("cache_creation_input_tokens") ?? 0,
  };
}
