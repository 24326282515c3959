/**
 * A configuration file as text with places: what is read is a tree, what is changed are ranges of the text, so that every byte that is
 * not meant stays. One implementation a format; no format is ever written again as a whole. Types only.
 */

/**
 * What a host's own reader takes: `json` strictly, `json-comments` comments but no trailing comma (Gemini CLI, Qwen Code: fatal there),
 * `jsonc` both.
 */
export type ConfigFormatId = "json" | "json-comments" | "jsonc" | "toml" | "yaml";

/** A key of an object or an index of an array. */
export type ConfigPath = readonly (string | number)[];

/** One value and where it stands: UTF-16 positions in the document's text. */
export interface ConfigNode {
  kind: "object" | "array" | "string" | "number" | "boolean" | "null" | "other";
  /** The value as a program reads it; null for `other`. */
  value: unknown;
  start: number;
  end: number;
  /** Of an object, in the order of the text. */
  members: readonly ConfigMember[];
  /** Of an array. */
  elements: readonly ConfigNode[];
}

export interface ConfigMember {
  key: string;
  /** From the key's first character to the value's last. */
  start: number;
  end: number;
  value: ConfigNode;
}

/** A text that was parsed whole; `root` is an object without members for a file that holds nothing. */
export interface ConfigDocument {
  format: ConfigFormatId;
  /** Without a byte order mark. */
  text: string;
  root: ConfigNode;
}

/** Puts `text` in place of `length` characters at `offset`. Edits of one list are all meant for the same text and never overlap. */
export interface TextEdit {
  offset: number;
  length: number;
  text: string;
}

/** Why a text cannot be edited, and where: it is left alone then. */
export class ConfigSyntaxError extends Error {
  /** Counted from 1. */
  readonly line: number;
  readonly column: number;
  constructor(message: string, line: number, column: number) {
    super(message);
    this.line = line;
    this.column = column;
  }
}

/** What can be done to the text of one format. Values are JSON values; inserted text follows the file's own indentation and line ends. */
export interface ConfigFormat {
  readonly id: ConfigFormatId;
  /** Throws `ConfigSyntaxError`. */
  parse(text: string): ConfigDocument;
  /** Puts a value in place of the one at `path`. */
  replaceValue(document: ConfigDocument, path: ConfigPath, value: unknown): TextEdit[];
  /** Adds a member to the object at `path` (made where it is missing), behind the member `after` or at the end. */
  insertMember(document: ConfigDocument, path: ConfigPath, key: string, value: unknown, after?: string): TextEdit[];
  /** Takes a member out, with what belonged to it alone. */
  removeMember(document: ConfigDocument, path: ConfigPath): TextEdit[];
  /** Adds elements to the array at `path`, before the one at `index`. */
  insertElements(document: ConfigDocument, path: ConfigPath, index: number, values: readonly unknown[]): TextEdit[];
  /** Takes `count` elements out of the array at `path`. */
  removeElements(document: ConfigDocument, path: ConfigPath, index: number, count: number): TextEdit[];
}
