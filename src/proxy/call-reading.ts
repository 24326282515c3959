import type { RedactedJson, RedactedText } from "../core/redacted.ts";
import { argumentsHash } from "../jsonrpc/arguments-hash.ts";
import { eachMember, stringValue } from "../jsonrpc/json-span.ts";
import { idKey } from "../jsonrpc/message.ts";
import { truncatedPayload } from "../record/truncate.ts";
import { redactJson, redactText } from "../redact/redact.ts";
import { eachCaptured, keysOf, members } from "./captured-members.ts";
import { CALL_ID_KEYS, SESSION_ID_KEYS } from "./host-keys.ts";
import type { ObservedMessage } from "./observed-message.ts";

/**
 * Reads tool calls out of requests, of every protocol version. Raw values that leave this file are only those that
 * correlation compares; whatever is recorded is redacted here.
 */

/** A `tools/call` request. */
export interface CallReading {
  tool: string;
  args: RedactedJson | null;
  truncated: boolean;
  callId: RedactedText | null;
  /** Fingerprint of the raw arguments, where the host gives no id and there is a key. */
  argsHash: string | null;
  sessionId: RedactedText | null;
  hostMeta: RedactedJson | null;
  /** The request certainly carried nothing of the host's in `_meta`: none at all, or only the protocol's own keys. */
  isUnmarked: boolean;
  progressKey: string | null;
  /** Set on a request that goes on with a call for which the server had asked for input. */
  requestState: string | null;
  inputKeys: string | null;
}

const PROTOCOL_KEYS = "io.modelcontextprotocol/";
const CLIENT_INFO = "io.modelcontextprotocol/clientInfo";

/** `hashKey`: the key of fingerprints, or null for none. */
export function readCall({ text, message, tail, totalBytes }: ObservedMessage, hashKey: string | null): CallReading {
  const reading: CallReading = {
    tool: "",
    args: null,
    truncated: false,
    callId: null,
    argsHash: null,
    sessionId: null,
    hostMeta: null,
    isUnmarked: false,
    progressKey: null,
    requestState: null,
    inputKeys: null,
  };
  let sawMeta = false;
  let rawArguments: string | null = null;
  const end = eachCaptured(text, message.params, tail, 2, (from) => ({
    name: (at, to) => {
      reading.tool = stringValue(from, at, to) ?? "";
    },
    arguments: (at, to) => {
      reading.truncated = to < 0;
      rawArguments = to < 0 || hashKey === null ? null : from.slice(at, to);
      reading.args = to < 0 ? truncatedPayload(totalBytes, from.slice(at), tail ?? "") : redactJson(from.slice(at, to));
    },
    _meta: (at, to) => {
      sawMeta = true;
      if (to >= 0) reading.isUnmarked = readMeta(from, at, reading);
    },
    requestState: (at, to) => {
      reading.requestState = stringValue(from, at, to);
    },
    inputResponses: (at) => {
      reading.inputKeys = keysOf(from, at);
    },
  }));
  if (!sawMeta) reading.isUnmarked = end >= 0 || message.params === null;
  if (reading.callId === null && rawArguments !== null && hashKey !== null) {
    reading.argsHash = argumentsHash(rawArguments, hashKey);
  }
  if (reading.args === null && message.params !== null && message.params.end < 0) {
    reading.truncated = true;
    reading.args = truncatedPayload(totalBytes, text.slice(message.params.start), tail ?? "");
  }
  return reading;
}

/** Answers whether the protocol's own keys are all there is. */
function readMeta(text: string, at: number, reading: CallReading): boolean {
  const kept: string[] = [];
  const ids = new Map<string, string>();
  let sawProtocolKey = false;
  eachMember(text, at, (key, start, end) => {
    if (end < 0) return;
    if (key === "progressToken") {
      reading.progressKey = idKey(text.slice(start, end));
      return;
    }
    if (key.startsWith(PROTOCOL_KEYS)) {
      sawProtocolKey = true;
      return;
    }
    kept.push(`${JSON.stringify(key)}:${text.slice(start, end)}`);
    const value = stringValue(text, start, end);
    if (value !== null) ids.set(key, value);
  });
  reading.callId = firstOf(ids, CALL_ID_KEYS);
  reading.sessionId = firstOf(ids, SESSION_ID_KEYS);
  reading.hostMeta = kept.length === 0 ? null : redactJson(`{${kept.join(",")}}`);
  return sawProtocolKey && kept.length === 0 && reading.progressKey === null;
}

function firstOf(ids: ReadonlyMap<string, string>, keys: readonly string[]): RedactedText | null {
  const id = ids.get(keys.find((key) => ids.has(key)) ?? "");
  return id === undefined ? null : redactText(id);
}

/** The client's name for itself: from the handshake, or from the `_meta` of a stateless request. */
export function readClient({ text, message }: ObservedMessage): { name: string; version: string | null } | null {
  let at = -1;
  members(text, message.params, {
    clientInfo: (start) => {
      if (message.method === "initialize") at = start;
    },
    _meta: (start) => {
      members(
        text,
        { start, end: -1 },
        {
          [CLIENT_INFO]: (from) => {
            at = from;
          },
        },
      );
    },
  });
  let name: string | null = null;
  let version: string | null = null;
  members(text, at < 0 ? null : { start: at, end: -1 }, {
    name: (start, end) => {
      name = stringValue(text, start, end);
    },
    version: (start, end) => {
      version = stringValue(text, start, end);
    },
  });
  return name === null ? null : { name, version };
}
