import { copyText } from "../../ui/copy.ts";
import { pathText } from "./json-path.ts";
import { jsonText } from "./json-text.ts";
import type { TreeNode } from "./tree-node.ts";

/** Puts a node of a JSON tree on the clipboard. */

/** A string without its quotes; anything else as JSON. */
export function copyValue(node: TreeNode): void {
  const value = node.shownValue();
  void copyText(typeof value === "string" ? value : jsonText(value), "the value");
}

export function copyValueAsJson(node: TreeNode): void {
  void copyText(jsonText(node.shownValue()), "the JSON");
}

export function copyPath(node: TreeNode): void {
  void copyText(pathText(node.path()), "the path");
}
