import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { Icon } from "../../ui/icon.tsx";
import { VirtualList } from "../../ui/virtual-list.tsx";
import { visibleText } from "../../ui/visible.ts";
import type { RowContext } from "./row-context.ts";
import { type RunRow, type RunRows, timeOf } from "./run-rows.ts";
import { StoryRow } from "./story-row.tsx";

/** The rows of a story in a list of which only those in sight are in the page; follows what is new while somebody is at its end. */

export interface StoryListProps {
  rows: RunRows;
  context: RowContext;
  reveal: { key: string; wish: number } | null;
  isGrowing: boolean;
  /** The times (epoch ms) between which the rows in sight happened. */
  onRange: (range: { from: number; to: number } | null) => void;
  isFollowing: boolean;
  onFollow: (isFollowing: boolean) => void;
  /** The detail is over it. */
  isCovered: boolean;
  /** The filter found nothing: the key that it may have meant, and the way back. */
  empty: { unknownKey: string | null; onClear: () => void } | null;
  /** Somebody wants to see what is new. */
  onNew: () => void;
}

const ROW_HEIGHT_PX = 30;

export function StoryList(props: StoryListProps) {
  const { rows, context, reveal, isGrowing, onRange, isFollowing, isCovered, empty, onFollow, onNew } = props;
  const place = useRef<HTMLDivElement>(null);
  const seenCount = useRef(rows.rows.length);
  const [isAtBottom, setAtBottom] = useState(false);
  if (isAtBottom || !isGrowing) seenCount.current = rows.rows.length;
  const newCount = Math.max(0, rows.rows.length - seenCount.current);

  const atBottom = useCallback(
    (is: boolean) => {
      setAtBottom(is);
      onFollow(is);
    },
    [onFollow],
  );

  // The list tells only when that changes, and begins at its end where there is nothing to scroll.
  useEffect(() => {
    const box = place.current?.querySelector(".virtual");
    if (isGrowing && box != null && box.scrollHeight <= box.clientHeight) atBottom(true);
  }, [isGrowing, atBottom]);

  const range = useRef<number | null>(null);
  const readRange = useCallback(() => {
    range.current ??= requestAnimationFrame(() => {
      range.current = null;
      onRange(rangeInSight(place.current, rows.rows));
    });
  }, [rows, onRange]);
  useEffect(() => {
    readRange();
    return () => {
      if (range.current !== null) cancelAnimationFrame(range.current);
      range.current = null;
    };
  }, [readRange]);

  // A wish is granted once: where the row stands later, as others come in before it, moves nothing.
  const granted = useRef({ wish: -1, index: -1 });
  if (reveal !== null && (granted.current.wish !== reveal.wish || granted.current.index < 0)) {
    granted.current = { wish: reveal.wish, index: rows.indexOf(reveal.key) };
  }
  const render = useCallback((row: RunRow) => <StoryRow row={row} context={context} />, [context]);
  return (
    <div class="story-list" ref={place} inert={isCovered} onScrollCapture={readRange}>
      {empty !== null && (
        <div class="story-empty">
          <p>No matching calls</p>
          {empty.unknownKey !== null && (
            <p class="soft">
              <code class="recorded">{visibleText(empty.unknownKey)}</code> is not a key of this filter (those are tool:
              server: agent: is:), so it was looked for as a word.
            </p>
          )}
          <button type="button" class="button" onClick={empty.onClear}>
            Clear filter
          </button>
        </div>
      )}
      <VirtualList
        class="story"
        label="What happened"
        items={rows.rows}
        keyOf={keyOf}
        estimatedHeight={ROW_HEIGHT_PX}
        render={render}
        reveal={reveal === null ? null : granted.current}
        follow={isGrowing && isFollowing}
        onAtBottom={atBottom}
      />
      {isGrowing && newCount > 0 && !isAtBottom && (
        <button type="button" class="button primary story-new" onClick={onNew}>
          <Icon name="chevronDown" />
          {newCount.toLocaleString("en")} new
        </button>
      )}
    </div>
  );
}

function keyOf(row: RunRow): string {
  return row.key;
}

/** Between the first and the last row in sight that have a time. */
function rangeInSight(place: HTMLElement | null, rows: readonly RunRow[]): { from: number; to: number } | null {
  const box = place?.querySelector(".virtual")?.getBoundingClientRect();
  if (place === null || box === undefined) return null;
  let from = Number.POSITIVE_INFINITY;
  let to = Number.NEGATIVE_INFINITY;
  for (const element of place.querySelectorAll<HTMLElement>("[data-row]")) {
    const { top, bottom } = element.getBoundingClientRect();
    const row = rows[Number(element.dataset.row)];
    const time = row === undefined || bottom <= box.top || top >= box.bottom ? null : timeOf(row);
    if (time === null) continue;
    from = Math.min(from, time.from);
    to = Math.max(to, time.from);
  }
  return from <= to ? { from, to } : null;
}
