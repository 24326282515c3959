import type { RedactedJson } from "../../../core/redacted.ts";
import { canonicalJson } from "../../../jsonrpc/canonical-json.ts";

/**
 * What tells arguments apart without keeping them: equal for equal JSON values, whatever their spelling and the order of
 * their keys. For this process only.
 */
export function markOf(json: RedactedJson | null): string | null {
  return json === null ? null : Bun.hash(canonicalJson(json) ?? json).toString(36);
}
