import { closingMembers, eachElement, eachMember, skipSpace, stringValue } from "./json-span.ts";

/**
 * The envelope of a JSON-RPC message, read from a copy of its text. Bodies stay text: a `Span` says where they are.
 * Ids are compared as (type, value), so `1` and `"1"` are different ids.
 */

/** A value's place in the text; `end` is -1 when the text was cut off inside it. */
export interface Span {
  start: number;
  end: number;
}

export interface Message {
  /** `request` has a method and an id (null counts as one), `response` an id and no method. */
  kind: "request" | "notification" | "response" | "other";
  /** The id as written, e.g. `7` or `"7"`; null when there is none. */
  rawId: string | null;
  method: string | null;
  params: Span | null;
  result: Span | null;
  error: Span | null;
}

/** Key under which an id is compared: equal for `1` and `1.0`, different for `1` and `"1"`. */
export function idKey(rawId: string): string {
  if (rawId.charCodeAt(0) === 0x22) return `s${stringValue(rawId, 0, rawId.length) ?? rawId}`;
  const number = Number(rawId);
  return Number.isSafeInteger(number) ? `n${number}` : `n${rawId}`;
}

/** The messages of one line: none where it is no JSON-RPC, several where it is a batch. */
export function readMessages(line: string): Message[] {
  const start = skipSpace(line, 0);
  if (line.charCodeAt(start) !== 0x5b) {
    const one = readMessage(line, start, null);
    return one === null ? [] : [one];
  }
  const found: Message[] = [];
  eachElement(line, start, (_key, from) => {
    const one = readMessage(line, from, null);
    if (one !== null) found.push(one);
  });
  return found;
}

/**
 * The message that starts at `at`. `tail` is the end of a line whose middle was not captured: it may hold the members
 * that come last. Null when nothing there looks like a message.
 */
export function readMessage(text: string, at: number, tail: string | null): Message | null {
  const message: Message = { kind: "other", rawId: null, method: null, params: null, result: null, error: null };
  const end = eachMember(text, skipSpace(text, at), (key, from, to) => {
    if (to > from) readScalar(message, text, key, from, to);
    if (key === "params" || key === "result") message[key] = { start: from, end: to };
    // Some servers write `"error": null` beside their result.
    else if (key === "error") message.error = text.startsWith("null", from) ? null : { start: from, end: to };
  });
  if (end < 0) {
    if (tail === null) return null;
    const closing = closingMembers(tail, 1);
    if (closing !== null) eachMember(closing, 0, (key, from, to) => readScalar(message, closing, key, from, to));
  }
  message.kind = kindOf(message);
  return message.kind === "other" ? null : message;
}

function readScalar(message: Message, text: string, key: string, from: number, to: number): void {
  if (key === "id") message.rawId = text.slice(from, to);
  else if (key === "method") message.method = stringValue(text, from, to);
}

function kindOf(message: Message): Message["kind"] {
  if (message.method !== null) return message.rawId === null ? "notification" : "request";
  return message.rawId !== null && (message.result !== null || message.error !== null) ? "response" : "other";
}
