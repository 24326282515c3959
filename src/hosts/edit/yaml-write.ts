import { isPlainObject } from "./text-place.ts";

/** Values and keys as YAML text: in lines, and in brackets. */

export interface YamlLayout {
  eol: string;
  /** Spaces by which a map in a map is indented. */
  unit: number;
  /** Spaces by which a list's dashes are indented in a map. */
  dash: number;
  /** Lists are written as lines, else in brackets. */
  blockLists: boolean;
}

/** `key: value` at a column; without the indentation of its first line. */
export function writePair(key: string, value: unknown, column: number, layout: YamlLayout): string {
  return `${writeString(key)}:${writeBehindColon(value, column, layout)}`;
}

/** What follows the colon of a key at a column, with the space or line end before it. */
export function writeBehindColon(value: unknown, column: number, layout: YamlLayout): string {
  if (isPlainObject(value) && definedOf(value).length > 0) {
    return lineStart(column + layout.unit, layout) + writeMap(value, column + layout.unit, layout);
  }
  if (Array.isArray(value) && value.length > 0 && (layout.blockLists || value.some(isPlainObject))) {
    return lineStart(column + layout.dash, layout) + writeList(value, column + layout.dash, layout);
  }
  return ` ${writeFlow(value)}`;
}

/** The members of an object, at a column. */
export function writeMap(value: Record<string, unknown>, column: number, layout: YamlLayout): string {
  const pairs = definedOf(value).map(([key, member]) => writePair(key, member, column, layout));
  return pairs.join(lineStart(column, layout));
}

/** The elements of a list with their dashes, at a column. */
export function writeList(values: readonly unknown[], column: number, layout: YamlLayout): string {
  return values.map((value) => writeElement(value, column, layout)).join(lineStart(column, layout));
}

function writeElement(value: unknown, column: number, layout: YamlLayout): string {
  const isMap = isPlainObject(value) && definedOf(value).length > 0;
  return `- ${isMap ? writeMap(value, column + 2, layout) : writeFlow(value)}`;
}

/** In one line. `like`: a text whose quotes are to be used. */
export function writeFlow(value: unknown, like = ""): string {
  if (typeof value === "string") return like.startsWith('"') ? quoted(value) : writeString(value);
  if (Array.isArray(value)) return `[${value.map((element) => writeFlow(element)).join(", ")}]`;
  if (!isPlainObject(value)) return typeof value === "number" ? writeNumber(value) : JSON.stringify(value ?? null);
  return `{${definedOf(value)
    .map(([key, member]) => `${writeString(key)}: ${writeFlow(member)}`)
    .join(", ")}}`;
}

/** Words that no reader of YAML, of whatever version, takes for anything but a string. */
const PLAIN = /^(?:--?[A-Za-z]|[A-Za-z_/])[\w./@+=-]*(?:[: ][\w./@+=-]+)*$/;
const WORDS = /^(?:y|n|yes|no|on|off|true|false|null)$/i;

export function writeString(value: string): string {
  return PLAIN.test(value) && !WORDS.test(value) ? value : quoted(value);
}

function quoted(value: string): string {
  return JSON.stringify(value).replace(
    /[\u007f-\u00a0\u2028\u2029\ufeff\ufffe\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

function writeNumber(value: number): string {
  if (Number.isNaN(value)) return ".nan";
  return Number.isFinite(value) ? String(value) : value > 0 ? ".inf" : "-.inf";
}

function definedOf(value: Record<string, unknown>): [string, unknown][] {
  return Object.entries(value).filter(([, member]) => member !== undefined);
}

function lineStart(column: number, { eol }: YamlLayout): string {
  return eol + " ".repeat(column);
}
