/**
 * What stands with every answer: recorded content never becomes anything that a browser runs, frames, guesses at, keeps, or
 * tells another site of.
 */

const ALWAYS: Readonly<Record<string, string>> = {
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; " +
    "form-action 'none'; frame-ancestors 'none'",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
};

/** Adds them to the headers of an answer. */
export function protect(headers: Headers): void {
  for (const [name, value] of Object.entries(ALWAYS)) headers.set(name, value);
  if (!headers.has("cache-control")) headers.set("cache-control", "no-store");
}
