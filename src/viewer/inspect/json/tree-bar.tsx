import { useMemo } from "preact/hooks";
import { Menu } from "../../ui/menu.tsx";
import { SpanText } from "../text/span-text.tsx";
import { copyPath, copyValue, copyValueAsJson } from "./copy-node.ts";
import { pathText } from "./json-path.ts";
import { canOpen, type TreeRow } from "./tree-rows.ts";
import type { Tree } from "./use-tree.ts";

/** Over a JSON tree: where the person is, and what can be done with what is there. */
export function TreeBar({ tree, row }: { tree: Tree; row: TreeRow | undefined }) {
  const path = useMemo(() => (row === undefined ? "" : shortened(pathText(row.node.path()))), [row?.node]);
  if (row === undefined) return null;
  const { node } = row;
  const { root } = tree;
  const canFold = canOpen(root);
  return (
    <div class="tree-bar">
      <code class="tree-path recorded">
        <SpanText text={path} />
      </code>
      {tree.isCut && <span class="badge warn">opened in part: very many values</span>}
      {typeof node.value === "string" && node.embedded() !== undefined && (
        <button type="button" class="button quiet small" onClick={() => tree.switchText(node)}>
          {node.isPlainText ? "Open as JSON" : "Open as text"}
        </button>
      )}
      {canFold && (
        <Menu
          label="Fold"
          class="button quiet small"
          entries={[
            { label: "Open everything", key: "+", run: () => tree.openAll(root) },
            { label: "Open what is in focus", run: () => tree.openAll(node) },
            { label: "Open one level", key: "1", run: () => tree.openTo(1) },
            { label: "Open two levels", key: "2", run: () => tree.openTo(2) },
            { label: "Open three levels", key: "3", run: () => tree.openTo(3) },
            { label: "Fold what is in focus", key: "-", run: () => tree.foldAll(node) },
            { label: "Fold everything", key: "0", run: () => tree.foldAll(root) },
          ]}
        />
      )}
      <Menu
        label="Copy"
        class="button quiet small"
        entries={[
          { label: "Copy value", icon: "copy", key: "c", run: () => copyValue(node) },
          { label: "Copy as JSON", icon: "copy", key: "C", run: () => copyValueAsJson(node) },
          { label: "Copy path", icon: "copy", key: "p", run: () => copyPath(node) },
        ]}
      />
    </div>
  );
}

/** The end of a long path tells more than its beginning. */
function shortened(path: string): string {
  return path.length <= 300 ? path : `…${path.slice(-299).toWellFormed()}`;
}
