import type { ConfigDocument, ConfigFormat, ConfigNode, TextEdit } from "./config-text.ts";
import { childrenOf, type Layout, layoutAt } from "./layout.ts";
import { insertItems, type ListPlace, type ListStyle, removeItems } from "./separated-list.ts";
import { editableArrayAt, editableAt, indentAt, isPlainObject, memberPlace, syntaxError } from "./text-place.ts";

/** Edits of a JSON text, both dialects. A value is written only where one is added or replaced. */

const replaceValue: ConfigFormat["replaceValue"] = (document, path, value) => {
  const node = editableAt(document, path);
  const layout = layoutAt(document, path.slice(0, -1));
  const text = writeJson(value, indentAt(document.text, node.start), layout);
  return [{ offset: node.start, length: node.end - node.start, text }];
};

const insertMember: ConfigFormat["insertMember"] = (document, path, key, value, after) => {
  const place = memberPlace(document, path, key, value, after);
  const { object } = place;
  if (object.start === object.end) return firstObject(document, place.key, place.value);
  const layout = layoutAt(document, place.path);
  const behind = place.after === null ? -1 : object.members.findLastIndex((member) => member.key === place.after);
  const index = behind < 0 ? object.members.length : behind + 1;
  const write = (indent: string) => [
    `${JSON.stringify(place.key)}:${layout.colon}${writeJson(place.value, indent, layout)}`,
  ];
  return insertItems(document.text, listAt(object), index, write, styleOf(document, object, layout));
};

const removeMember: ConfigFormat["removeMember"] = (document, path) => {
  const node = editableAt(document, path);
  const object = editableAt(document, path.slice(0, -1));
  const index = object.members.findIndex((member) => member.value === node);
  if (index < 0) throw syntaxError(document.text, node.start, "this is not a member of an object");
  return removeItems(document.text, listAt(object), index, 1);
};

const insertElements: ConfigFormat["insertElements"] = (document, path, index, values) => {
  const array = editableArrayAt(document, path, index, 0);
  if (values.length === 0) return [];
  const layout = layoutAt(document, path);
  const write = (indent: string) => values.map((value) => writeJson(value, indent, layout));
  return insertItems(document.text, listAt(array), index, write, styleOf(document, array, layout));
};

const removeElements: ConfigFormat["removeElements"] = (document, path, index, count) =>
  removeItems(document.text, listAt(editableArrayAt(document, path, index, count)), index, count);

function listAt(node: ConfigNode): ListPlace {
  return { open: node.start + 1, close: node.end - 1, items: childrenOf(node), comments: "slashes" };
}

function styleOf({ format, text }: ConfigDocument, node: ConfigNode, layout: Layout): ListStyle {
  const closeIndent = indentAt(text, node.start);
  const { eol, separator } = layout;
  return {
    eol,
    separator,
    closeIndent,
    indent: closeIndent + layout.unit,
    multiline: node.kind === "object" ? layout.objects : layout.arrays,
    pad: node.kind === "object" ? layout.pad : "",
    trailingComma: format === "jsonc" && layout.trailingComma,
  };
}

/** A file that holds nothing gets its object; comments in it stay above. */
function firstObject({ text }: ConfigDocument, key: string, value: unknown): TextEdit[] {
  const layout: Layout = layoutAt({ format: "json", text, root: NOTHING }, []);
  const written = writeJson({ [key]: value }, "", layout);
  if (text.trim() === "") return [{ offset: 0, length: 0, text: text === "" ? written + layout.eol : written }];
  const gap = /[\r\n]\s*$/.test(text) ? "" : layout.eol;
  return [{ offset: text.length, length: 0, text: gap + written + layout.eol }];
}

const NOTHING: ConfigNode = { kind: "object", value: {}, start: 0, end: 0, members: [], elements: [] };

/** `indent` is that of the line that the value begins in. */
function writeJson(value: unknown, indent: string, layout: Layout): string {
  if (value === undefined) return "null";
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const isArray = Array.isArray(value);
  const inner: Layout = isArray ? layout : { ...layout, objects: layout.innerObjects };
  const isOpen = isArray ? layout.arrays : layout.objects;
  const deeper = isOpen ? indent + layout.unit : indent;
  const items = isArray
    ? value.map((element) => writeJson(element, deeper, inner))
    : membersOf(value).map(
        ([key, member]) => `${JSON.stringify(key)}:${layout.colon}${writeJson(member, deeper, inner)}`,
      );
  const [left, right] = isArray ? ["[", "]"] : ["{", "}"];
  if (items.length === 0) return left + right;
  if (!isOpen) {
    const pad = isArray ? "" : layout.pad;
    return left + pad + items.join(`,${layout.separator}`) + pad + right;
  }
  const lines = items.map((item) => layout.eol + deeper + item).join(",");
  return left + lines + (layout.trailingComma ? "," : "") + layout.eol + indent + right;
}

function membersOf(value: object): [string, unknown][] {
  return isPlainObject(value) ? Object.entries(value).filter(([, member]) => member !== undefined) : [];
}

/** One format's operations; the dialects differ only in what they read. */
export const JSON_EDITS: Omit<ConfigFormat, "id" | "parse"> = {
  replaceValue,
  insertMember,
  removeMember,
  insertElements,
  removeElements,
};
