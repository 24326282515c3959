/**
 * JSON that comes out as it went in: a number that a double cannot hold, or would write differently
 * (`12345678901234567890`, `1.0`, `1e400`, `-0`), is kept as its source text. Used wherever a recorded payload is read,
 * so that what is printed is what was on the wire. Must never be used to decide anything: an exact number is an opaque
 * object (see `isExactNumber`). Repeated keys of one object keep the last value, as with JSON.parse.
 */

/** A number kept as its source text; JSON.stringify writes it verbatim. */
export interface ExactNumber {
  readonly rawJSON: string;
}

// Not yet in TypeScript's library: https://tc39.es/proposal-json-parse-with-source/
interface JsonWithSource {
  parse(text: string, reviver: (key: string, value: unknown, context: { source?: string }) => unknown): unknown;
  rawJSON(source: string): ExactNumber;
  isRawJSON(value: unknown): value is ExactNumber;
}

const SOURCE_JSON = JSON as unknown as JsonWithSource;

/** Parses one JSON text; throws SyntaxError as JSON.parse does, RangeError where it is nested too deeply. */
export function parseExact(text: string): unknown {
  return SOURCE_JSON.parse(text, (_key, value, { source }) =>
    typeof value === "number" && source !== undefined && String(value) !== source ? SOURCE_JSON.rawJSON(source) : value,
  );
}

/** JSON text of a value from `parseExact`; `indent` spaces a level, or one line. */
export function stringifyExact(value: unknown, indent = 0): string {
  return JSON.stringify(value, null, indent) ?? "null";
}

/** True for a number that `parseExact` kept as text. */
export function isExactNumber(value: unknown): value is ExactNumber {
  return SOURCE_JSON.isRawJSON(value);
}

/**
 * A recorded payload as a value; null where there is none. Text that cannot be read as JSON (damaged, or nested deeper
 * than a reader can follow) is given as the string it is: it is the record, and worth showing.
 */
export function parsePayload(text: string | null): unknown {
  if (text === null) return null;
  try {
    return parseExact(text);
  } catch {
    return text;
  }
}
