import { foldCase } from "../find/find-text.ts";
import type { TreeNode } from "./tree-node.ts";
import { isContainer, scalarText } from "./value.ts";

/** Finds words in the keys and values of a JSON tree, folded or not, in the order of the text. Walks without recursion. */

/** A member that holds the words; nodes on the way to it exist, itself only when it is asked for. */
export interface TreeHit {
  holder: TreeNode;
  /** Number among the holder's members; null for the holder itself. */
  index: number | null;
}

const MOST_HITS = 10_000;

export function findInTree(root: TreeNode, needle: string | null): TreeHit[] {
  const hits: TreeHit[] = [];
  if (needle === null) return hits;
  if (!isContainer(root.value)) {
    if (holds(root.value, needle)) hits.push({ holder: root, index: null });
    return hits;
  }
  const stack: { node: TreeNode; next: number }[] = [{ node: root, next: 0 }];
  for (let top = stack.at(-1); top !== undefined && hits.length < MOST_HITS; top = stack.at(-1)) {
    const { node } = top;
    const index = top.next;
    top.next += 1;
    if (index >= node.memberCount) {
      stack.pop();
      continue;
    }
    const key = node.keys()?.[index];
    const value =
      key === undefined ? (node.value as readonly unknown[])[index] : (node.value as Record<string, unknown>)[key];
    const isNested = isContainer(value);
    if ((key !== undefined && foldCase(key).includes(needle)) || (!isNested && holds(value, needle))) {
      hits.push({ holder: node, index });
    }
    if (isNested) stack.push({ node: node.member(index), next: 0 });
  }
  return hits;
}

export function hitNode({ holder, index }: TreeHit): TreeNode {
  return index === null ? holder : holder.member(index);
}

function holds(value: unknown, needle: string): boolean {
  return foldCase(typeof value === "string" ? value : scalarText(value)).includes(needle);
}
