import type { RedactedText } from "../../core/redacted.ts";
import { redactText, trustedText } from "../../redact/redact.ts";

/**
 * Ids that senders chose, as the store keeps them. An id is kept as it is, unless it could be a secret or is no well-formed
 * text: then it is masked, and a digest of the whole keeps it apart from others. The same id always reads the same.
 */
export function storedId(id: string): RedactedText {
  const kept = redactText(id.toWellFormed());
  return kept === id ? kept : trustedText(`${kept}~${digest(id)}`);
}

/** The id of the step that a sender's row begins, which knows nothing of step ids: no other run's step has it. */
export function stepIdOfRow(runId: string, rowId: string): RedactedText {
  return trustedText(`step_${digest(`${runId}\u0000${rowId}`)}`);
}

/** For a step id that another run has already. */
export function stepIdInRun(runId: string, stepId: string): RedactedText {
  return trustedText(`${stepId}~${digest(runId).slice(0, 8)}`);
}

/** 96 bits. Code unit by code unit, so that ids that differ in half a character do not fall together. */
function digest(text: string): string {
  return new Bun.CryptoHasher("sha256").update(Buffer.from(text, "utf16le")).digest("hex").slice(0, 24);
}
