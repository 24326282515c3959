import { useCallback, useMemo, useRef } from "preact/hooks";
import { indexState } from "../app/connection.ts";
import { useKeys } from "../app/keys.ts";
import { VirtualList } from "../ui/virtual-list.tsx";
import type { HitList } from "./hit-list.ts";
import { HitGroup, HitLine, type HitRow, hitRows } from "./hit-rows.tsx";

/** Where the words stand: in which calls, prompts and answers. */
export function HitPanel({ list }: { list: HitList }) {
  const hits = list.hits.value;
  const rows = useMemo(() => hitRows(hits), [hits]);
  const more = useCallback(() => list.more(), [list]);
  const problem = list.problem.value;
  const nothing = indexState.value.isCurrent
    ? "In no call, prompt or answer."
    : "The search index is still being made: older calls cannot be found yet.";
  const box = useRef<HTMLElement>(null);
  useHitKeys(box);
  return (
    <section ref={box} class="pane pane-calls" aria-labelledby="calls-title">
      <h2 id="calls-title" class="pane-title">
        Matches
        <span class="soft">
          {hits.length > 0 && ` ${hits.length.toLocaleString("en")}${list.hasMore.value ? "+" : ""}`}
        </span>
      </h2>
      {problem !== null ? (
        <p class="pane-note">{problem.message}</p>
      ) : rows.length === 0 ? (
        <p class="pane-note">{list.shown.value === null ? "Searching…" : nothing}</p>
      ) : (
        <VirtualList
          items={rows}
          keyOf={keyOf}
          estimatedHeight={56}
          render={renderRow}
          onEnd={more}
          memory={list.memory}
          label="Matches"
        />
      )}
    </section>
  );
}

function keyOf(row: HitRow): string {
  return row.key;
}

function renderRow(row: HitRow) {
  return row.kind === "run" ? <HitGroup run={row.run} /> : <HitLine hit={row.hit} />;
}

/** Moves the focus through the links; those a little out of sight are in the page already. */
function useHitKeys(box: { current: HTMLElement | null }): void {
  const step = (by: 1 | -1) => () => {
    const links = [...(box.current?.querySelectorAll<HTMLElement>("a.hit") ?? [])];
    const at = links.indexOf(document.activeElement as HTMLElement);
    if (at < 0 && box.current?.contains(document.activeElement) !== true) return false;
    links[at < 0 ? 0 : at + by]?.focus();
    return undefined;
  };
  const enter = () => {
    const link = box.current?.querySelector<HTMLElement>("a.hit");
    if (link == null || link.offsetParent === null) return false;
    link.focus();
    return undefined;
  };
  useKeys("Matches", [
    { keys: ["j", "ArrowDown"], label: "Next match", run: step(1) },
    { keys: ["k", "ArrowUp"], label: "Previous match", run: step(-1) },
    { keys: ["l", "ArrowRight"], label: "From the runs to the matches", run: enter },
    {
      keys: ["h", "ArrowLeft"],
      label: "Back to the runs",
      run: () => {
        if (box.current?.contains(document.activeElement) !== true) return false;
        document.querySelector<HTMLElement>(".list-run.active .list-title, .list-run .list-title")?.focus();
        return undefined;
      },
    },
  ]);
}
