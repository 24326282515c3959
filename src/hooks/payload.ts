import type { RedactedJson } from "../core/redacted.ts";
import { describeMedia } from "../record/media.ts";
import { truncatedPayload } from "../record/truncate.ts";
import { redactJson } from "../redact/redact.ts";

/**
 * The recorded form of a JSON value that a host told: its own text, redacted, with media replaced by size and hash, and of
 * a value over the bound only the start and the end. Must never write a value anew: numbers and escapes stay as they were.
 */

/** Characters of one payload that are kept whole. */
export const MAX_PAYLOAD_CHARS = 128 * 1024;
const TAIL_CHARS = 4 * 1024;

/** Base64 in the two forms in which Claude Code holds files: a model's image or document, and what its Read tool gives. */
const MEDIA = /("source":\{"type":"base64","media_type":"[^"\\]*",|"file":\{)"(?:data|base64)":"([A-Za-z0-9+/=]+)"/g;

/** The payload for a complete, valid JSON text. */
export function capturedPayload(json: string): RedactedJson {
  const text = withoutMedia(json);
  if (text.length <= MAX_PAYLOAD_CHARS) return redactJson(text);
  return truncatedPayload(Buffer.byteLength(json), text.slice(0, MAX_PAYLOAD_CHARS), text.slice(-TAIL_CHARS));
}

/** The payload for the start of a JSON text whose rest never came; its size is that of what came. */
export function cutPayload(head: string): RedactedJson {
  return truncatedPayload(Buffer.byteLength(head), withoutMedia(head).slice(0, MAX_PAYLOAD_CHARS), "");
}

function withoutMedia(json: string): string {
  if (!json.includes('base64"')) return json;
  return json.replace(MEDIA, (_, before: string, base64: string) => {
    return before + describeMedia(base64);
  });
}
