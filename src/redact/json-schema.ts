/**
 * Tells a description of a secret from a secret: tool schemas and OpenAPI documents have objects under `password`. Owns
 * that one question. Linear over a whole text: it reads flat members only and stops at the first nested one.
 */

import { skipSpace } from "./escapes.ts";
import {
  afterQuote,
  COLON,
  COMMA,
  contentEnd,
  contentStart,
  literalEnd,
  OPEN_BRACE,
  OPEN_BRACKET,
  stringStarts,
} from "./json-text.ts";
import { words } from "./lazy.ts";

const SCHEMA_KEYS = words(
  "$ref $schema anyOf oneOf allOf enum properties patternProperties items additionalProperties const",
);
const JSON_TYPES = words("string object array number integer boolean null file");

/** Characters of an object that are looked at. */
const LOOK_AHEAD = 4096;

/**
 * True for a JSON Schema where a secret's value would be (`"password": {"type": "string"}`). An object that has a string
 * `value` beside its `type` is none (`terraform output -json`).
 */
export function isSchema(text: string, at: number, width: number): boolean {
  if (text.charCodeAt(at) !== OPEN_BRACE) return false;
  let typed = false;
  let i = at;
  do {
    i = skipSpace(text, i + 1);
    const keyAt = contentStart(i, width);
    const keyEnd = stringStarts(text, i, width) ? contentEnd(text, keyAt, width) : -1;
    if (keyEnd < 0) return typed;
    const key = text.slice(keyAt, Math.min(keyEnd, keyAt + 24));
    i = skipSpace(text, afterQuote(text, keyEnd));
    if (text.charCodeAt(i) !== COLON) return typed;
    if (SCHEMA_KEYS.has(key)) return true;
    i = skipSpace(text, i + 1);
    const c = text.charCodeAt(i);
    if (c === OPEN_BRACE || c === OPEN_BRACKET) return typed || (key === "type" && c === OPEN_BRACKET);
    if (stringStarts(text, i, width)) {
      const valueAt = contentStart(i, width);
      const end = contentEnd(text, valueAt, width);
      if (end < 0) return typed;
      if (key === "value") return false;
      if (key === "type" && JSON_TYPES.has(text.slice(valueAt, Math.min(end, valueAt + 12)))) typed = true;
      i = skipSpace(text, afterQuote(text, end));
    } else {
      i = skipSpace(text, literalEnd(text, i));
    }
  } while (i < at + LOOK_AHEAD && text.charCodeAt(i) === COMMA);
  return typed;
}
