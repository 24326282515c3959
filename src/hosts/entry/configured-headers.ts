/** The headers in the variable that the proxy reads them from: a JSON object of strings. Never throws. Pure. */

/** Null for anything else. */
export function parseHeaders(text: unknown): Record<string, string> | null {
  if (typeof text !== "string") return null;
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== "object" || value === null || Array.isArray(value)) return null;
    return Object.values(value).every((one) => typeof one === "string") ? (value as Record<string, string>) : null;
  } catch {
    return null;
  }
}
