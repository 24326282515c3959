import { useCallback, useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Comparison } from "../../core/comparison.ts";
import { counted } from "../../core/text/when.ts";
import { announce } from "../app/announce.tsx";
import { useKeys } from "../app/keys.ts";
import { go, type Route, runPlace } from "../app/route.ts";
import { ProblemState } from "../app/states.tsx";
import { useTitle } from "../app/title.ts";
import type { Source } from "../data/source.ts";
import { runTitle } from "../ui/run-title.ts";
import { VirtualList } from "../ui/virtual-list.tsx";
import { CompareDetail } from "./compare-detail.tsx";
import { CompareHeader } from "./compare-header.tsx";
import { CompareRowView, callName } from "./compare-row.tsx";
import { type CompareRow, compareRows, differencesOf, rowWords, sideTools } from "./compare-rows.ts";
import { useComparison } from "./use-comparison.ts";

/** Two runs side by side: where they part, and in what. */

export type ComparePlace = Extract<Route, { view: "compare" }>;

export function CompareView({ source, place }: { source: Source; place: ComparePlace }) {
  const { comparison, problem, retry } = useComparison(source, place.left, place.right);
  useTitle(
    comparison === null
      ? "Two runs"
      : `${runTitle(comparison.left.input, sideTools(comparison, "left"), 60).text}, compared`,
  );
  if (comparison !== null) return <Compared source={source} place={place} comparison={comparison} />;
  if (problem !== null) {
    return (
      <>
        <h1 class="visually-hidden">Two runs compared</h1>
        <ProblemState problem={problem} onRetry={retry} />
      </>
    );
  }
  return (
    <p class="compare-loading soft" role="status">
      Comparing…
    </p>
  );
}

const ROW_HEIGHT_PX = 34;
/** From so wide on a call's difference has a place beside the list, and is open by itself. */
const BESIDE = "(min-width: 1100px)";

function Compared({ source, place, comparison }: { source: Source; place: ComparePlace; comparison: Comparison }) {
  const { rows, firstDifference } = comparison;
  const differences = useMemo(() => differencesOf(comparison), [comparison]);
  const asked = place.row !== null && place.row < rows.length ? place.row : null;
  const selected = asked ?? firstDifference;
  const [isDetailOpen, setDetailOpen] = useState(() => asked !== null || matchMedia(BESIDE).matches);
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const [isAllOpen, setAllOpen] = useState(false);
  const list = useMemo(() => compareRows(comparison, open, isAllOpen, asked), [comparison, open, isAllOpen, asked]);
  const [wish, setWish] = useState(1);
  const at = list.findIndex((row) => row.kind === "call" && row.index === selected);
  const reveal = useMemo(() => ({ index: at, wish }), [wish, at < 0]);

  useEffect(() => {
    const first = firstDifference === null ? undefined : rows[firstDifference];
    if (first === undefined) announce("The calls of both runs are the same.");
    else
      announce(
        `${counted(differences.length, "difference")}. The first: ${callName(first)}, ${rowWords(first).words}.`,
      );
  }, [comparison]);

  const select = useCallback(
    (index: number) => {
      const row = rows[index];
      if (row === undefined) return;
      go({ ...place, row: index }, "replace");
      setWish((count) => count + 1);
      announce(`${callName(row)}, ${rowWords(row).words}`);
    },
    [place, rows],
  );
  const move = (by: 1 | -1) => {
    const calls = list.filter((row) => row.kind === "call");
    const from = calls.findIndex(({ index }) => index === selected);
    const next = from < 0 ? calls[by > 0 ? 0 : calls.length - 1] : calls[from + by];
    if (next !== undefined) select(next.index);
  };
  const toDifference = (by: 1 | -1) => {
    const here = selected ?? -1;
    const next = by > 0 ? differences.find((index) => index > here) : differences.findLast((index) => index < here);
    if (next !== undefined) select(next);
    else announce(by > 0 ? "No difference further on." : "No difference before this.");
  };
  const openIn = (side: "left" | "right") => {
    const step = selected === null ? null : (rows[selected]?.[side] ?? null);
    go(runPlace(place[side], step?.id ?? null));
  };
  const swap = () => go({ view: "compare", left: place.right, right: place.left, row: null });
  const openRow = useCallback(
    (index: number) => {
      select(index);
      setDetailOpen(true);
    },
    [select],
  );
  const close = useCallback(() => {
    setDetailOpen(false);
    setWish((count) => count + 1);
  }, []);

  const shown = selected === null ? undefined : rows[selected];
  const hasDetail = isDetailOpen && shown !== undefined;
  useKeys("Compare", [
    { keys: ["n"], label: "Next difference", run: () => toDifference(1) },
    { keys: ["N"], label: "Previous difference", run: () => toDifference(-1) },
    { keys: ["j", "ArrowDown"], label: "Next call", run: () => move(1) },
    { keys: ["k", "ArrowUp"], label: "Previous call", run: () => move(-1) },
    { keys: ["Enter", "o"], label: "Show in what a call differs", run: () => selected !== null && openRow(selected) },
    { keys: ["Escape"], label: "Close it", run: () => hasDetail && close() },
    { keys: ["="], label: "Show or fold calls that are the same", run: () => setAllOpen(!isAllOpen) },
    { keys: ["a"], label: "Open run A at this call", run: () => openIn("left") },
    { keys: ["b"], label: "Open run B at this call", run: () => openIn("right") },
    { keys: ["s"], label: "Swap A and B", run: swap },
  ]);

  const render = useCallback(
    (row: CompareRow) => (
      <CompareRowView
        row={row}
        isSelected={row.kind === "call" && row.index === selected}
        onOpen={openRow}
        onFold={(key) => setOpen((before) => toggled(before, key))}
      />
    ),
    [selected, openRow],
  );
  const listPlace = useRef<HTMLDivElement>(null);
  return (
    <div class={`compare${hasDetail ? " with-detail" : ""}`}>
      <CompareHeader
        comparison={comparison}
        differences={differences}
        selected={selected}
        isAllOpen={isAllOpen}
        onAllOpen={setAllOpen}
        onMove={toDifference}
        onSwap={swap}
      />
      <div class="compare-body">
        <div class="compare-list" ref={listPlace}>
          <VirtualList
            label="Calls of both runs"
            items={list}
            keyOf={keyOf}
            estimatedHeight={ROW_HEIGHT_PX}
            render={render}
            reveal={reveal}
          />
        </div>
        {hasDetail && <CompareDetail key={selected} source={source} place={place} row={shown} onClose={close} />}
      </div>
    </div>
  );
}

function keyOf(row: CompareRow): string {
  return row.key;
}

function toggled(before: ReadonlySet<string>, key: string): ReadonlySet<string> {
  return new Set(before.has(key) ? [...before].filter((other) => other !== key) : [...before, key]);
}
