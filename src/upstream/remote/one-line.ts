/**
 * A message of a server made fit for a line of the host: an HTTP body may be spread over lines, a line of stdio may not. Takes out
 * line ends between values, where they mean nothing, and touches no other byte.
 */

const LF = 0x0a;
const CR = 0x0d;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/**
 * The same message without its line ends: the same bytes, or a view of them, where none stands within it. Null when one stands
 * inside a string: that is no JSON, and no line can hold it.
 */
export function oneLine(bytes: Uint8Array): Uint8Array | null {
  const trimmed = withoutOuterLineEnds(bytes);
  if (!trimmed.includes(LF) && !trimmed.includes(CR)) return trimmed;
  const line = new Uint8Array(trimmed.length);
  let used = 0;
  let inString = false;
  for (let i = 0; i < trimmed.length; i++) {
    const byte = trimmed[i] ?? 0;
    if (byte === LF || byte === CR) {
      if (inString) return null;
      continue;
    }
    line[used++] = byte;
    if (byte === QUOTE) inString = !inString;
    else if (byte === BACKSLASH && inString && i + 1 < trimmed.length) {
      const escaped = trimmed[i + 1] ?? 0;
      if (escaped === LF || escaped === CR) return null;
      line[used++] = escaped;
      i++;
    }
  }
  return line.subarray(0, used);
}

function withoutOuterLineEnds(bytes: Uint8Array): Uint8Array {
  let start = 0;
  let end = bytes.length;
  while (start < end && isLineEnd(bytes[start])) start++;
  while (end > start && isLineEnd(bytes[end - 1])) end--;
  return start === 0 && end === bytes.length ? bytes : bytes.subarray(start, end);
}

function isLineEnd(byte: number | undefined): boolean {
  return byte === LF || byte === CR;
}
