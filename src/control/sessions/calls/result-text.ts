import type { RedactedJson, RedactedText } from "../../../core/redacted.ts";
import { trustedText } from "../../../redact/redact.ts";

/** The words of a result as a model was shown it: a text, or blocks of which some are text. Null where there are none. */
export function resultText(content: RedactedJson | null): RedactedText | null {
  if (content === null) return null;
  let value: unknown;
  try {
    value = JSON.parse(content);
  } catch {
    return null;
  }
  if (typeof value === "string") return trustedText(value);
  if (!Array.isArray(value)) return null;
  const texts = value.flatMap((block) => (isText(block) ? [block.text] : []));
  return texts.length === 0 ? null : trustedText(texts.join("\n"));
}

function isText(block: unknown): block is { text: string } {
  return typeof block === "object" && block !== null && typeof (block as { text?: unknown }).text === "string";
}
