/**
 * Redaction as a type. Only `src/redact` makes values of these types from what came off a wire, and nothing that goes
 * to a disk or to another process is built from anything else.
 */

declare const redacted: unique symbol;

/** Plain text in which every secret reads `[REDACTED:kind]`. */
export type RedactedText = string & { readonly [redacted]: "text" };

/** The text of one JSON value in which every secret reads `[REDACTED:kind]`; parses as JSON. */
export type RedactedJson = string & { readonly [redacted]: "json" };
