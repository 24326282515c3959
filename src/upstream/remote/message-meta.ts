import { closingMembers, eachMember, skipSpace, stringValue } from "../../jsonrpc/json-span.ts";
import { type Message, readMessage, readMessages, type Span } from "../../jsonrpc/message.ts";

/**
 * What the transport has to know of a host's message, read from its text: which protocol era it was made under, what it names, and
 * where its arguments are. Reads only; where a key is written twice the last one counts, as it does for a server that parses JSON.
 */

export interface HostMessage {
  kind: Message["kind"];
  /** The id as written; null when there is none. */
  rawId: string | null;
  method: string | null;
  /** The protocol version that the message itself claims: what makes it a modern one (2026-07-28 or later); null for legacy. */
  protocolVersion: string | null;
  /** What a modern request names, as its `Mcp-Name` header tells it: a tool, a prompt, a resource's URI, a task; else null. */
  name: string | null;
  /** `params.arguments`; null when there are none. An `end` of -1 says that the text was cut. */
  arguments: Span | null;
  /** It asks for a further page of a list, not for its start. */
  hasCursor: boolean;
  /** Of a `notifications/cancelled`: the id of the request that is not wanted any more, as written; else null. */
  cancelledRawId: string | null;
}

export interface HostLine {
  /** Several messages in an array (2025-03-26), be it of one. */
  isBatch: boolean;
  /** Empty when the line is no JSON-RPC. Their spans are places in the whole line. */
  messages: HostMessage[];
}

/** Where a message of the stateless protocol says its version, in `params._meta`. */
export const VERSION_KEY = "io.modelcontextprotocol/protocolVersion";
const OPEN_BRACKET = 0x5b;

/**
 * Which parameter of which method `Mcp-Name` repeats (2026-07-28, "Standard Request Headers"; the tasks extension for its own).
 */
const NAMING_PARAMETERS: ReadonlyMap<string, string> = new Map([
  ["tools/call", "name"],
  ["prompts/get", "name"],
  ["resources/read", "uri"],
  ["tasks/get", "taskId"],
  ["tasks/update", "taskId"],
  ["tasks/cancel", "taskId"],
]);

/** The messages of one line of the host. */
export function readHostLine(line: string): HostLine {
  const isBatch = line.charCodeAt(skipSpace(line, 0)) === OPEN_BRACKET;
  return { isBatch, messages: readMessages(line).map((message) => describe(message, line, null)) };
}

/** The message of a line of which only the start and the end were kept; null when nothing there looks like one. */
export function readCutHostLine(head: string, tail: string): HostMessage | null {
  const message = readMessage(head, 0, tail);
  return message === null ? null : describe(message, head, tail);
}

function describe(message: Message, text: string, tail: string | null): HostMessage {
  const { kind, rawId, method, params } = message;
  const found: HostMessage = {
    kind,
    rawId,
    method,
    protocolVersion: null,
    name: null,
    arguments: null,
    hasCursor: false,
    cancelledRawId: null,
  };
  if (params === null || method === null) return found;
  const naming = NAMING_PARAMETERS.get(method);
  const read = (source: string, key: string, start: number, end: number): void => {
    if (key === "_meta") found.protocolVersion = claimedVersion(source, start);
    else if (key === "cursor") found.hasCursor = !source.startsWith("null", start);
    else if (key === naming) found.name = stringValue(source, start, end);
    else if (key === "requestId" && method === "notifications/cancelled") {
      found.cancelledRawId = end < 0 ? null : source.slice(start, end);
    }
  };
  const end = eachMember(text, params.start, (key, from, to) => {
    if (key === "arguments") found.arguments = { start: from, end: to };
    read(text, key, from, to);
  });
  // Clients write `_meta` after the arguments, and those are what is long.
  const closing = end < 0 && tail !== null ? closingMembers(tail, 2) : null;
  if (closing !== null) eachMember(closing, 0, (key, from, to) => read(closing, key, from, to));
  return found;
}

function claimedVersion(text: string, start: number): string | null {
  let version: string | null = null;
  eachMember(text, start, (key, from, to) => {
    if (key === VERSION_KEY) version = stringValue(text, from, to);
  });
  return version;
}
