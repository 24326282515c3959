import { useCallback, useContext, useId, useLayoutEffect, useRef } from "preact/hooks";
import { Icon } from "../../ui/icon.tsx";
import { useFind } from "../find/find.ts";
import { marksIn } from "../find/find-text.ts";
import { PaneContext, remPx, revealIn, useInSight } from "../text/pane.ts";
import { SpanText } from "../text/span-text.tsx";
import { copyPath, copyValue, copyValueAsJson } from "./copy-node.ts";
import { TreeBar } from "./tree-bar.tsx";
import { findInTree, hitNode, type TreeHit } from "./tree-find.ts";
import { rowText } from "./tree-row-text.ts";
import { canOpen, type TreeRow } from "./tree-rows.ts";
import { type Tree, useTree } from "./use-tree.ts";

/**
 * A JSON value as a tree (WAI-ARIA's tree view): folded where it is large, of any size, with only the rows in sight in the
 * page; keys move, fold and copy, and words are found in what is folded, too.
 */

/** As in json.css. */
const ROW_REM = 1.375;
/** Deeper levels stand no further to the right. */
const DEEPEST_INDENT = 16;

export function JsonTree({ value, label }: { value: unknown; label: string }) {
  const tree = useTree(value);
  const block = useRef<HTMLDivElement>(null);
  const pane = useContext(PaneContext);
  const id = useId();
  const { root, rows, active } = tree;
  const { needle, hit } = useFind<TreeHit>(
    block,
    useCallback((wanted: string) => findInTree(root, wanted), [root]),
  );
  const rowPx = remPx(ROW_REM);
  const sight = useInSight(block, { count: rows.length, heights: rowPx });

  useLayoutEffect(() => {
    if (hit !== null) tree.show(hitNode(hit));
  }, [hit]);
  useLayoutEffect(() => {
    if (tree.wish > 0) revealIn(pane, block.current, active * rowPx, (active + 1) * rowPx);
  }, [tree.wish, active]);

  const shown = rows.slice(sight.first, sight.end);
  const current = rows[active];
  return (
    <div class="tree-box">
      <TreeBar tree={tree} row={current} />
      <div
        ref={block}
        class="tree"
        role="tree"
        aria-label={label}
        tabIndex={0}
        aria-activedescendant={active >= sight.first && active < sight.end ? `${id}-${active}` : undefined}
        onKeyDown={(event) => {
          if (event.altKey || event.ctrlKey || event.metaKey || !obey(tree, event.key)) return;
          event.preventDefault();
          event.stopPropagation();
        }}
      >
        <div role="presentation" style={{ height: `${sight.above}px` }} />
        {shown.map((row, offset) => {
          const index = sight.first + offset;
          const isHit = hit !== null && row.kind === "node" && row.node === hitNode(hit);
          return (
            <RowView
              key={row.kind === "node" ? keyOf(row.node) : `${keyOf(row.node)}:${row.piece.start}`}
              row={row}
              id={`${id}-${index}`}
              isActive={index === active}
              isHit={isHit}
              needle={needle}
              onPick={() => {
                block.current?.focus({ preventScroll: true });
                tree.goTo(index);
                if (row.kind === "node") tree.toggle(row.node);
              }}
            />
          );
        })}
        <div role="presentation" style={{ height: `${sight.below}px` }} />
      </div>
    </div>
  );
}

interface RowViewProps {
  row: TreeRow;
  id: string;
  isActive: boolean;
  isHit: boolean;
  needle: string | null;
  onPick: () => void;
}

function RowView({ row, id, isActive, isHit, needle, onPick }: RowViewProps) {
  const { node } = row;
  const level = node.depth + (row.kind === "text" ? 2 : 1);
  const common = {
    id,
    "aria-level": level,
    "aria-selected": isActive,
    class: `tree-row${isActive ? " active" : ""}${isHit ? " hit" : ""}`,
    style: { "--level": String(Math.min(level - 1, DEEPEST_INDENT)) },
  } as const;
  const pick = () => {
    // Somebody who marks text with the mouse does not fold it.
    if (document.getSelection()?.isCollapsed !== false) onPick();
  };
  if (row.kind === "text") {
    const text = String(node.value).slice(row.piece.start, row.piece.end);
    return (
      <div role="treeitem" tabIndex={-1} {...common} onClick={pick}>
        <span class="tree-line recorded">
          <SpanText text={text} marks={marksIn(text, needle, 20)} />
        </span>
      </div>
    );
  }
  const { kind, key, value, size } = rowText(node, needle);
  const isFoldable = canOpen(node);
  return (
    <div
      role="treeitem"
      tabIndex={-1}
      {...common}
      aria-expanded={isFoldable ? node.isOpen : undefined}
      aria-posinset={node.position + 1}
      aria-setsize={node.parent?.childCount ?? 1}
      onClick={pick}
    >
      <span class={`tree-sign${node.isOpen ? " open" : ""}`}>{isFoldable && <Icon name="chevronRight" />}</span>
      {level - 1 > DEEPEST_INDENT && <span class="tree-depth">{level - 1}</span>}
      {key !== null && (
        <>
          <span class={`tree-key recorded${typeof node.key === "number" ? " index" : ""}`}>
            <SpanText text={key} marks={marksIn(key, needle, 5)} />
          </span>
          <span class="tree-colon">:</span>
        </>
      )}
      {node.key === null && node.range === null && node.parent !== null && (
        <span class="tree-size">JSON in the text</span>
      )}
      {value !== "" && (
        <span class={`tree-value ${kind} recorded`}>
          <SpanText text={value} marks={kind === "object" || kind === "array" ? [] : marksIn(value, needle, 5)} />
        </span>
      )}
      {size !== "" && <span class="tree-size">{size}</span>}
    </div>
  );
}

/** What a key does in a tree; false for one that does nothing. */
function obey(tree: Tree, key: string): boolean {
  const { rows, active, root } = tree;
  const row = rows[active];
  if (row === undefined) return false;
  const { node } = row;
  const isNode = row.kind === "node";
  if (key === "ArrowDown") tree.goTo(active + 1);
  else if (key === "ArrowUp") tree.goTo(active - 1);
  else if (key === "PageDown") tree.goTo(active + 20);
  else if (key === "PageUp") tree.goTo(active - 20);
  else if (key === "Home") tree.goTo(0);
  else if (key === "End") tree.goTo(rows.length - 1);
  else if (key === "ArrowRight") {
    if (isNode && canOpen(node) && !node.isOpen) tree.toggle(node);
    else if (isNode && node.isOpen) tree.goTo(active + 1);
  } else if (key === "ArrowLeft") {
    if (isNode && node.isOpen) tree.toggle(node);
    else if (!isNode) tree.show(node);
    else if (node.parent !== null) tree.show(node.parent);
  } else if (key === "Enter" || key === " ") {
    if (isNode) tree.toggle(node);
    else tree.show(node);
  } else if (key === "*" || key === "+") tree.openAll(node);
  else if (key === "-") tree.foldAll(node);
  else if (key === "0") tree.foldAll(root);
  else if (/^[1-9]$/.test(key)) tree.openTo(Number(key));
  else if (key === "c") copyValue(node);
  else if (key === "C") copyValueAsJson(node);
  else if (key === "p") copyPath(node);
  else return false;
  return true;
}

const keys = new WeakMap<object, string>();
let lastKey = 0;

/** A name for a node that stays as others come and go. */
function keyOf(node: object): string {
  let key = keys.get(node);
  if (key === undefined) {
    lastKey += 1;
    key = String(lastKey);
    keys.set(node, key);
  }
  return key;
}
