import type { RedactedJson, RedactedText } from "../../core/redacted.ts";
import { elideMedia } from "../../record/media.ts";
import { truncatedPayload } from "../../record/truncate.ts";
import { redactHead } from "../../redact/fragment.ts";
import { redactJson, redactText, trustedText } from "../../redact/redact.ts";

/**
 * What is kept of the texts and payloads that a sender told: redacted here, since this process is the first of ours that reads
 * them, and bounded. What another bir sends was redacted and cut there already, and comes out as it is.
 */

/** Characters of a payload that are kept whole. */
const MAX_PAYLOAD_CHARS = 128 * 1024;
/** Of a payload that another bir kept whole: markers may have made it longer than what it bounded. */
const MAX_RECORDED_CHARS = 2 * MAX_PAYLOAD_CHARS;
/** Of what stands for a longer one: its start and end are JSON in a string, each character of which may take six. */
const MAX_STAND_IN_CHARS = 1024 * 1024;
const TAIL_CHARS = 4 * 1024;

/** Characters of a text that are kept; a little above the recorder's own bound, so that what that has cut is not cut again. */
const MAX_TEXT_CHARS = 513 * 1024;

const STAND_IN = /^\s*\{\s*"truncated"\s*:\s*true\s*,\s*"originalBytes"\s*:\s*\d+\s*,\s*"head"\s*:\s*"/;

/** The recorded form of a payload of this JSON text; null where there is none. `isRecorded`: another bir tells it. */
export function payloadOf(json: string | null, isRecorded: boolean): RedactedJson | null {
  if (json === null || json === "null") return null;
  const text = isRecorded ? json : elideMedia(json);
  if (text.length <= (isRecorded ? MAX_RECORDED_CHARS : MAX_PAYLOAD_CHARS) || isStandIn(text)) return redactJson(text);
  return truncatedPayload(Buffer.byteLength(json), text.slice(0, MAX_PAYLOAD_CHARS), text.slice(-TAIL_CHARS));
}

/** A text as it is kept. */
export function recordedText(text: string): RedactedText {
  if (text.length <= MAX_TEXT_CHARS) return redactText(text);
  const head = redactHead(text.slice(0, MAX_TEXT_CHARS)).text;
  return trustedText(`${head}… [${text.length - MAX_TEXT_CHARS} characters more]`);
}

export function recordedOrNull(text: string | null): RedactedText | null {
  return text === null ? null : recordedText(text);
}

/** A value that should be a text, in words: what is none reads as its JSON. Null where nothing was told. */
export function wordsOf(value: unknown): string | null {
  if (value === undefined || value === null) return null;
  if (typeof value === "string") return value;
  try {
    return JSON.stringify(value);
  } catch {
    return "[nested too deeply to be written]";
  }
}

function isStandIn(text: string): boolean {
  return text.length <= MAX_STAND_IN_CHARS && STAND_IN.test(text.slice(0, 256));
}
