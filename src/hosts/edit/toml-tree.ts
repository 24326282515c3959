import { type AST, ParseError, parseTOML } from "toml-eslint-parser";
import type { ConfigDocument, ConfigMember, ConfigNode, ConfigPath } from "./config-text.ts";
import { checkDepth, setOwn, syntaxError, withinDepth } from "./text-place.ts";

/**
 * The tree of a TOML text with places. TOML scatters a table: over headers, dotted keys and inline tables. The tree is what a program
 * reads; `tomlFileOf` tells where the pieces are.
 */

/** A `[header]` with the lines below it; the first block is the one before all headers. */
export interface TomlBlock {
  /** With the index in an array of tables. */
  path: ConfigPath;
  /** Null for the first block. */
  header: AST.TOMLTable | null;
  lines: TomlLine[];
}

/** One `key = value`. */
export interface TomlLine {
  /** From the root, dotted keys and header included. */
  path: ConfigPath;
  pair: AST.TOMLKeyValue;
}

export interface TomlFile {
  blocks: TomlBlock[];
  /** Arrays and inline tables by their nodes. */
  brackets: ReadonlyMap<ConfigNode, AST.TOMLArray | AST.TOMLInlineTable>;
}

const files = new WeakMap<ConfigDocument, TomlFile>();

export function tomlFileOf(document: ConfigDocument): TomlFile {
  const file = files.get(document);
  if (file === undefined) throw new Error("not a TOML document that was parsed here");
  return file;
}

/** Throws `ConfigSyntaxError`. */
export function parseToml(text: string): ConfigDocument {
  return withinDepth(text, () => {
    const builder = new TreeBuilder(text);
    const [top] = readProgram(text).body;
    const first: TomlBlock = { path: [], header: null, lines: [] };
    const blocks = [first];
    for (const part of top.body) {
      if (part.type === "TOMLKeyValue") first.lines.push(builder.addPair([], part));
      else blocks.push(builder.addTable(part));
    }
    const document: ConfigDocument = { format: "toml", text, root: builder.root };
    files.set(document, { blocks, brackets: builder.brackets });
    return document;
  });
}

function readProgram(text: string): AST.TOMLProgram {
  try {
    return parseTOML(text);
  } catch (cause) {
    if (cause instanceof ParseError) throw syntaxError(text, cause.index, sentence(cause.message));
    throw cause;
  }
}

/** The parser's own sentences: they never quote the text. */
function sentence(message: string): string {
  return message.charAt(0).toLowerCase() + message.slice(1);
}

const NONE: readonly never[] = Object.freeze([]);

/** An object or array that grows. */
interface Draft {
  node: ConfigNode;
  members: ConfigMember[];
  byKey: Map<string, ConfigMember>;
  elements: ConfigNode[];
}

class TreeBuilder {
  readonly root: ConfigNode;
  readonly brackets = new Map<ConfigNode, AST.TOMLArray | AST.TOMLInlineTable>();
  readonly #drafts = new Map<ConfigNode, Draft>();

  constructor(text: string) {
    this.root = this.#container("object", 0, text.length).node;
  }

  addTable(table: AST.TOMLTable): TomlBlock {
    const path = table.resolvedKey;
    checkDepth(path.length);
    const [start] = table.range;
    const end = table.body.at(-1)?.range[1] ?? table.range[1];
    let node = this.root;
    path.forEach((step, depth) => {
      const kind = typeof path[depth + 1] === "number" ? "array" : "object";
      node = this.#reach(node, step, kind, start, end);
    });
    return { path, header: table, lines: table.body.map((pair) => this.addPair(path, pair, node)) };
  }

  addPair(path: ConfigPath, pair: AST.TOMLKeyValue, table: ConfigNode = this.root, depth = 0): TomlLine {
    const keys = pair.key.keys.map(nameOf);
    const [start, end] = pair.range;
    checkDepth(path.length + keys.length + depth);
    const value = this.#value(pair.value, depth);
    let node = table;
    for (const key of keys.slice(0, -1)) node = this.#reach(node, key, "object", start, end);
    this.#put(node, keys.at(-1) ?? "", value, start, end);
    return { path: [...path, ...keys], pair };
  }

  /** The object or array under a step, made where it is new; its place grows to hold what is put in. */
  #reach(parent: ConfigNode, step: string | number, kind: "object" | "array", start: number, end: number): ConfigNode {
    const draft = this.#drafts.get(parent);
    const member = typeof step === "string" ? draft?.byKey.get(step) : undefined;
    const present = typeof step === "number" ? draft?.elements[step] : member?.value;
    if (present !== undefined) {
      present.end = Math.max(present.end, end);
      if (member !== undefined) member.end = Math.max(member.end, end);
      return present;
    }
    const { node } = this.#container(kind, start, end);
    this.#put(parent, step, node, start, end);
    return node;
  }

  #put(parent: ConfigNode, step: string | number, value: ConfigNode, start: number, end: number): void {
    const draft = this.#drafts.get(parent);
    if (draft === undefined) return;
    if (typeof step === "number") {
      draft.elements.push(value);
      (parent.value as unknown[]).push(value.value);
      return;
    }
    const member = { key: step, start, end, value };
    draft.members.push(member);
    draft.byKey.set(step, member);
    setOwn(parent.value as Record<string, unknown>, step, value.value);
  }

  #container(kind: "object" | "array", start: number, end: number): Draft {
    const members: ConfigMember[] = [];
    const elements: ConfigNode[] = [];
    const node: ConfigNode = { kind, value: kind === "object" ? {} : [], start, end, members, elements };
    const draft = { node, members, byKey: new Map(), elements };
    this.#drafts.set(node, draft);
    return draft;
  }

  #value(from: AST.TOMLContentNode, depth: number): ConfigNode {
    checkDepth(depth);
    const [start, end] = from.range;
    if (from.type === "TOMLValue") {
      const { kind, value } = scalarOf(from);
      return { kind, value, start, end, members: NONE, elements: NONE };
    }
    const { node } = this.#container(from.type === "TOMLArray" ? "array" : "object", start, end);
    this.brackets.set(node, from);
    if (from.type === "TOMLArray") {
      from.elements.forEach((element, index) => {
        this.#put(node, index, this.#value(element, depth + 1), start, end);
      });
    } else {
      for (const pair of from.body) this.addPair([], pair, node, depth + 1);
    }
    return node;
  }
}

export function nameOf(key: AST.TOMLBare | AST.TOMLQuoted): string {
  return key.type === "TOMLBare" ? key.name : key.value;
}

function scalarOf(from: AST.TOMLValue): Pick<ConfigNode, "kind" | "value"> {
  switch (from.kind) {
    case "string":
      return { kind: "string", value: from.value };
    case "boolean":
      return { kind: "boolean", value: from.value };
    case "integer":
    case "float":
      return { kind: "number", value: from.value };
    default:
      return { kind: "other", value: null };
  }
}
