import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Facets } from "../../core/service-wire.ts";
import { announce } from "../app/announce.tsx";
import { indexState } from "../app/connection.ts";
import { useKeys } from "../app/keys.ts";
import { go, type Route } from "../app/route.ts";
import { ProblemState } from "../app/states.tsx";
import { useTitle } from "../app/title.ts";
import type { Source } from "../data/source.ts";
import { NothingFound, NothingRecorded } from "./empty.tsx";
import { HitList } from "./hit-list.ts";
import { HitPanel } from "./hit-panel.tsx";
import { freeWords } from "./query-text.ts";
import { QuickFilters } from "./quick-filters.tsx";
import { RunList } from "./run-list.ts";
import { RunPanel } from "./run-panel.tsx";
import { SearchBox } from "./search-box.tsx";

/** The list of all runs, and the search over them. */

const TYPING_MS = 80;
const FACETS_MS = 30_000;

/** A key at the end whose value is still to be written. */
const UNFINISHED = /(?:^|\s)[a-z]+:"?$/i;

interface Lists {
  runs: RunList;
  hits: HitList;
}

/** They outlive the view: whoever comes back finds them as they were. */
const listsOf = new WeakMap<Source, Lists>();

export function RunsView({ source, place }: { source: Source; place: Extract<Route, { view: "runs" }> }) {
  const { runs, hits } = listsFor(source);
  const { query } = place;
  const [text, setText] = useState(query);
  const typing = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const written = useRef(query);
  const [shown, setShown] = useState<"runs" | "calls">("runs");
  const { facets, askFacets } = useFacets(source);
  const words = useMemo(() => freeWords(query), [query]);
  const focusSearch = useRef(() => {});

  useEffect(() => {
    runs.show(query);
    hits.show(words.length === 0 ? null : query);
    // Where the address was changed by something else than typing, the box follows.
    if (query !== written.current) {
      written.current = query;
      setText(query);
    }
  }, [runs, hits, query, words]);
  useEffect(() => () => clearTimeout(typing.current), []);
  // Whoever comes back finds runs that have ended meanwhile at their day.
  useLayoutEffect(() => runs.settle(), [runs]);

  const onText = useCallback(
    (value: string, isFinal: boolean) => {
      setText(value);
      runs.isEntering.value = false;
      clearTimeout(typing.current);
      const commit = () => {
        const meant = (isFinal ? value : value.replace(UNFINISHED, "")).trim();
        written.current = meant;
        go({ view: "runs", query: meant }, "replace");
      };
      if (isFinal) commit();
      else typing.current = setTimeout(commit, TYPING_MS);
    },
    [runs],
  );

  const total = runs.total.value;
  const isFound = runs.shown.value === query;
  useTitle(query === "" ? "Runs" : `${query} · Runs`);
  useAnnouncedCount(isFound ? total : null, query);
  useKeys("Search", [
    { keys: ["/"], label: "Search", run: () => focusSearch.current() },
    ...(query === "" ? [] : [{ keys: ["Escape"], label: "Clear the search", run: () => onText("", true) }]),
  ]);

  const problem = runs.problem.value;
  const isEmpty = runs.shown.value !== null && runs.runs.value.length === 0;
  const isUnused = isEmpty && query === "" && runs.shown.value === "";
  const hasHits = hits.hits.value.length > 0;
  useEffect(() => {
    // There is nothing to go to.
    if (isFound && isEmpty) runs.isEntering.value = false;
  }, [runs, isFound, isEmpty]);
  const pane = words.length === 0 ? "only-runs" : shown === "runs" ? "first-runs" : "first-calls";
  return (
    <div class="runs-view">
      <h1 class="visually-hidden">Recorded runs</h1>
      <div class="runs-head">
        <SearchBox
          text={text}
          issues={isFound && text.trim() === query ? runs.issues.value : []}
          facets={facets}
          isBusy={runs.isLoading.value}
          onText={onText}
          onBegin={askFacets}
          onLeave={() => {
            runs.isEntering.value = true;
          }}
          register={(focus) => {
            focusSearch.current = focus;
          }}
        />
        <div class="runs-tools" hidden={isUnused}>
          <QuickFilters text={text} facets={facets} onText={onText} />
          <span class="runs-count">
            {total !== null && `${total.toLocaleString("en")} ${total === 1 ? "run" : "runs"}`}
          </span>
        </div>
      </div>
      {words.length > 0 && !isEmpty && <PaneSwitch shown={shown} onShow={setShown} />}
      {problem !== null && runs.shown.value === null ? (
        <ProblemState problem={problem} onRetry={() => runs.again()} />
      ) : isEmpty && !hasHits ? (
        isUnused ? (
          <NothingRecorded />
        ) : (
          <NothingFound
            query={runs.shown.value ?? ""}
            hasWords={words.length > 0}
            isIndexing={!indexState.value.isCurrent}
            onClear={() => onText("", true)}
          />
        )
      ) : (
        <div class={`panes ${pane}`}>
          <RunPanel source={source} list={runs} query={query} words={words} />
          {words.length > 0 && <HitPanel list={hits} />}
        </div>
      )}
    </div>
  );
}

/** On narrow pages either the runs or the calls are shown. */
function PaneSwitch({ shown, onShow }: { shown: "runs" | "calls"; onShow: (shown: "runs" | "calls") => void }) {
  return (
    <div class="pane-switch" role="group" aria-label="What is shown">
      <button type="button" aria-pressed={shown === "runs"} onClick={() => onShow("runs")}>
        Runs
      </button>
      <button type="button" aria-pressed={shown === "calls"} onClick={() => onShow("calls")}>
        Matches
      </button>
    </div>
  );
}

function listsFor(source: Source): Lists {
  const lists = listsOf.get(source) ?? { runs: new RunList(source), hits: new HitList(source) };
  listsOf.set(source, lists);
  return lists;
}

/** What can be asked for: got when somebody is about to ask, and again after a while. */
function useFacets(source: Source) {
  const [facets, setFacets] = useState<Facets | null>(null);
  const askedAt = useRef(0);
  const askFacets = useCallback(() => {
    if (Date.now() - askedAt.current < FACETS_MS) return;
    askedAt.current = Date.now();
    source.facets(new AbortController().signal).then(setFacets, () => {
      askedAt.current = 0;
    });
  }, [source]);
  useEffect(askFacets, [askFacets]);
  return { facets, askFacets };
}

/** Says how many were found once the list is there; not for the list of all runs. */
function useAnnouncedCount(total: number | null, query: string): void {
  useEffect(() => {
    if (query === "" || total === null) return;
    const timer = setTimeout(() => announce(total === 1 ? "1 run found" : `${total} runs found`), 600);
    return () => clearTimeout(timer);
  }, [total, query]);
}
