import { useCallback, useContext, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { RowHeights } from "../../ui/row-heights.ts";
import { useFind } from "../find/find.ts";
import { type Mark, marksIn } from "../find/find-text.ts";
import type { Line, LineSource } from "./line-source.ts";
import { PaneContext, remPx, revealIn, useInSight } from "./pane.ts";
import { SpanText } from "./span-text.tsx";
import { isWrapped } from "./wrap.ts";

/**
 * Lines of any number: those in sight are in the page, the rest is space. Long text is folded to its first lines until
 * somebody opens it, or what is looked for stands further down.
 */

/** As in text.css. */
const LINE_REM = 1.25;
/** What is shown of a folded text; one that is little longer is not folded. */
const FOLDED_LINES = 24;
const FOLDED_LENGTH = 3000;
const MOST_HITS = 10_000;

export interface LinesViewProps {
  lines: LineSource;
  /** What it is, for screen readers. */
  label: string;
  /** Shown whole from the beginning. */
  isOpen?: boolean;
  class?: string;
}

interface Hit {
  line: number;
  mark: number;
}

export function LinesView({ lines, label, isOpen: isOpenAtFirst = false, class: name = "" }: LinesViewProps) {
  const block = useRef<HTMLDivElement>(null);
  const pane = useContext(PaneContext);
  const folded = useMemo(() => foldedCount(lines), [lines]);
  const canFold = !isOpenAtFirst && folded < lines.count;
  const [isOpen, setOpen] = useState(!canFold);
  const { needle, hit } = useFind(
    block,
    useCallback((wanted: string) => hitsIn(lines, wanted), [lines]),
  );
  const isShownWhole = isOpen || (hit !== null && hit.line >= folded);
  const count = isShownWhole ? lines.count : folded;
  const isWrap = isWrapped.value;
  const heights = useHeights(count, isWrap);
  const sight = useInSight(block, { count, heights });
  const isMeasured = useMeasure(block, heights);
  const wanted = useRef<number | null>(null);
  useLayoutEffect(() => {
    wanted.current = hit?.line ?? null;
    if (hit !== null && isShownWhole && !isOpen) setOpen(true);
  }, [hit]);
  // Where a line stands is known for certain only once those around it are there and measured.
  useLayoutEffect(() => {
    const line = wanted.current;
    if (line === null) return;
    const topOf = (index: number) => (typeof heights === "number" ? index * heights : heights.topOf(index));
    revealIn(pane, block.current, topOf(line), topOf(line + 1));
    if (isMeasured() && line >= sight.first && line < sight.end) wanted.current = null;
  });

  const { columns, digits } = lines.gutter;
  const rows = [];
  for (let index = sight.first; index < sight.end; index++) {
    const line = lines.at(index);
    rows.push(
      <Row
        key={index}
        line={line}
        index={index}
        marks={marksIn(line.text, needle, 30)}
        current={hit?.line === index ? hit.mark : null}
      />,
    );
  }
  return (
    <div
      class={`lines ${isWrap ? "wraps" : ""} ${name}`}
      style={{ "--digits": `${digits}ch`, "--columns": `${columns}` }}
    >
      <div class="lines-box" role="group" aria-label={label} tabIndex={0}>
        <div ref={block} class="lines-rows">
          <div style={{ height: `${sight.above}px` }} />
          {rows}
          <div style={{ height: `${sight.below}px` }} />
        </div>
      </div>
      {canFold && (
        <button
          type="button"
          class="button quiet fold"
          aria-expanded={isShownWhole}
          onClick={() => {
            if (isShownWhole) revealIn(pane, block.current, 0, 0);
            setOpen(!isShownWhole);
          }}
        >
          {isShownWhole ? "Show less" : `Show all ${lines.count.toLocaleString("en")} lines`}
        </button>
      )}
    </div>
  );
}

function Row({ line, index, marks, current }: { line: Line; index: number; marks: Mark[]; current: number | null }) {
  const { sign } = line;
  const kind = line.isHeading === true ? "heading" : (sign?.class ?? "");
  return (
    <div class={`line ${kind}`} data-line={index}>
      {line.gutter?.map((number, column) => (
        <span key={column} class="line-number" aria-hidden="true" data-number={number ?? ""} />
      ))}
      {sign !== undefined && (
        <span class="line-sign">
          <span aria-hidden="true">{sign.text}</span>
          <span class="visually-hidden">{sign.words}</span>
        </span>
      )}
      <span class="line-text recorded">
        <SpanText text={line.text} spans={line.spans} marks={marks} current={current} />
      </span>
    </div>
  );
}

function hitsIn(lines: LineSource, needle: string): Hit[] {
  const hits: Hit[] = [];
  for (let line = 0; line < lines.count && hits.length < MOST_HITS; line++) {
    const { length } = marksIn(lines.at(line).text, needle, 30);
    for (let mark = 0; mark < length && hits.length < MOST_HITS; mark++) hits.push({ line, mark });
  }
  return hits;
}

/** How many lines are shown of a text until somebody opens it; all of one that is not much longer. */
function foldedCount({ count, at }: LineSource): number {
  let length = 0;
  for (let index = 0; index < count; index++) {
    if (index >= FOLDED_LINES || length > FOLDED_LENGTH)
      return count - index < FOLDED_LINES / 2 && length < FOLDED_LENGTH ? count : index;
    length += at(index).text.length;
  }
  return count;
}

function useHeights(count: number, isWrap: boolean): number | RowHeights {
  const linePx = remPx(LINE_REM);
  const measured = useMemo(() => (isWrap ? new RowHeights(linePx) : null), [isWrap, linePx]);
  const keys = useMemo(() => Array.from({ length: count }, (_, index) => String(index)), [count]);
  if (measured === null) return linePx;
  measured.setKeys(keys);
  return measured;
}

/**
 * Measures wrapped lines before the browser paints; the browser itself keeps what is in sight in its place. The returned
 * function tells whether all lines that are there are as high as they were thought to be.
 */
function useMeasure(block: { current: HTMLElement | null }, heights: number | RowHeights): () => boolean {
  const [, setMeasured] = useState(0);
  const isKnown = useRef(true);
  useLayoutEffect(() => {
    const element = block.current;
    isKnown.current = true;
    if (element === null || typeof heights === "number") return;
    let hasChanged = false;
    for (const row of element.querySelectorAll<HTMLElement>(":scope > .line")) {
      if (heights.measure(row.dataset.line ?? "", row.offsetHeight)) hasChanged = true;
    }
    isKnown.current = !hasChanged;
    if (hasChanged) setMeasured((count) => count + 1);
  });
  return () => isKnown.current;
}
