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
  /** Not in every browser. */
  isRawJSON?(value: unknown): value is ExactNumber;
}

const SOURCE_JSON = JSON as unknown as JsonWithSource;

/** Deeper payloads are not followed: whoever walks one by calling itself has room for so much, wherever it is called from. */
const MAX_NESTING = 1000;
/** What holds payloads is nested this much deeper at most: an event, a run, a page of them. */
const AROUND_PAYLOADS = 64;

/** Parses one JSON text; throws SyntaxError as JSON.parse does, RangeError where it is nested too deeply. */
export function parseExact(text: string): unknown {
  if (isDeeper(text, MAX_NESTING + AROUND_PAYLOADS)) throw new RangeError("nested too deeply");
  return SOURCE_JSON.parse(text, (_key, value, { source }) =>
    typeof value === "number" && source !== undefined && String(value) !== source ? SOURCE_JSON.rawJSON(source) : value,
  );
}

/** True for a payload of JSON text that is nested deeper than any reader follows. */
export function isTooDeep(json: string): boolean {
  return isDeeper(json, MAX_NESTING);
}

function isDeeper(json: string, levels: number): boolean {
  // Each level is an opening and a closing sign.
  if (json.length <= 2 * levels) return false;
  let depth = 0;
  for (let at = 0; at < json.length; at++) {
    const code = json.charCodeAt(at);
    if (code === QUOTE) at = stringEnd(json, at);
    else if (code === OPEN_BRACE || code === OPEN_BRACKET) depth++;
    else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) depth--;
    if (depth > levels) return true;
  }
  return false;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/** Where the string that begins at `at` ends, or the text does. */
function stringEnd(json: string, at: number): number {
  for (let end = json.indexOf('"', at + 1); end >= 0; end = json.indexOf('"', end + 1)) {
    let before = end - 1;
    while (json.charCodeAt(before) === BACKSLASH) before--;
    if ((end - before) % 2 === 1) return end;
  }
  return json.length;
}

/** JSON text of a value from `parseExact`; `indent` spaces a level, or one line. */
export function stringifyExact(value: unknown, indent = 0): string {
  return JSON.stringify(value, null, indent) ?? "null";
}

/** True for a number that `parseExact` kept as text. */
export function isExactNumber(value: unknown): value is ExactNumber {
  return typeof value === "object" && SOURCE_JSON.isRawJSON?.(value) === true;
}

/**
 * A recorded payload as a value; null where there is none. Text that cannot be read as JSON (damaged, or nested deeper
 * than a reader can follow) is given as the string it is: it is the record, and worth showing.
 */
export function parsePayload(text: string | null): unknown {
  if (text === null) return null;
  if (isTooDeep(text)) return text;
  try {
    return parseExact(text);
  } catch {
    return text;
  }
}
