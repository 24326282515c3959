import type { ComponentChildren } from "preact";
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { isInside, type RevealKind, revealKind, revealTop } from "./reveal.ts";
import { RowHeights } from "./row-heights.ts";

/**
 * A list of any length of which only the rows in sight are in the page. Heights are measured as rows appear. Rows may come,
 * go and grow above the first one in sight without moving what a person looks at. Knows nothing of what a row is.
 */

export interface VirtualListProps<Item> {
  items: readonly Item[];
  keyOf: (item: Item) => string;
  /** Height of a row that was not measured yet, px. */
  estimatedHeight: number;
  render: (item: Item, index: number) => ComponentChildren;
  /** The row to bring into sight, and a number that changes with each wish to. */
  reveal?: { index: number; wish: number } | null;
  /** At the bottom, new rows are followed; told whenever that changes. */
  follow?: boolean;
  onAtBottom?: (isAtBottom: boolean) => void;
  /** Told whenever the top comes into sight or leaves it. */
  onAtTop?: (isAtTop: boolean) => void;
  /** Called when the last row comes into sight. */
  onEnd?: () => void;
  /** Where the list was left, for one that is shown again. */
  memory?: ScrollMemory;
  label: string;
  class?: string;
}

/** The first row in sight, and how much of it is above the view, px; null at the very top. */
export interface ScrollMemory {
  anchor: { key: string; offset: number } | null;
}

/** Rows so far (px) outside what is in sight are there already when somebody scrolls. */
const OVERSCAN_PX = 400;
const EDGE_TOLERANCE_PX = 24;

export function VirtualList<Item>(props: VirtualListProps<Item>) {
  const { items, keyOf, estimatedHeight, render, reveal, follow = false, onAtBottom, onAtTop, onEnd } = props;
  const box = useRef<HTMLDivElement>(null);
  const heights = useMemo(() => new RowHeights(estimatedHeight), [estimatedHeight]);
  const ownMemory = useRef<ScrollMemory>({ anchor: null });
  const memory = props.memory ?? ownMemory.current;
  const [view, setView] = useState({ top: 0, height: 800 });
  const [, setMeasured] = useState(0);
  const wasAtBottom = useRef(true);
  const wasAtTop = useRef(true);
  const seenTop = useRef(0);
  const seenWish = useRef<number | undefined>(undefined);
  // What was brought into sight stays there until somebody scrolls, whatever the rows and the page around still do.
  const held = useRef<{ key: string; kind: RevealKind } | null>(null);
  const revealing = useRef<RevealKind | "undecided" | null>(null);
  const isFirst = useRef(true);
  const seenHeight = useRef(0);

  const keys = useMemo(() => items.map(keyOf), [items, keyOf]);
  heights.setKeys(keys);
  const first = heights.indexAt(view.top - OVERSCAN_PX);
  const last = Math.min(items.length - 1, heights.indexAt(view.top + view.height + OVERSCAN_PX));

  /** Takes note of where the list stands now. */
  const read = useCallback(() => {
    const element = box.current;
    if (element === null || element.clientHeight === 0) return;
    const { scrollTop, clientHeight, scrollHeight } = element;
    if (scrollTop !== seenTop.current && revealing.current === null) held.current = null;
    seenTop.current = scrollTop;
    tell(wasAtBottom, scrollHeight - scrollTop - clientHeight <= EDGE_TOLERANCE_PX, onAtBottom);
    tell(wasAtTop, scrollTop <= EDGE_TOLERANCE_PX, onAtTop);
    const index = heights.indexAt(scrollTop);
    const key = heights.keyAt(index);
    memory.anchor = scrollTop <= 0 || key === undefined ? null : { key, offset: scrollTop - heights.topOf(index) };
    setView((before) =>
      before.top === scrollTop && before.height === clientHeight ? before : { top: scrollTop, height: clientHeight },
    );
  }, [heights, memory, onAtBottom, onAtTop]);

  useEffect(() => {
    const element = box.current;
    if (element === null) return;
    const observer = new ResizeObserver(read);
    observer.observe(element);
    return () => observer.disconnect();
  }, [read]);

  // Before the browser paints: rows that are there now are measured, and the list is put where it has to stand.
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null || element.clientHeight === 0) return;
    let hasChanged = false;
    for (const row of element.querySelectorAll<HTMLElement>(":scope > .virtual-space > [data-row]")) {
      const key = keys[Number(row.dataset.row)];
      if (key !== undefined && heights.measure(key, row.offsetHeight)) hasChanged = true;
    }
    if (reveal != null && reveal.index >= 0 && reveal.wish !== seenWish.current) {
      isFirst.current = seenWish.current === undefined;
      seenWish.current = reveal.wish;
      revealing.current = "undecided";
    }
    if (hasChanged) {
      // What the sums say now must be true of the page before it is scrolled.
      const space = element.firstElementChild;
      if (space instanceof HTMLElement) space.style.height = `${heights.total()}px`;
    }
    const before = element.scrollTop;
    const isResized = element.clientHeight !== seenHeight.current;
    seenHeight.current = element.clientHeight;
    const shown = { scrollTop: before, height: element.clientHeight };
    if (revealing.current !== null && reveal != null && reveal.index >= 0) {
      const row = rowAt(heights, reveal.index);
      if (revealing.current === "undecided") revealing.current = revealKind(shown, row, isFirst.current);
      held.current = { key: keys[reveal.index] ?? "", kind: revealing.current ?? (isFirst.current ? "jump" : "near") };
      if (revealing.current !== null) element.scrollTop = revealTop(shown, row, revealing.current);
    } else if (follow && wasAtBottom.current) {
      held.current = null;
      element.scrollTop = element.scrollHeight;
    } else {
      if (memory.anchor !== null && (before === seenTop.current || before === 0)) {
        // Not where somebody has scrolled on since.
        const index = heights.indexOf(memory.anchor.key);
        if (index !== undefined) element.scrollTop = heights.topOf(index) + memory.anchor.offset;
      }
      if (held.current !== null && (hasChanged || isResized)) keepInSight(element, heights, held.current);
    }
    if (element.scrollTop !== before) {
      seenTop.current = element.scrollTop;
      read();
    }
    if (!hasChanged) revealing.current = null;
    if (hasChanged) setMeasured((count) => count + 1);
  });

  useEffect(() => {
    if (items.length > 0 && last >= items.length - 1) onEnd?.();
  }, [last, items.length, onEnd]);

  const rows: ComponentChildren[] = [];
  for (let index = Math.max(0, first); index <= last; index++) {
    const item = items[index];
    if (item === undefined) continue;
    rows.push(
      <div
        key={keys[index]}
        data-row={index}
        class="virtual-row"
        role="listitem"
        style={{ transform: `translateY(${heights.topOf(index)}px)` }}
      >
        {render(item, index)}
      </div>,
    );
  }
  return (
    <div
      ref={box}
      class={`virtual ${props.class ?? ""}`}
      role="list"
      aria-label={props.label}
      tabIndex={0}
      onScroll={read}
      onPointerDown={() => {
        held.current = null;
      }}
    >
      <div class="virtual-space" style={{ height: `${heights.total()}px` }}>
        {rows}
      </div>
    </div>
  );
}

function tell(was: { current: boolean }, is: boolean, listener: ((is: boolean) => void) | undefined): void {
  if (was.current === is) return;
  was.current = is;
  listener?.(is);
}

function rowAt(heights: RowHeights, index: number): { top: number; bottom: number } {
  return { top: heights.topOf(index), bottom: heights.topOf(index + 1) };
}

/** Puts a row that was brought into sight there again where it no longer is. */
function keepInSight(
  element: HTMLElement,
  heights: RowHeights,
  { key, kind }: { key: string; kind: RevealKind },
): void {
  const index = heights.indexOf(key);
  if (index === undefined) return;
  const box = { scrollTop: element.scrollTop, height: element.clientHeight };
  const row = rowAt(heights, index);
  if (!isInside(box, row, 0)) element.scrollTop = revealTop(box, row, kind);
}
