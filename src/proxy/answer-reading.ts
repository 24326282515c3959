import type { RedactedJson, RedactedText } from "../core/redacted.ts";
import { eachElement, stringValue } from "../jsonrpc/json-span.ts";
import type { Span } from "../jsonrpc/message.ts";
import { elideMedia } from "../record/media.ts";
import { truncatedPayload } from "../record/truncate.ts";
import { redactJson, redactText, trustedText } from "../redact/redact.ts";
import { eachCaptured, keysOf, members } from "./captured-members.ts";
import type { ObservedMessage } from "./observed-message.ts";
import type { InputRequired } from "./paused-calls.ts";

/**
 * Reads what became of a tool call out of answers and of news about tasks, of every protocol version. Raw values that
 * leave this file are only those that correlation compares; whatever is recorded is redacted here.
 */

/** What became of a call. */
export interface OutcomeReading {
  result: RedactedJson | null;
  rpcError: RedactedJson | null;
  isError: boolean;
  error: RedactedText | null;
  truncated: boolean;
}

/** What became of a task. */
export interface TaskReading {
  taskId: string | null;
  done: "completed" | "failed" | "cancelled" | null;
  message: RedactedText | null;
  /** The call's own outcome, where the news of its task holds it. */
  outcome: OutcomeReading | null;
}

/** An answer to a tool call, or to a request about a task. */
export interface AnswerReading extends OutcomeReading {
  inputRequired: InputRequired | null;
  /** What the answer tells of a task. */
  task: TaskReading | null;
  /** The answer promises a task: the call goes on. */
  isTaskHandle: boolean;
}

/** Longest error text that a step repeats from its result. */
const ERROR_CHARS = 2_000;
const OPEN_BRACE = 0x7b;

export function readAnswer(observed: ObservedMessage): AnswerReading {
  const { error, result } = observed.message;
  if (error !== null) return { ...readError(observed, error), ...NO_MORE };
  if (result === null) return { ...NO_OUTCOME, ...NO_MORE };
  const found = resultMembers(observed, result, 2);
  const reading: AnswerReading = { ...outcomeOf(observed, result, found), ...NO_MORE };
  if (found.resultType === "input_required") {
    reading.inputRequired = { requestState: found.requestState, inputKeys: found.inputKeys };
  }
  if (found.task !== null) reading.task = readTask(observed, found.task);
  else if (found.hasTaskId) reading.task = readTask(observed, result);
  // A result of the call itself may well speak of a task of its own.
  const isHandle = found.resultType === "task" || (found.task !== null && found.contentAt < 0);
  reading.isTaskHandle = isHandle && reading.task?.taskId != null;
  return reading;
}

const NO_OUTCOME: OutcomeReading = { result: null, rpcError: null, isError: false, error: null, truncated: false };
const NO_MORE = { inputRequired: null, task: null, isTaskHandle: false };

interface ResultMembers {
  isError: boolean;
  /** Where `content` begins, or -1. */
  contentAt: number;
  resultType: string | null;
  requestState: string | null;
  inputKeys: string;
  task: Span | null;
  hasTaskId: boolean;
}

/** Looks through the result at `body`; `depth` says how deep in its message it stands. */
function resultMembers({ text, tail }: ObservedMessage, body: Span, depth: number): ResultMembers {
  const found: ResultMembers = {
    isError: false,
    contentAt: -1,
    resultType: null,
    requestState: null,
    inputKeys: "",
    task: null,
    hasTaskId: false,
  };
  eachCaptured(text, body, tail, depth, (from) => ({
    isError: (at, to) => {
      found.isError = from.slice(at, to) === "true";
    },
    content: (at) => {
      if (from === text) found.contentAt = at;
    },
    resultType: (at, to) => {
      found.resultType = stringValue(from, at, to);
    },
    requestState: (at, to) => {
      found.requestState = stringValue(from, at, to);
    },
    inputRequests: (at) => {
      found.inputKeys = keysOf(from, at);
    },
    task: (at, to) => {
      if (from === text && text.charCodeAt(at) === OPEN_BRACE) found.task = { start: at, end: to };
    },
    taskId: () => {
      found.hasTaskId = true;
    },
  }));
  return found;
}

function outcomeOf(observed: ObservedMessage, body: Span, { isError, contentAt }: ResultMembers): OutcomeReading {
  const { recorded: result, truncated } = recordedBody(observed, body, elideMedia);
  const error = isError && contentAt >= 0 ? firstText(observed.text, contentAt) : null;
  return { result, rpcError: null, isError, error, truncated };
}

/** Reads the JSON-RPC error that ended a call. */
function readError(observed: ObservedMessage, body: Span): OutcomeReading {
  const { recorded: rpcError, truncated } = recordedBody(observed, body, (json) => json);
  return { result: null, rpcError, isError: true, error: rpcErrorText(observed.text, body), truncated };
}

function recordedBody(
  { text, tail, totalBytes }: ObservedMessage,
  { start, end }: Span,
  shorten: (json: string) => string,
): { recorded: RedactedJson; truncated: boolean } {
  return end < 0
    ? { recorded: truncatedPayload(totalBytes, text.slice(start), tail ?? ""), truncated: true }
    : { recorded: redactJson(shorten(text.slice(start, end))), truncated: false };
}

/** Reads a task's fields from the object at `span`: a task, a status notification's params, a request's params. */
export function readTask(observed: ObservedMessage, span: Span | null): TaskReading {
  const { text, tail } = observed;
  const reading: TaskReading = { taskId: null, done: null, message: null, outcome: null };
  eachCaptured(text, span, tail, 2, (from) => ({
    taskId: (at, to) => {
      reading.taskId = stringValue(from, at, to);
    },
    status: (at, to) => {
      const status = stringValue(from, at, to);
      if (status === "completed" || status === "failed" || status === "cancelled") reading.done = status;
    },
    statusMessage: (at, to) => {
      const message = stringValue(from, at, to);
      if (message !== null) reading.message = shortText(message);
    },
    result: (start, end) => {
      if (from !== text) return;
      const body = { start, end };
      reading.outcome = outcomeOf(observed, body, resultMembers(observed, body, 3));
    },
    error: (start, end) => {
      const isObject = from === text && text.charCodeAt(start) === OPEN_BRACE;
      if (isObject) reading.outcome = readError(observed, { start, end });
    },
  }));
  return reading;
}

function rpcErrorText(text: string, span: Span): RedactedText | null {
  let found: string | null = null;
  members(text, span, {
    message: (at, to) => {
      found = stringValue(text, at, to);
    },
  });
  return found === null ? null : shortText(found);
}

/** The first text in the content that begins at `at`. */
function firstText(text: string, at: number): RedactedText | null {
  let found: string | null = null;
  eachElement(text, at, (_, block) => {
    if (found !== null) return;
    members(
      text,
      { start: block, end: -1 },
      {
        text: (start, end) => {
          found = stringValue(text, start, end);
        },
      },
    );
  });
  return found === null ? null : shortText(found);
}

/** Redacted first, then cut: a cut never leaves a part of a secret. */
function shortText(text: string): RedactedText {
  return trustedText(redactText(text).slice(0, ERROR_CHARS));
}
