import { isAlias, isMap, isPair, isScalar, isSeq, type Node, type Pair, parseDocument, Scalar } from "yaml";
import type { ConfigDocument, ConfigMember, ConfigNode } from "./config-text.ts";
import { breakLength, checkDepth, setOwn, syntaxError, withinDepth } from "./text-place.ts";

/**
 * The tree of a YAML text with places: one document, keys that stand once. `yamlOf` gives what the parser knows of a node: anchors, and
 * whether it stands in brackets or in lines.
 */

/** What the tree does not say of an object, array or value. */
export interface YamlFacts {
  /** In brackets, in lines, or a value without inner ones. */
  form: "flow" | "block" | "scalar";
  /** Others may stand for it, or it stands for another. */
  isShared: boolean;
  /** A tag that is no type of YAML itself. */
  hasTag: boolean;
  /** A key that is not one plain word before a colon; or `<<`, which brings in other members. */
  hasOddKey: boolean;
  /** Of an object in lines, where the text of each member's key ends with its colon; of an array, where each dash stands. */
  marks: readonly number[];
}

const known = new WeakMap<ConfigNode, YamlFacts>();

export function yamlOf(node: ConfigNode): YamlFacts {
  return known.get(node) ?? { form: "scalar", isShared: false, hasTag: false, hasOddKey: false, marks: [] };
}

/** True for a value that is not written at all, as behind `key:`. */
export function isUnwritten(node: ConfigNode): boolean {
  return node.kind === "null" && node.start === node.end;
}

/** Beyond this, the parser takes too long to say no. */
const DEEP = /(?:[[{]\s*){1000}/;

/** Throws `ConfigSyntaxError`. */
export function parseYaml(text: string): ConfigDocument {
  return withinDepth(text, () => {
    if (DEEP.test(text)) throw new RangeError("nested too deep");
    const options = { keepSourceTokens: true, uniqueKeys: false, prettyErrors: false, logLevel: "error" } as const;
    const parsed = parseDocument(text, options);
    const [error] = parsed.errors;
    if (error !== undefined) throw syntaxError(text, error.pos[0], SENTENCES[error.code] ?? "this is not YAML");
    const { contents } = parsed;
    const isEmpty = contents === null || (isScalar(contents) && contents.value === null && contents.source === "");
    return {
      format: "yaml",
      text,
      root: isEmpty ? emptyRoot(text) : nodeOf({ text, anchors: new Set(), depth: 0 }, contents),
    };
  });
}

const NONE: readonly never[] = Object.freeze([]);

function emptyRoot(text: string): ConfigNode {
  return { kind: "object", value: {}, start: text.length, end: text.length, members: NONE, elements: NONE };
}

/** What a node depends on beside itself. */
interface Reading {
  text: string;
  /** That were set so far. */
  anchors: Set<string>;
  depth: number;
}

function nodeOf(reading: Reading, from: Node): ConfigNode {
  const { text } = reading;
  if (isAlias(from) && !reading.anchors.has(from.source)) {
    throw syntaxError(text, from.range?.[0] ?? 0, SENTENCES.BAD_ALIAS ?? "");
  }
  if ("anchor" in from && from.anchor !== undefined) reading.anchors.add(from.anchor);
  checkDepth(++reading.depth);
  const node = isMap(from)
    ? objectOf(reading, from.items, from.range?.[0] ?? 0, from)
    : isSeq(from)
      ? arrayOf(reading, from.items as Node[], from)
      : scalarOf(text, from);
  reading.depth--;
  return node;
}

function objectOf(reading: Reading, pairs: readonly Pair[], start: number, from: Node): ConfigNode {
  const { text } = reading;
  const members: ConfigMember[] = [];
  const value: Record<string, unknown> = {};
  const seen = new Set<string>();
  const marks: number[] = [];
  let hasOddKey = false;
  for (const pair of pairs) {
    const token = pair.srcToken;
    const key = pair.key as Node;
    const [keyStart = start, keyEnd = start] = key?.range ?? [];
    const colon = token?.sep?.find((one) => one.type === "map-value-ind");
    const colonEnd = colon === undefined ? keyEnd : colon.offset + 1;
    const name = nameOf(text, key);
    if (seen.has(name)) throw syntaxError(text, keyStart, "this key is there twice");
    seen.add(name);
    if (name === "<<" || !isScalar(key) || token?.start.some((one) => one.type === "explicit-key-ind"))
      hasOddKey = true;
    const inner = pair.value === null ? unwritten(colonEnd) : nodeOf(reading, pair.value as Node);
    if (isUnwritten(inner)) Object.assign(inner, { start: colonEnd, end: colonEnd });
    members.push({ key: name, start: keyStart, end: Math.max(inner.end, colonEnd), value: inner });
    marks.push(colonEnd);
    setOwn(value, name, inner.value);
  }
  const isFlow = text[start] === "{" && "flow" in from && from.flow === true;
  const isBlock = from.srcToken?.type === "block-map";
  const end = isFlow ? (from.range?.[1] ?? start) : (members.at(-1)?.end ?? start);
  const node: ConfigNode = { kind: "object", value, start, end, members, elements: NONE };
  // A pair that is an element of `[a: 1]` has no brackets of its own.
  known.set(node, { ...factsOf(from, isFlow ? "flow" : "block"), hasOddKey: hasOddKey || !(isFlow || isBlock), marks });
  return node;
}

function arrayOf(reading: Reading, items: readonly Node[], from: Node): ConfigNode {
  const elements: ConfigNode[] = [];
  const value: unknown[] = [];
  const token = from.srcToken;
  const marks: number[] = [];
  const start = from.range?.[0] ?? 0;
  items.forEach((item, index) => {
    if (token?.type === "block-seq") {
      const dash = token.items[index]?.start.find((one) => one.type === "seq-item-ind");
      marks.push(dash?.offset ?? start);
    }
    const node = isPair(item) ? objectOf(reading, [item], start, from) : nodeOf(reading, item);
    elements.push(node);
    value.push(node.value);
  });
  const isFlow = token?.type === "flow-collection";
  const end = isFlow ? (from.range?.[1] ?? start) : (elements.at(-1)?.end ?? start);
  const node: ConfigNode = { kind: "array", value, start, end, members: NONE, elements };
  known.set(node, { ...factsOf(from, isFlow ? "flow" : "block"), marks });
  return node;
}

function scalarOf(text: string, from: Node): ConfigNode {
  const [start, scanned] = from.range ?? [0, 0];
  const isBlockScalar = isScalar(from) && (from.type === Scalar.BLOCK_LITERAL || from.type === Scalar.BLOCK_FOLDED);
  const end = isBlockScalar ? withoutBreak(text, start, scanned) : scanned;
  const value = isScalar(from) ? from.value : null;
  const kind = isAlias(from) ? "other" : kindOf(value);
  const node: ConfigNode = { kind, value: kind === "other" ? null : value, start, end, members: NONE, elements: NONE };
  const facts = factsOf(from, "scalar");
  if (facts.isShared || facts.hasTag) known.set(node, facts);
  return node;
}

function unwritten(at: number): ConfigNode {
  return { kind: "null", value: null, start: at, end: at, members: NONE, elements: NONE };
}

/** A block scalar's last line end is the line's, not the value's. */
function withoutBreak(text: string, start: number, end: number): number {
  if (end - 2 > start && breakLength(text, end - 2) === 2) return end - 2;
  return breakLength(text, end - 1) > 0 ? end - 1 : end;
}

function factsOf(from: Node, form: YamlFacts["form"]): YamlFacts {
  const isShared = isAlias(from) || ("anchor" in from && from.anchor !== undefined);
  const hasTag = from.tag !== undefined && !from.tag.startsWith("tag:yaml.org,2002:");
  return { form, isShared, hasTag, hasOddKey: false, marks: [] };
}

function nameOf(text: string, key: Node | null): string {
  if (isScalar(key) && typeof key.value === "string") return key.value;
  const [start = 0, end = 0] = key?.range ?? [];
  return text.slice(start, end);
}

function kindOf(value: unknown): ConfigNode["kind"] {
  switch (typeof value) {
    case "string":
      return "string";
    case "number":
      return "number";
    case "boolean":
      return "boolean";
    default:
      return value === null ? "null" : "other";
  }
}

/** Our own words: the parser's quote the text. */
const SENTENCES: Readonly<Record<string, string>> = {
  ALIAS_PROPS: "an alias can have neither anchor nor tag",
  BAD_ALIAS: "this alias has no anchor before it",
  BAD_DIRECTIVE: "this directive is not known",
  BAD_DQ_ESCAPE: "this escape is not known in YAML",
  BAD_INDENT: "the indentation does not fit here",
  BAD_PROP_ORDER: "anchor and tag must stand behind the indicator",
  BAD_SCALAR_START: "a value cannot begin with this character: it needs quotes",
  BLOCK_AS_IMPLICIT_KEY: "a key must be on one line",
  BLOCK_IN_FLOW: "lines of their own are not allowed between brackets",
  KEY_OVER_1024_CHARS: "this key is too long",
  MISSING_CHAR: "a bracket, quote, comma, colon or space is missing here",
  MULTILINE_IMPLICIT_KEY: "a key must be on one line",
  MULTIPLE_ANCHORS: "a value can have one anchor",
  MULTIPLE_DOCS: "only a file with one document can be edited",
  MULTIPLE_TAGS: "a value can have one tag",
  RESOURCE_EXHAUSTION: "it is nested too deep to be read",
  TAB_AS_INDENT: "a tab is not allowed as indentation",
  UNEXPECTED_TOKEN: "this is not expected here",
};
