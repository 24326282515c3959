/**
 * Redaction: the only place where text that came off a wire becomes `RedactedText` or `RedactedJson`. Owns the entry points;
 * everything is a pure function of the text and the one switch. Deterministic and idempotent: `redact(redact(x))` is
 * `redact(x)`. Returns the very same string when there is nothing to mask. Must never throw on any text.
 */

import type { RedactedJson, RedactedText } from "../core/redacted.ts";
import { setLegacyKeys } from "./key-cache.ts";
import { theScan } from "./scan.ts";
import { moveToOrigin, readUnescaped } from "./unescape.ts";

/** `legacyKeys` (`BIR_REDACT_LEGACY_KEYS=1`): mask the value of any key that merely contains a secret word. */
export function configureRedaction(options: { legacyKeys: boolean }): void {
  setLegacyKeys(options.legacyKeys);
}

/**
 * Masks the secrets in the text of one complete, valid JSON value. The result is JSON of the same structure: keys, order,
 * escapes and every unmasked value are untouched; a masked number becomes a string.
 */
export function redactJson(text: string): RedactedJson {
  return mask(text, false).text as RedactedJson;
}

/** Masks the secrets in any text; JSON in it, escaped or not, stays well-formed. */
export function redactText(text: string): RedactedText {
  return mask(text, false).text as RedactedText;
}

/** Takes over a text of our own making: an id, a constant. Never one that came from outside. */
export function trustedText(text: string): RedactedText {
  return text as RedactedText;
}

/** Takes over JSON of our own making. Never any that came from outside. */
export function trustedJson(text: string): RedactedJson {
  return text as RedactedJson;
}

/** A text with its secrets masked, and how it ends. */
export interface Masked {
  text: string;
  /** The end lies inside a value that is, or could be, a secret. */
  openAtEnd: boolean;
}

/** Passes after which a text that still changes is left as it is; two or three are the rule. */
const MAX_PASSES = 16;

/** Masks `text`; with `cutEnd`, what touches its end is incomplete and masked on less evidence. */
export function mask(text: string, cutEnd: boolean): Masked {
  const masked = { text, openAtEnd: false };
  // What a mask covered may have hidden or spoiled something beside it: such a text is read again until nothing changes.
  for (let pass = 0; pass < MAX_PASSES && maskOnce(masked, cutEnd); pass++);
  return masked;
}

/** One pass over `masked.text`; true when another may find more. */
function maskOnce(masked: Masked, cutEnd: boolean): boolean {
  const scan = theScan;
  scan.begin(masked.text, cutEnd);
  scan.range(scan, 0, masked.text.length);
  if (scan.needsUnescape) {
    const reading = readUnescaped(masked.text);
    scan.begin(reading.text, cutEnd, true);
    scan.range(scan, 0, reading.text.length);
    moveToOrigin(scan.masks, reading);
  }
  if (scan.openAtEnd) masked.openAtEnd = true;
  masked.text = scan.masks.apply(masked.text);
  const again = scan.masks.isLoose;
  scan.end();
  return again;
}
