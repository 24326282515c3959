import { ConfigSyntaxError } from "./config-text.ts";
import { lineAndColumn } from "./text-place.ts";

/**
 * The bytes of a configuration file as text and back: what is not touched comes out byte for byte. Only UTF-8; anything else is refused,
 * never converted.
 */

export interface TextFile {
  /** Without the byte order mark. */
  text: string;
  hasByteOrderMark: boolean;
}

const MARK = [0xef, 0xbb, 0xbf];

/** Throws `ConfigSyntaxError` where the bytes are no UTF-8. */
export function decodeTextFile(bytes: Uint8Array): TextFile {
  if (isUtf16(bytes)) throw new ConfigSyntaxError("it is UTF-16, only UTF-8 can be edited: save it as UTF-8", 1, 1);
  const hasByteOrderMark = MARK.every((byte, at) => bytes[at] === byte);
  const body = hasByteOrderMark ? bytes.subarray(MARK.length) : bytes;
  try {
    return { text: decoder().decode(body), hasByteOrderMark };
  } catch {
    const before = decoder().decode(body.subarray(0, validLength(body)), { stream: true });
    const { line, column } = lineAndColumn(before, before.length);
    throw new ConfigSyntaxError("it has bytes that are not UTF-8: save it as UTF-8", line, column);
  }
}

export function encodeTextFile({ text, hasByteOrderMark }: TextFile): Uint8Array {
  const body = new TextEncoder().encode(text);
  if (!hasByteOrderMark) return body;
  const bytes = new Uint8Array(MARK.length + body.length);
  bytes.set(MARK);
  bytes.set(body, MARK.length);
  return bytes;
}

function decoder(): TextDecoder {
  return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
}

/** By its mark, or by the zero byte beside the first character: no configuration file begins with a character beyond Latin-1. */
function isUtf16(bytes: Uint8Array): boolean {
  const [first, second] = bytes;
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)) return true;
  return first !== undefined && second !== undefined && (first === 0) !== (second === 0);
}

/** How many bytes are read without fault. */
function validLength(bytes: Uint8Array): number {
  let good = 0;
  let bad = bytes.length;
  while (good < bad) {
    const middle = Math.ceil((good + bad) / 2);
    if (isValidStart(bytes.subarray(0, middle))) good = middle;
    else bad = middle - 1;
  }
  return good;
}

function isValidStart(bytes: Uint8Array): boolean {
  try {
    decoder().decode(bytes, { stream: true });
    return true;
  } catch {
    return false;
  }
}
