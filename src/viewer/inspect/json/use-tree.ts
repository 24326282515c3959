import { useMemo, useState } from "preact/hooks";
import type { TreeNode } from "./tree-node.ts";
import { canOpen, foldBelow, openSubtree, openWithin, rootOf, rowsOf, type TreeRow, uncover } from "./tree-rows.ts";

/** A JSON tree and where a person is in it. */

export interface Tree {
  root: TreeNode;
  rows: readonly TreeRow[];
  /** Of the row in focus. */
  active: number;
  goTo(index: number): void;
  /** Brings a node into sight and into focus. */
  show(node: TreeNode): void;
  toggle(node: TreeNode): void;
  openAll(node: TreeNode): void;
  openTo(depth: number): void;
  foldAll(node: TreeNode): void;
  /** Shows JSON within a string as the text it is, or as JSON again. */
  switchText(node: TreeNode): void;
  /** The tree was too large to be opened whole. */
  isCut: boolean;
  /** Changes with each wish to bring the row in focus into sight. */
  wish: number;
}

const ROWS_AT_FIRST = 60;

/** The row in focus, whichever number it has: `piece` is the beginning of a line of a text. */
interface Focus {
  node: TreeNode;
  piece: number | null;
  /** Counts the wishes to have it in sight. */
  wish: number;
}

export function useTree(value: unknown): Tree {
  const root = useMemo(() => {
    const top = rootOf(value);
    openWithin(top, ROWS_AT_FIRST);
    return top;
  }, [value]);
  const [version, setVersion] = useState(0);
  const [isCut, setCut] = useState(false);
  const [focus, setFocus] = useState<Focus>({ node: root, piece: null, wish: 0 });
  const rows = useMemo(() => rowsOf(root), [root, version]);
  const active = useMemo(
    () =>
      Math.max(
        0,
        rows.findIndex((row) => isIn(row, focus)),
      ),
    [rows, focus],
  );

  const changed = (node: TreeNode, wishes = 0) => {
    setVersion((count) => count + 1);
    setFocus((before) => ({ node, piece: null, wish: before.wish + wishes }));
  };
  return {
    root,
    rows,
    active,
    isCut,
    wish: focus.wish,
    goTo(index) {
      const row = rows[Math.max(0, Math.min(index, rows.length - 1))];
      if (row === undefined) return;
      const piece = row.kind === "text" ? row.piece.start : null;
      setFocus((before) => ({ node: row.node, piece, wish: before.wish + 1 }));
    },
    show(node) {
      uncover(node);
      changed(node, 1);
    },
    toggle(node) {
      if (!canOpen(node)) return;
      node.isOpen = !node.isOpen;
      // JSON in a text is one value: nobody opens the text to see it folded.
      if (node.isOpen && typeof node.value === "string" && node.childCount === 1) node.child(0).isOpen = true;
      changed(node);
    },
    openAll(node) {
      setCut(!openSubtree(node));
      changed(node);
    },
    openTo(depth) {
      setCut(!openSubtree(root, depth));
      changed(root);
    },
    foldAll(node) {
      foldBelow(node);
      if (node !== root) node.isOpen = false;
      setCut(false);
      changed(node);
    },
    switchText(node) {
      node.isPlainText = !node.isPlainText;
      node.isOpen = true;
      changed(node);
    },
  };
}

function isIn(row: TreeRow, { node, piece }: Focus): boolean {
  return row.node === node && (row.kind === "text" ? row.piece.start === piece : piece === null);
}
