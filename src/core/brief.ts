/**
 * A payload in brief: what a list of many calls needs of arguments and results that may be large. Whoever shows one call
 * fetches it whole. Pure.
 */

/** Payloads whose JSON text is no longer stay as they are. UTF-16 units. */
export const BRIEF_LENGTH = 600;

/** What stands for a payload that is longer. */
export interface BriefPayload {
  brief: true;
  /** Length of the whole JSON text in UTF-16 units. */
  length: number;
  /** The beginning of the JSON text. */
  head: string;
}

/** True for what stands for a longer payload. */
export function isBrief(payload: unknown): payload is BriefPayload {
  return typeof payload === "object" && payload !== null && (payload as { brief?: unknown }).brief === true;
}

/** What stands for a payload of this JSON text; null where the text is short enough to be read whole. */
export function briefOf(json: string): BriefPayload | null {
  if (json.length <= BRIEF_LENGTH) return null;
  return { brief: true, length: json.length, head: json.slice(0, BRIEF_LENGTH).toWellFormed() };
}

/** A long text in brief: its beginning, and an ellipsis. */
export function briefText(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length).toWellFormed()}…`;
}
