import type { ConfigDocument, ConfigFormat, ConfigNode, ConfigPath } from "./config-text.ts";
import { childrenOf, lineEndNear } from "./layout.ts";
import { proven, withElements, withMember, withoutElements, withoutMember, withValue } from "./proof.ts";
import { insertItems, type ListPlace, type ListStyle, removeItems } from "./separated-list.ts";
import {
  editableArrayAt,
  editableAt,
  indentAt,
  isPlainObject,
  memberPlace,
  nodeAt,
  syntaxError,
} from "./text-place.ts";
import {
  addElements,
  addMember,
  canOpen,
  type Hanging,
  hang,
  removeElementLines,
  removeMemberLines,
  replaceLines,
} from "./yaml-lines.ts";
import { isUnwritten, parseYaml, yamlOf } from "./yaml-tree.ts";
import { writeFlow, writeString } from "./yaml-write.ts";

/**
 * Edits of a YAML text. What stands between brackets is edited as a list, what stands in lines as lines. What an anchor or an alias
 * shares with other places is refused.
 */

const replaceValue: ConfigFormat["replaceValue"] = (document, path, value) => {
  const node = editableAt(document, path);
  refuseShared(document, path);
  const { text } = document;
  const change = withValue(path, value);
  if (yamlOf(node).form === "block") {
    return proven(yamlFormat, document, replaceLines(document, node, hangingAt(document, path), value), change);
  }
  const gap = isUnwritten(node) && !/\s/.test(text[node.start - 1] ?? " ") ? " " : "";
  const written = gap + writeFlow(value, text.slice(node.start, node.end));
  return proven(yamlFormat, document, [{ offset: node.start, length: node.end - node.start, text: written }], change);
};

const insertMember: ConfigFormat["insertMember"] = (document, path, key, value, after) => {
  const place = memberPlace(document, path, key, value, after, isUnwritten);
  refuseShared(document, place.path);
  const { object } = place;
  const edits = () => {
    const hanging = hangingAt(document, place.path);
    const present = nodeAt(object, [place.key]);
    const own = present === null ? null : hangingAt(document, [...place.path, place.key]);
    if (own !== null) return hang(document, own, place.value);
    if (yamlOf(object).form === "block" || object.start === object.end) {
      return addMember(document, object, place.key, place.value, place.after);
    }
    const isFilled = isPlainObject(place.value) && Object.keys(place.value).length > 0;
    if (isFilled && hanging !== null && canOpen(document.text, hanging)) {
      return hang(document, hanging, { [place.key]: place.value });
    }
    const behind = place.after === null ? -1 : object.members.findIndex((member) => member.key === place.after);
    const index = behind < 0 ? object.members.length : behind + 1;
    const pair = `${writeString(place.key)}: ${writeFlow(place.value)}`;
    return insertItems(document.text, listAt(object), index, () => [pair], styleOf(document, object));
  };
  return proven(yamlFormat, document, edits(), withMember(path, key, value));
};

const removeMember: ConfigFormat["removeMember"] = (document, path) => {
  const node = editableAt(document, path);
  const parent = path.slice(0, -1);
  refuseShared(document, parent);
  const object = editableAt(document, parent);
  const index = object.members.findIndex((member) => member.value === node);
  if (index < 0) throw syntaxError(document.text, node.start, "this is not a member of an object");
  const edits =
    yamlOf(object).form === "block"
      ? removeMemberLines(document, object, index, hangingAt(document, parent))
      : removeItems(document.text, listAt(object), index, 1);
  return proven(yamlFormat, document, edits, withoutMember(path));
};

const insertElements: ConfigFormat["insertElements"] = (document, path, index, values) => {
  const array = editableArrayAt(document, path, index, 0);
  refuseShared(document, path);
  if (values.length === 0) return [];
  const hanging = hangingAt(document, path);
  const opens = values.some(isPlainObject) && hanging !== null && canOpen(document.text, hanging);
  const edits = () => {
    if (opens) return hang(document, hanging, values);
    if (yamlOf(array).form === "block") return addElements(document, array, index, values);
    const written = values.map((value) => writeFlow(value));
    return insertItems(document.text, listAt(array), index, () => written, styleOf(document, array));
  };
  return proven(yamlFormat, document, edits(), withElements(path, index, values));
};

const removeElements: ConfigFormat["removeElements"] = (document, path, index, count) => {
  const array = editableArrayAt(document, path, index, count);
  refuseShared(document, path);
  const edits =
    yamlOf(array).form === "block"
      ? removeElementLines(document, array, index, count, hangingAt(document, path))
      : removeItems(document.text, listAt(array), index, count);
  return proven(yamlFormat, document, edits, withoutElements(path, index, count));
};

/** Where the value at a path hangs on a colon in a map of lines; null where it does not. */
function hangingAt(document: ConfigDocument, path: ConfigPath): Hanging | null {
  const parent = path.length === 0 ? null : nodeAt(document.root, path.slice(0, -1));
  if (parent === null || parent.kind !== "object" || yamlOf(parent).form !== "block") return null;
  const index = parent.members.findIndex((member) => member.key === path.at(-1));
  const member = parent.members[index];
  const colonEnd = yamlOf(parent).marks[index];
  return member === undefined || colonEnd === undefined ? null : { parent, member, colonEnd };
}

/** A change inside of what an anchor names would change other places too. */
function refuseShared(document: ConfigDocument, path: ConfigPath): void {
  for (let depth = 0; depth <= path.length; depth++) {
    const node = nodeAt(document.root, path.slice(0, depth));
    if (node === null) return;
    const { isShared, hasTag, hasOddKey } = yamlOf(node);
    if (isShared)
      throw syntaxError(document.text, node.start, "this part is shared through an anchor (&) or alias (*)");
    if (hasTag) throw syntaxError(document.text, node.start, "this part has a tag of its own (!)");
    if (hasOddKey)
      throw syntaxError(document.text, node.start, "this part has a merge key (<<) or a key that is not one word");
  }
}

function listAt(node: ConfigNode): ListPlace {
  return { open: node.start + 1, close: node.end - 1, items: childrenOf(node), comments: "hash" };
}

function styleOf({ text }: ConfigDocument, node: ConfigNode): ListStyle {
  const closeIndent = indentAt(text, node.start);
  return {
    eol: lineEndNear(text, node.start),
    indent: `${closeIndent}  `,
    closeIndent,
    multiline: false,
    pad: "",
    separator: " ",
    trailingComma: false,
  };
}

export const yamlFormat: ConfigFormat = {
  id: "yaml",
  parse: parseYaml,
  replaceValue,
  insertMember,
  removeMember,
  insertElements,
  removeElements,
};
