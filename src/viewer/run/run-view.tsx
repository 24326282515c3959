import { useSignal } from "@preact/signals";
import { useCallback, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Step } from "../../core/run.ts";
import type { Story } from "../../core/story.ts";
import { toolName } from "../../core/text/run-facts.ts";
import { calledTools } from "../../core/text/run-title.ts";
import { span } from "../../core/text/when.ts";
import { go, type Route } from "../app/route.ts";
import { RunMenu } from "../app/run-actions.tsx";
import { ProblemState } from "../app/states.tsx";
import { useTitle } from "../app/title.ts";
import type { Source } from "../data/source.ts";
import { runTitle } from "../ui/run-title.ts";
import { toast } from "../ui/toast.tsx";
import { visibleText } from "../ui/visible.ts";
import { axisLegend } from "./axis/axis-legend.ts";
import type { AxisModel } from "./axis/axis-model.ts";
import { AxisPanel } from "./axis/axis-panel.tsx";
import { useAxisWindow } from "./axis/axis-window.ts";
import { RunDetail } from "./detail/run-detail.tsx";
import { FilterBar } from "./filter-bar.tsx";
import { FilterText, isEmptyFilter, parseRunFilter, unknownKey } from "./run-filter.ts";
import { RunHeader } from "./run-header.tsx";
import type { RunReadout } from "./run-reading.ts";
import { RemovedBanner, RunLoading } from "./run-state.tsx";
import { callLine } from "./story/call-line.ts";
import { NOTE_WORDS } from "./story/part-words.ts";
import type { RowContext } from "./story/row-context.ts";
import { rowsOf, timeOf } from "./story/run-rows.ts";
import { isSlow, slowThreshold } from "./story/slow-calls.ts";
import { StoryList } from "./story/story-list.tsx";
import { partOf } from "./story/story-order.ts";
import { useFolding } from "./story/use-folding.ts";
import { toolUse } from "./tool-use.ts";
import { useMedia, WIDE } from "./use-media.ts";
import { useRun } from "./use-run.ts";
import { useRunMoves } from "./use-run-moves.ts";

/** A run as a story: what an agent was asked, what it did, and how that ended. */

export type RunPlace = Extract<Route, { view: "run" }>;

export function RunView({ source, place }: { source: Source; place: RunPlace }) {
  const read = useRun(source, place.id);
  const { story, problem } = read;
  useTitle(titleOf(read));
  if (story === null) {
    if (problem !== null) {
      return (
        <>
          <h1 class="visually-hidden">A run</h1>
          <ProblemState problem={problem} onRetry={read.retry} />
        </>
      );
    }
    return <RunLoading />;
  }
  return (
    <>
      {read.isRemoved && <RemovedBanner onRestore={() => void restore(source, place.id)} />}
      <StoryView source={source} place={place} story={story} isWhole={read.isWhole} />
    </>
  );
}

/** As the list names it; null while nothing is known of it. */
function titleOf({ story, item }: Pick<RunReadout, "story" | "item">): string | null {
  if (story !== null) return runTitle(story.run.input, calledTools(story.run.steps), 100).text;
  return item === null ? null : runTitle(item.input, item.tools, 100).text;
}

interface StoryViewProps {
  source: Source;
  place: RunPlace;
  story: Story;
  isWhole: boolean;
}

function StoryView({ source, place, story, isWhole }: StoryViewProps) {
  const { run } = story;
  const selected = place.step;
  const isGrowing = run.status === "running" || !isWhole;
  const texts = useRef(new FilterText()).current;
  const filterInput = useRef<HTMLInputElement>(null);
  const model = useRef<AxisModel | null>(null);
  const inSight = useSignal<{ from: number; to: number } | null>(null);
  const axis = useAxisWindow();
  const [isFollowing, setFollowing] = useState(false);
  const [unfolded, setUnfolded] = useState<ReadonlySet<string>>(new Set());

  const filter = useMemo(() => parseRunFilter(place.filter), [place.filter]);
  const isWide = useMedia(WIDE);
  const isFiltered = !isEmptyFilter(filter);
  const { folded, fold } = useFolding(story, isWhole, selected);
  const slowMs = useMemo(() => slowThreshold(run.steps), [run]);
  const rows = useMemo(() => rowsOf(story, { filter, folded, slowMs }, texts), [story, filter, folded, slowMs]);
  const found = useMemo(
    () => (isFiltered ? new Set(rows.rows.filter(({ isMatch }) => isMatch).map(({ key }) => key)) : null),
    [rows, isFiltered],
  );
  const tools = useMemo(() => toolUse(run.steps), [run]);
  const errorCount = useMemo(() => counting(run.steps, ({ status }) => status === "error"), [run]);
  const legend = useMemo(() => axisLegend(run, slowMs), [run, slowMs]);
  const slowCount = useMemo(() => counting(run.steps, (step) => isSlow(step, slowMs)), [run, slowMs]);

  const setFilter = (text: string) => go({ ...place, filter: text }, "replace");
  const moves = useRunMoves({
    place,
    story,
    rows,
    isFiltered,
    fold,
    zoom: (factor) => {
      const part = selected === null ? undefined : partOf(story, selected);
      if (model.current !== null) axis.zoom(model.current.scale, factor, part?.at ?? null);
    },
    whole: axis.whole,
    focusFilter: () => filterInput.current?.select(),
    isFollowing,
    setFollowing,
  });
  const { select, open, reveal, revealKey, isDetailOpen, closeDetail } = moves;

  const onUnfold = useCallback((key: string) => {
    setUnfolded((before) => new Set(before.has(key) ? [...before].filter((each) => each !== key) : [...before, key]));
  }, []);
  const context: RowContext = useMemo(
    () => ({ run, selected, words: filter.words, slowMs, unfolded, onSelect: open, onFold: fold, onUnfold }),
    [run, selected, filter, slowMs, unfolded, open, fold, onUnfold],
  );
  const onRange = useCallback((range: { from: number; to: number } | null) => {
    const before = inSight.peek();
    if (before?.from !== range?.from || before?.to !== range?.to) inSight.value = range;
  }, []);

  // A link leads to its call, also where that comes only later.
  const hasSelected = selected !== null && rows.indexOf(selected) >= 0;
  const isShown = useRef<string | null>(null);
  useLayoutEffect(() => {
    if (!hasSelected || isShown.current === selected) return;
    isShown.current = selected;
    revealKey(selected);
  }, [hasSelected, selected]);

  // What is selected stays in sight as a filter's rows come and go.
  useLayoutEffect(() => {
    if (isShown.current !== null && isShown.current === selected && rows.indexOf(selected) >= 0) revealKey(selected);
  }, [place.filter]);

  const goTo = useCallback(
    (epochMs: number) => {
      let nearest: string | null = null;
      let away = Number.POSITIVE_INFINITY;
      for (const row of rows.rows) {
        const time = timeOf(row);
        if (time === null || Math.abs(time.from - epochMs) >= away) continue;
        [nearest, away] = [row.key, Math.abs(time.from - epochMs)];
      }
      if (nearest !== null) revealKey(nearest);
    },
    [rows, revealKey],
  );

  return (
    <div class={`run${isDetailOpen ? " with-detail" : ""}`}>
      <div class="run-top">
        <RunHeader
          story={story}
          tools={tools}
          errorCount={errorCount}
          slowCount={slowCount}
          filterText={place.filter}
          onFilter={setFilter}
          actions={<RunMenu source={source} run={run} />}
        />
        {run.steps.length > 0 && (
          <AxisPanel
            story={story}
            slowMs={slowMs}
            isRunning={isWhole && run.status === "running"}
            window={axis}
            selected={selected}
            found={found}
            inSight={inSight}
            onSelect={select}
            onGoTo={goTo}
            nameOf={(key) => nameOf(story, key)}
            modelOut={model}
          />
        )}
        <FilterBar
          text={place.filter}
          input={filterInput}
          isFiltered={isFiltered}
          matchCount={rows.matchCount}
          issues={filter.issues}
          legend={legend}
          callCount={run.steps.length}
          matchAt={found === null || selected === null ? null : [...found].indexOf(selected) + 1 || null}
          onText={setFilter}
          onMove={moves.match}
          axis={{ isWhole: axis.isWhole, onZoom: moves.zoom, onWhole: axis.whole }}
        />
      </div>
      <div class="run-body">
        <StoryList
          rows={rows}
          context={context}
          reveal={reveal}
          isGrowing={isGrowing && isWhole}
          onRange={onRange}
          isFollowing={isFollowing}
          onFollow={setFollowing}
          isCovered={isDetailOpen && !isWide}
          onNew={() => moves.follow(true)}
          empty={
            isFiltered && rows.rows.length === 0
              ? { unknownKey: unknownKey(filter), onClear: () => setFilter("") }
              : null
          }
        />
        {isDetailOpen && (
          <RunDetail
            source={source}
            story={story}
            selected={selected}
            isRaw={place.isRaw}
            isWhole={isWhole}
            onClose={closeDetail}
          />
        )}
      </div>
    </div>
  );
}

function counting(steps: readonly Step[], is: (step: Step) => boolean): number {
  let count = 0;
  for (const step of steps) if (is(step)) count++;
  return count;
}

/** What a part is called where the pointer is, safe to show. */
function nameOf(story: Story, key: string): string {
  const part = partOf(story, key);
  switch (part?.kind) {
    case "step": {
      const { step } = part;
      const time = step.durationMs === null ? "" : ` · ${span(step.durationMs)}`;
      return `${step.index + 1} ${toolName(step)} · ${step.status}${time}\n${callLine(step.args).slice(0, 120)}`;
    }
    case "note":
      return `${NOTE_WORDS[part.note.kind]}: ${visibleText(part.note.text.slice(0, 120))}`;
    case "gap":
      return `${part.gap.lost} lost here`;
    default:
      return "";
  }
}

async function restore(source: Source, id: string): Promise<void> {
  try {
    await source.restore(id);
  } catch {
    toast({ text: "The run could not be restored: its time for that is over.", kind: "error" });
  }
}
