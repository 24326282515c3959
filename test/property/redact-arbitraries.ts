// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts hold references such as ${TOKEN}.

/** Generators for the redaction properties: texts and JSON made of what the engine reacts to. */

import fc from "fast-check";
import { TOKEN_RULES } from "../../src/redact/token-rules.ts";
import { expand, pemLine } from "../corpus/filler.ts";

/** A token of every shape that is masked as a whole. */
export function tokensOf(seed: string): readonly string[] {
  return TOKEN_RULES.filter((rule) => rule.keeps === undefined).map((rule, i) => expand(rule.sample, `${seed}${i}`));
}

const ATOMS = [
  ..."password passphrase token secret api_key apiKey Authorization Cookie env headers name value key credentials".split(
    " ",
  ),
  ..."max_tokens nextPageToken hunter2 correct true null 3 12345678 x type string # curl".split(" "),
  ...['"', "'", "`", "\\", "\\\\", '\\"', "\\n", "\n", "\t", " ", ": ", ":", "=", " = ", "=>", ":=", "=="],
  ...[
    "{",
    "}",
    "[",
    "]",
    ",",
    ";",
    "(",
    ")",
    "<",
    ">",
    "</",
    "&",
    "?",
    "@",
    "://",
    "--",
    "-u ",
    "-p",
    "Bearer ",
    "Basic ",
  ],
  ...[pemLine("BEGIN"), pemLine("END"), "MIIEabcdefghijklmnopqrstuvwxyz0123456789ABCDEF"],
  ...["\u001b[31m", "\\u0022", "\\/", "\\u0026", "\\u003d", "é", "語", "😀", "\ud800", "[REDACTED:key]", "[REDACTED:"],
  ...["${X}", "<x>", '"type":"string"', "a=b; c=d", "user:pw9x@h", "connection string"],
];

/** Any text, most of it of characters and words that mean something to the engine. */
export const text: fc.Arbitrary<string> = fc
  .array(
    fc.oneof(
      { weight: 9, arbitrary: fc.constantFrom(...ATOMS) },
      { weight: 1, arbitrary: fc.constantFrom(...tokensOf("somewhere")) },
      { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 4 }) },
    ),
    { maxLength: 24 },
  )
  .map((parts) => parts.join(""));

const KEYS =
  "a password token apiKey env headers name key value credentials secret header cookie authorization max_tokens type x-y tokens auth properties element text passphrase";

const key = fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...KEYS.split(" ")) }, { weight: 1, arbitrary: text });

/** Any JSON value; strings may hold JSON themselves. */
export const json: fc.Arbitrary<unknown> = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small", maxDepth: 4 },
    text,
    fc.constantFrom(null, true, false, 0, -1.5, 99, 12345678, 1e21),
    fc.array(tie("value"), { maxLength: 4 }),
    fc.array(fc.tuple(key, tie("value")), { maxLength: 4 }).map((entries) => Object.fromEntries(entries)),
    tie("value").map((value) => JSON.stringify(value)),
    tie("value").map((value) => JSON.stringify(value, null, 2)),
  ),
})).value;

/** JSON text in which some characters of strings are escaped that need not be, as other encoders do. */
export function escapeSome(source: string, seed: number): string {
  let state = seed;
  let inString = false;
  let out = "";
  for (let i = 0; i < source.length; i++) {
    const c = source.charAt(i);
    if (inString && c === "\\") {
      const length = source.charAt(i + 1) === "u" ? 6 : 2;
      out += source.slice(i, i + length);
      i += length - 1;
      continue;
    }
    if (c === '"') inString = !inString;
    state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff;
    const isChosen = inString && c !== '"' && c >= " " && c < "\x7f" && (state >> 16) % 7 === 0;
    if (!isChosen) out += c;
    else out += c === "/" ? "\\/" : `\\u00${c.charCodeAt(0).toString(16).padStart(2, "0")}`;
  }
  return out;
}

/**
 * What differs in structure between two JSON values, null when nothing does: keys, their order, lengths and literals are
 * the same, strings are strings, a number may have become a marker; so it is in JSON held in strings.
 */
export function structureDiffers(before: unknown, after: unknown, path = ""): string | null {
  if (typeof before === "string") {
    if (typeof after !== "string") return `${path}: a string became something else`;
    const inner = parsed(before);
    if (typeof inner !== "object" || inner === null || before === after || /^\[REDACTED:[a-z0-9-]+\]$/.test(after))
      return null;
    const innerAfter = parsed(after);
    return innerAfter === undefined
      ? `${path}: no longer parses: ${after}`
      : structureDiffers(inner, innerAfter, `${path}/$`);
  }
  if (typeof before !== "object" || before === null) {
    const isMasked = typeof before === "number" && after === "[REDACTED:key]";
    return before === after || isMasked ? null : `${path}: ${before} became ${after}`;
  }
  if (typeof after !== "object" || after === null || Array.isArray(before) !== Array.isArray(after))
    return `${path}: another kind`;
  const entries = Object.entries(before);
  const others = Object.entries(after);
  // Two keys that hold tokens may become one name.
  if (others.length < entries.length && others.some(([name]) => name.includes("[REDACTED:"))) return null;
  if (entries.length !== others.length) return `${path}: ${entries.length} members became ${others.length}`;
  for (let i = 0; i < entries.length; i++) {
    const [key = ""] = entries[i] ?? [];
    const [keyAfter = ""] = others[i] ?? [];
    // A key may hold a token, which is masked; a plain name never changes.
    const isName = /^[\w-]{0,16}$/.test(key);
    if (keyAfter !== key && (isName || !keyAfter.includes("[REDACTED:")))
      return `${path}: the key ${key} became ${keyAfter}`;
    const found = structureDiffers(entries[i]?.[1], others[i]?.[1], `${path}/${entries[i]?.[0]}`);
    if (found !== null) return found;
  }
  return null;
}

function parsed(source: string): unknown {
  try {
    return JSON.parse(source);
  } catch {
    return undefined;
  }
}
