import { piecesOf, type TextPiece } from "../text/pieces.ts";
import { TreeNode } from "./tree-node.ts";

/**
 * The rows of a JSON tree as it is folded now, and folding. Pure but for the nodes' own `isOpen`. Walks without recursion.
 */

/** A node, or a line of a long text that was opened. */
export type TreeRow = { kind: "node"; node: TreeNode } | { kind: "text"; node: TreeNode; piece: TextPiece };

/** Strings that are longer, or have several lines, are folded. UTF-16 units. */
export const STRING_LENGTH = 120;
/** No more rows than this are opened at once; told where it was reached. */
const MOST_ROWS = 200_000;

export function rootOf(value: unknown): TreeNode {
  return new TreeNode({ parent: null, key: null, value, position: 0 });
}

/** True for a text that one row cannot show. */
export function isLongText(value: unknown): value is string {
  return typeof value === "string" && (value.length > STRING_LENGTH || value.includes("\n"));
}

export function canOpen(node: TreeNode): boolean {
  return node.childCount > 0 || isLongText(node.value) || node.embedded() !== undefined;
}

/** Everything that is to be seen, in order. */
export function rowsOf(root: TreeNode): TreeRow[] {
  const rows: TreeRow[] = [];
  walk(root, (node) => {
    rows.push({ kind: "node", node });
    if (!node.isOpen) return false;
    if (node.childCount === 0 && typeof node.value === "string") {
      for (const piece of piecesOf(node.value, STRING_LENGTH)) rows.push({ kind: "text", node, piece });
    }
    return true;
  });
  return rows;
}

/** Opens level by level while no more than `budget` rows are to be seen; a text stays folded. */
export function openWithin(root: TreeNode, budget: number): void {
  let shown = 1;
  let level = [root];
  for (let depth = 0; level.length > 0 && depth < 4; depth++) {
    const next: TreeNode[] = [];
    for (const node of level) {
      const { childCount } = node;
      if (childCount === 0 || typeof node.value === "string") continue;
      if (depth > 0 && shown + childCount > budget) continue;
      node.isOpen = true;
      shown += childCount;
      for (let index = 0; index < childCount; index++) next.push(node.child(index));
    }
    level = next;
  }
}

/** Opens a subtree to a depth below its top (all of it without one). False when it was too large to open whole. */
export function openSubtree(top: TreeNode, depth = Number.POSITIVE_INFINITY): boolean {
  let opened = 0;
  let isWhole = true;
  walk(top, (node) => {
    const below = node.depth - top.depth;
    if (node.childCount === 0) return false;
    if (typeof node.value === "string" && node !== top) return false;
    if (below >= depth) {
      node.isOpen = false;
      return false;
    }
    if (opened + node.childCount > MOST_ROWS) {
      isWhole = false;
      return false;
    }
    opened += node.childCount;
    node.isOpen = true;
    return true;
  });
  return isWhole;
}

/** Folds everything below a node that is open; the node itself stays as it is. */
export function foldBelow(top: TreeNode): void {
  walk(top, (node) => {
    if (!node.isOpen && node !== top) return false;
    const { childCount, isOpen } = node;
    if (node !== top) node.isOpen = false;
    return isOpen && childCount > 0;
  });
}

/** Opens what holds a node. */
export function uncover(node: TreeNode): void {
  for (let above = node.parent; above !== null; above = above.parent) above.isOpen = true;
}

/** Visits a node and, where `visit` says so, what is below. */
function walk(top: TreeNode, visit: (node: TreeNode) => boolean): void {
  const stack: { node: TreeNode; next: number; count: number }[] = [];
  const enter = (node: TreeNode) => {
    if (visit(node)) stack.push({ node, next: 0, count: node.childCount });
  };
  enter(top);
  for (let frame = stack.at(-1); frame !== undefined; frame = stack.at(-1)) {
    if (frame.next === frame.count) stack.pop();
    else {
      frame.next += 1;
      enter(frame.node.child(frame.next - 1));
    }
  }
}
