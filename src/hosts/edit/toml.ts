import type { ConfigDocument, ConfigFormat, ConfigNode, ConfigPath, TextEdit } from "./config-text.ts";
import { lineEndNear } from "./layout.ts";
import {
  type Change,
  isEmptyAt,
  proven,
  withElements,
  withMember,
  withoutElements,
  withoutMember,
  withValue,
} from "./proof.ts";
import { insertItems, type ListPlace, type ListStyle, removeItems } from "./separated-list.ts";
import { editableArrayAt, editableAt, indentAt, memberPlace, syntaxError } from "./text-place.ts";
import { addToTable, insertTableElements, isImplied, removeFromTables, removeTableElements } from "./toml-tables.ts";
import { parseToml, tomlFileOf } from "./toml-tree.ts";
import { writeToml, writeTomlKey } from "./toml-write.ts";

/**
 * Edits of a TOML text. What stands between brackets is edited as a list, what stands in lines and under headers as lines. A table that only
 * the headers below it imply goes with the last of them; so does an array of tables with its last table.
 */

const replaceValue: ConfigFormat["replaceValue"] = (document, path, value) => {
  const node = editableAt(document, path);
  const isScattered = (node.kind === "object" || node.kind === "array") && !tomlFileOf(document).brackets.has(node);
  if (isScattered) throw syntaxError(document.text, node.start, "a table is changed by its members, not as a whole");
  const edits = [{ offset: node.start, length: node.end - node.start, text: written(document, node, value) }];
  return proven(tomlFormat, document, edits, withValue(path, value));
};

const insertMember: ConfigFormat["insertMember"] = (document, path, key, value, after) => {
  const place = memberPlace(document, path, key, value, after);
  const bracket = tomlFileOf(document).brackets.get(place.object);
  const edits =
    bracket?.type === "TOMLInlineTable"
      ? insertPair(document, place.object, place.key, place.value, place.after)
      : addToTable(document, place);
  return proven(tomlFormat, document, edits, withMember(path, key, value));
};

const removeMember: ConfigFormat["removeMember"] = (document, path) => {
  const node = editableAt(document, path);
  const table = editableAt(document, path.slice(0, -1));
  const bracket = tomlFileOf(document).brackets.get(table);
  if (bracket?.type !== "TOMLInlineTable") {
    return proven(tomlFormat, document, removeFromTables(document, path), withoutTables(document, path));
  }
  const index = bracket.body.findIndex((pair) => pair.value.range[0] === node.start && pair.key.keys.length === 1);
  if (index < 0) throw syntaxError(document.text, node.start, "this is not written as one key of its table");
  return proven(
    tomlFormat,
    document,
    removeItems(document.text, listAt(document, table), index, 1),
    withoutMember(path),
  );
};

const insertElements: ConfigFormat["insertElements"] = (document, path, index, values) => {
  const array = editableArrayAt(document, path, index, 0);
  if (values.length === 0) return [];
  const edits = tomlFileOf(document).brackets.has(array)
    ? insertItems(
        document.text,
        listAt(document, array),
        index,
        () => values.map((value) => written(document, array, value)),
        styleOf(document, array),
      )
    : insertTableElements(document, path, index, values);
  return proven(tomlFormat, document, edits, withElements(path, index, values));
};

const removeElements: ConfigFormat["removeElements"] = (document, path, index, count) => {
  const array = editableArrayAt(document, path, index, count);
  if (tomlFileOf(document).brackets.has(array)) {
    const edits = removeItems(document.text, listAt(document, array), index, count);
    return proven(tomlFormat, document, edits, withoutElements(path, index, count));
  }
  const isAll = count === array.elements.length;
  const change = isAll ? withoutTables(document, path) : withoutElements(path, index, count);
  return proven(tomlFormat, document, removeTableElements(document, path, index, count), change);
};

/** With the member goes what only its pieces implied. */
function withoutTables(document: ConfigDocument, path: ConfigPath): Change {
  return (root) => {
    for (let length = path.length; length > 0; length--) {
      withoutMember(path.slice(0, length))(root);
      const parent = path.slice(0, length - 1);
      if (!isImplied(document, parent) || !isEmptyAt(root, parent)) return;
    }
  };
}

function insertPair(
  document: ConfigDocument,
  table: ConfigNode,
  key: string,
  value: unknown,
  after: string | null,
): TextEdit[] {
  const list = listAt(document, table);
  const behind = after === null ? -1 : namesOf(document, table).lastIndexOf(after);
  const index = behind < 0 ? list.items.length : behind + 1;
  const write = () => [`${writeTomlKey(key)} = ${written(document, table, value)}`];
  return insertItems(document.text, list, index, write, styleOf(document, table));
}

/** The first name of each pair of an inline table. */
function namesOf(document: ConfigDocument, table: ConfigNode): string[] {
  const starts = listAt(document, table).items.map((item) => item.start);
  return starts.map((start) => table.members.find((member) => member.start === start)?.key ?? "");
}

function listAt(document: ConfigDocument, node: ConfigNode): ListPlace {
  const bracket = tomlFileOf(document).brackets.get(node);
  const parts = bracket === undefined ? [] : bracket.type === "TOMLArray" ? bracket.elements : bracket.body;
  const items = parts.map(({ range: [start, end] }) => ({ start, end }));
  return { open: node.start + 1, close: node.end - 1, items, comments: "hash" };
}

function styleOf({ text }: ConfigDocument, node: ConfigNode): ListStyle {
  const closeIndent = indentAt(text, node.start);
  return {
    eol: lineEndNear(text, node.start),
    indent: `${closeIndent}  `,
    closeIndent,
    multiline: false,
    pad: node.kind === "object" ? " " : "",
    separator: " ",
    trailingComma: node.kind === "array",
  };
}

function written({ text }: ConfigDocument, at: ConfigNode, value: unknown): string {
  try {
    return writeToml(value);
  } catch (cause) {
    throw syntaxError(text, at.start, cause instanceof Error ? cause.message : "TOML has no such value");
  }
}

export const tomlFormat: ConfigFormat = {
  id: "toml",
  parse: parseToml,
  replaceValue,
  insertMember,
  removeMember,
  insertElements,
  removeElements,
};
