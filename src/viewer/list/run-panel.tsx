import { useCallback, useEffect, useMemo, useRef, useState } from "preact/hooks";
import { selection, toggleSelected } from "../app/selection.ts";
import type { Source } from "../data/source.ts";
import { Icon } from "../ui/icon.tsx";
import { inFrames } from "../ui/in-frames.ts";
import { today } from "../ui/time.ts";
import { VirtualList } from "../ui/virtual-list.tsx";
import { compareChosen, useRunKeys } from "./run-keys.ts";
import type { RunList } from "./run-list.ts";
import { RunRow } from "./run-row.tsx";
import { type ListRow, listRows } from "./run-rows.ts";
import { SelectionBar } from "./selection-bar.tsx";

/** The runs of the list: which of them is the active one, and where the list stands. */

interface RunPanelProps {
  source: Source;
  list: RunList;
  /** What is searched for; the list may still show what was searched for before. */
  query: string;
  words: readonly string[];
}

export function RunPanel({ source, list, query, words }: RunPanelProps) {
  const runs = list.runs.value;
  const live = list.live.value;
  const day = today.value;
  const rows = useMemo(() => listRows(runs, live, day), [runs, live, day]);
  const [reveal, setReveal] = useState<{ index: number; wish: number } | null>(null);
  const box = useRef<HTMLElement>(null);
  const activeId = list.activeId.value;
  const chosen = selection.value;

  const show = (index: number) => setReveal((before) => ({ index, wish: (before?.wish ?? 0) + 1 }));
  const moveTo = (index: number) => {
    const row = rows[index];
    if (row?.kind !== "run") return;
    const isUp = index <= rows.findIndex(({ key }) => key === list.activeId.value);
    list.activeId.value = row.run.id;
    // On the way up, the name of the day comes into sight with its first run.
    show((isUp || index === 1) && rows[index - 1]?.kind === "group" ? index - 1 : index);
    focusSoon(box.current, row.run.id);
  };
  useRunKeys({ source, list, rows, moveTo });
  const isEntering = list.isEntering.value && list.shown.value === query;
  useEffect(() => {
    if (!isEntering) return;
    list.isEntering.value = false;
    moveTo(rows.findIndex(({ kind }) => kind === "run"));
  }, [isEntering]);
  // Whoever comes back from a run is at the row that led there.
  useEffect(() => {
    const id = list.activeId.peek();
    if (id !== null) focusSoon(box.current, id);
  }, [list]);

  const render = useCallback(
    (row: ListRow) => {
      if (row.kind === "group") return <h2 class="day">{row.name}</h2>;
      const { run } = row;
      const place = chosen.indexOf(run.id);
      return (
        <RunRow
          source={source}
          run={run}
          words={words}
          isActive={run.id === activeId}
          chosen={place < 0 ? null : place + 1}
          onChoose={() => toggleSelected(run.id)}
          onDeleted={() => list.drop(run.id)}
          onRestored={() => list.refreshSoon()}
        />
      );
    },
    [source, list, words, activeId, chosen],
  );
  const count = list.newCount.value;
  return (
    <section
      ref={box}
      class={`pane pane-runs${chosen.length > 0 ? " choosing" : ""}`}
      aria-label="Runs"
      aria-busy={list.isLoading.value}
      onFocusIn={({ target }) => {
        const id = target instanceof Element ? target.closest<HTMLElement>("[data-run]")?.dataset.run : undefined;
        if (id !== undefined) list.activeId.value = id;
      }}
    >
      {count > 0 && (
        <button
          type="button"
          class="button new-runs"
          onClick={() => {
            list.setAtTop(true);
            show(0);
          }}
        >
          <Icon name="arrowUp" />
          {count === 1 ? "1 new run" : `${count} new runs`}
        </button>
      )}
      <VirtualList
        items={rows}
        keyOf={keyOf}
        estimatedHeight={57}
        render={render}
        reveal={reveal}
        onEnd={useCallback(() => list.more(), [list])}
        onAtTop={useCallback((isAtTop: boolean) => list.setAtTop(isAtTop), [list])}
        memory={list.memory}
        label="Runs"
      />
      <SelectionBar onCompare={compareChosen} />
    </section>
  );
}

function keyOf(row: ListRow): string {
  return row.key;
}

/** Puts the focus on a run's link once its row is in the page, unless it was taken elsewhere meanwhile. */
function focusSoon(box: HTMLElement | null, id: string): void {
  const before = document.activeElement;
  inFrames(() => {
    const now = document.activeElement;
    const isElsewhere = now?.contains(box) === false && now.closest("[data-run]") === null;
    if (isElsewhere && now !== before) return true;
    const link = box?.querySelector<HTMLElement>(`[data-run="${CSS.escape(id)}"] .list-title`);
    link?.focus({ preventScroll: true });
    return link != null;
  });
}
