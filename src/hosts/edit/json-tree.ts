import { printParseErrorCode, visit } from "jsonc-parser";
import type { ConfigDocument, ConfigFormatId, ConfigMember, ConfigNode } from "./config-text.ts";
import { checkDepth, setOwn, syntaxError, withinDepth } from "./text-place.ts";

/**
 * The tree of a JSON text with places. In a dialect without comments or trailing commas they are errors: a host that reads it so ignores
 * the whole file then.
 */

export interface JsonDialect {
  id: ConfigFormatId;
  comments: boolean;
  trailingCommas: boolean;
}

/** Throws `ConfigSyntaxError`. A text of nothing but white space (and comments, where they are allowed) holds an empty object. */
export function parseJson(text: string, dialect: JsonDialect): ConfigDocument {
  const root = withinDepth(text, () => readTree(text, dialect));
  return { format: dialect.id, text, root: root ?? emptyRoot(text) };
}

/** A container that is still being read. */
interface Draft {
  node: ConfigNode;
  members: ConfigMember[];
  elements: ConfigNode[];
  value: Record<string, unknown> | unknown[];
}

const NONE: readonly never[] = Object.freeze([]);

function readTree(text: string, dialect: JsonDialect): ConfigNode | null {
  const open: Draft[] = [];
  let root: ConfigNode | null = null;
  let key: { name: string; start: number } | null = null;
  /** Where a comma stands that nothing has followed yet. */
  let comma = -1;

  function add(node: ConfigNode): void {
    comma = -1;
    const parent = open.at(-1);
    if (parent === undefined) {
      root = node;
    } else if (parent.node.kind === "array") {
      parent.elements.push(node);
    } else if (key !== null) {
      parent.members.push({ key: key.name, start: key.start, end: node.end, value: node });
      key = null;
    }
  }

  function begin(kind: "object" | "array", start: number): void {
    const members: ConfigMember[] = [];
    const elements: ConfigNode[] = [];
    const value = kind === "object" ? {} : [];
    const node: ConfigNode = { kind, value, start, end: start, members, elements };
    add(node);
    checkDepth(open.length);
    open.push({ node, members, elements, value });
  }

  function end(offset: number, length: number): void {
    const draft = open.pop();
    if (draft === undefined) return;
    draft.node.end = offset + length;
    if (Array.isArray(draft.value)) {
      for (const element of draft.elements) draft.value.push(element.value);
    } else {
      for (const member of draft.members) setOwn(draft.value, member.key, member.value.value);
    }
    const member = open.at(-1)?.members.at(-1);
    if (member?.value === draft.node) member.end = draft.node.end;
    comma = -1;
  }

  visit(
    text,
    {
      onObjectBegin: (offset) => begin("object", offset),
      onArrayBegin: (offset) => begin("array", offset),
      onObjectEnd: end,
      onArrayEnd: end,
      onObjectProperty: (name, start) => {
        comma = -1;
        key = { name, start };
      },
      onLiteralValue: (value, start, length) =>
        add({ kind: kindOf(value), value, start, end: start + length, members: NONE, elements: NONE }),
      onSeparator: (character, offset) => {
        if (character === ",") comma = offset;
      },
      onError: (code, offset) => {
        const isTrailing = comma >= 0 && (text[offset] === "}" || text[offset] === "]");
        if (isTrailing)
          throw syntaxError(text, comma, `a comma before the closing ${text[offset]} is not allowed here`);
        throw syntaxError(text, offset, SENTENCES[printParseErrorCode(code)] ?? "this is not JSON");
      },
    },
    { disallowComments: !dialect.comments, allowTrailingComma: dialect.trailingCommas, allowEmptyContent: true },
  );
  return root;
}

function kindOf(value: unknown): "string" | "number" | "boolean" | "null" {
  const type = typeof value;
  return type === "string" || type === "number" || type === "boolean" ? type : "null";
}

function emptyRoot(text: string): ConfigNode {
  return { kind: "object", value: {}, start: text.length, end: text.length, members: NONE, elements: NONE };
}

const SENTENCES: Readonly<Record<string, string>> = {
  InvalidSymbol: "this is no JSON value",
  InvalidNumberFormat: "this is no JSON number",
  PropertyNameExpected: "a key in double quotes is expected here",
  ValueExpected: "a value is expected here",
  ColonExpected: "a colon is expected here",
  CommaExpected: "a comma is expected here",
  CloseBraceExpected: "a closing } is expected here",
  CloseBracketExpected: "a closing ] is expected here",
  EndOfFileExpected: "the file should end here, but more follows",
  InvalidCommentToken: "a comment is not allowed in this file",
  UnexpectedEndOfComment: "this comment has no end",
  UnexpectedEndOfString: "this string has no end",
  UnexpectedEndOfNumber: "this number has no end",
  InvalidUnicode: "this \\u escape is not four hexadecimal digits",
  InvalidEscapeCharacter: "this escape is not known in JSON",
  InvalidCharacter: "this character is not allowed in a string",
};
