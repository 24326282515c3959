import { createContext } from "preact";
import { useContext, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { RowHeights } from "../../ui/row-heights.ts";

/**
 * Long blocks within a pane that scrolls: of each only the rows in sight are in the page, while all of them scroll as one.
 */

/** What scrolls. */
export interface Pane {
  element(): HTMLElement | null;
  /** Calls back when what is in sight may have changed, until the returned function is called. */
  listen(run: () => void): () => void;
}

export const PaneContext = createContext<Pane | null>(null);

/** Rows so far (px) outside of what is in sight are there already when somebody scrolls. */
const OVERSCAN_PX = 300;

export interface Rows {
  count: number;
  /** The same height (px) for all, or heights that are measured as rows appear. */
  heights: number | RowHeights;
}

export interface InSight {
  first: number;
  /** Excluded. */
  end: number;
  /** Height of what is above and below, px. */
  above: number;
  below: number;
}

/** Which rows of a block are to be there; `block` is the element that they are the only content of. */
export function useInSight(block: { current: HTMLElement | null }, rows: Rows): InSight {
  const pane = useContext(PaneContext);
  const [sight, setSight] = useState({ top: 0, bottom: 800 });
  useLayoutEffect(() => {
    const read = () => {
      const element = block.current;
      if (element === null) return;
      const frame = pane?.element()?.getBoundingClientRect() ?? { top: 0, bottom: window.innerHeight };
      const { top: start } = element.getBoundingClientRect();
      const top = frame.top - start - OVERSCAN_PX;
      const bottom = frame.bottom - start + OVERSCAN_PX;
      // A few pixels change nothing; each change renders.
      setSight((before) =>
        Math.abs(before.top - top) < OVERSCAN_PX / 2 && Math.abs(before.bottom - bottom) < OVERSCAN_PX / 2
          ? before
          : { top, bottom },
      );
    };
    read();
    if (pane !== null) return pane.listen(read);
    window.addEventListener("scroll", read, { capture: true, passive: true });
    window.addEventListener("resize", read);
    return () => {
      window.removeEventListener("scroll", read, true);
      window.removeEventListener("resize", read);
    };
  }, [pane, rows.count]);
  return inSight(rows, sight.top, sight.bottom);
}

/** The rows between two heights (px). */
export function inSight({ count, heights }: Rows, top: number, bottom: number): InSight {
  if (count === 0) return { first: 0, end: 0, above: 0, below: 0 };
  const topOf = (index: number) => (typeof heights === "number" ? index * heights : heights.topOf(index));
  const indexAt = (px: number) => {
    const index = typeof heights === "number" ? Math.floor(px / heights) : heights.indexAt(px);
    return Math.max(0, Math.min(count - 1, index));
  };
  const first = indexAt(top);
  const end = indexAt(bottom) + 1;
  return { first, end, above: topOf(first), below: topOf(count) - topOf(end) };
}

/** Brings a part of a block into sight: from `top` to `bottom`, px from its beginning. */
export function revealIn(pane: Pane | null, block: HTMLElement | null, top: number, bottom: number): void {
  const box = pane?.element() ?? null;
  if (block === null) return;
  const frame = box?.getBoundingClientRect() ?? { top: 0, bottom: window.innerHeight };
  const start = block.getBoundingClientRect().top;
  const above = start + top - (frame.top + HEAD_PX);
  const below = start + bottom - (frame.bottom - MARGIN_PX);
  const by = above < 0 ? above - MARGIN_PX : below > 0 ? Math.min(above - MARGIN_PX, below + MARGIN_PX) : 0;
  if (by !== 0) (box ?? window).scrollBy({ top: by, behavior: "instant" });
}

/** Lengths in `rem` as px, so that rows grow with the size of text that a person chose. */
export function remPx(rem: number): number {
  return rem * (Number.parseFloat(getComputedStyle(document.documentElement).fontSize) || 16);
}

/** What stays at the top of the pane while it scrolls. */
const HEAD_PX = 90;
const MARGIN_PX = 40;

/** The pane of an element: attach `box` to what scrolls and `content` to what is in it. */
export function usePane() {
  const box = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const listeners = useRef(new Set<() => void>());
  const [pane] = useState<Pane>(() => ({
    element: () => box.current,
    listen(run) {
      listeners.current.add(run);
      return () => listeners.current.delete(run);
    },
  }));
  useLayoutEffect(() => {
    const tell = () => {
      for (const run of listeners.current) run();
    };
    const observer = new ResizeObserver(tell);
    if (box.current !== null) observer.observe(box.current);
    if (content.current !== null) observer.observe(content.current);
    box.current?.addEventListener("scroll", tell, { passive: true });
    const element = box.current;
    return () => {
      observer.disconnect();
      element?.removeEventListener("scroll", tell);
    };
  }, []);
  return { box, content, pane };
}
