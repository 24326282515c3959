import type { RedactedJson } from "../core/redacted.ts";
import { redactFragment, redactHead } from "../redact/fragment.ts";
import { trustedJson } from "../redact/redact.ts";
import { elideMediaRuns } from "./media.ts";

/**
 * What is recorded of a payload that was too large to capture: its size, and its start and end as redacted text.
 */

/** The `TruncatedPayload` for a message of `originalBytes`; `head` and `tail` are its captured ends. */
export function truncatedPayload(originalBytes: number, head: string, tail: string): RedactedJson {
  const start = redactHead(elideMediaRuns(head));
  const end = start.endsInsideSecret ? "" : redactFragment(tail, { cutStart: true, cutEnd: false });
  return trustedJson(JSON.stringify({ truncated: true, originalBytes, head: start.text, tail: end }));
}
