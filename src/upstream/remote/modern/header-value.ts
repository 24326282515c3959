/**
 * A value as the field value of an `Mcp-Name` or `Mcp-Param-*` header (2026-07-28, Streamable HTTP, "Value Encoding"): as it is where
 * that is safe, else wrapped as `=?base64?…?=`. Nothing that comes out of here can end a header or begin another.
 */

const WRAP_START = "=?base64?";
const WRAP_END = "?=";
/** Printable ASCII, with spaces and tabs only inside. */
const PLAIN = /^[!-~](?:[\t -~]*[!-~])?$/;

/** True where a field value of HTTP can hold `value` and every peer reads it back as it was. */
export function isPlainHeaderValue(value: string): boolean {
  return PLAIN.test(value);
}

/**
 * The field value that stands for `value`. The empty string is wrapped too, as the official SDK does: an empty field does not survive
 * every intermediary. What looks wrapped already is wrapped, or a reader would unwrap it.
 */
export function encodedHeaderValue(value: string): string {
  const looksWrapped = value.startsWith(WRAP_START) && value.endsWith(WRAP_END);
  if (isPlainHeaderValue(value) && !looksWrapped) return value;
  return `${WRAP_START}${Buffer.from(value, "utf8").toString("base64")}${WRAP_END}`;
}
