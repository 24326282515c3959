import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import type { Story } from "../../core/story.ts";
import { announce } from "../app/announce.tsx";
import { go, type Route } from "../app/route.ts";
import { inFrames } from "../ui/in-frames.ts";
import { agentsAround, agentsOf, type RunRows } from "./story/run-rows.ts";
import { allParts, isSelectable, launcherOf, nextKey, partOf } from "./story/story-order.ts";
import { WIDE } from "./use-media.ts";
import { useRunKeys } from "./use-run-keys.ts";

/** Selecting, revealing and opening in a run's view, by key and by hand; the selection itself is kept in the address. */

export interface RunMovesOptions {
  place: Extract<Route, { view: "run" }>;
  story: Story;
  rows: RunRows;
  isFiltered: boolean;
  fold: (agentIds: readonly string[]) => void;
  zoom: (factor: number) => void;
  whole: () => void;
  focusFilter: () => void;
  isFollowing: boolean;
  setFollowing: (isFollowing: boolean) => void;
}

export interface RunMoves {
  /** Selects, and brings into sight. */
  select: (key: string) => void;
  /** Selects and shows the detail. */
  open: (key: string) => void;
  revealKey: (key: string) => void;
  reveal: { key: string; wish: number } | null;
  isDetailOpen: boolean;
  closeDetail: () => void;
  match: (direction: 1 | -1) => void;
  zoom: (factor: number) => void;
  follow: (isFollowing: boolean) => void;
}

export function useRunMoves(options: RunMovesOptions): RunMoves {
  const { place, story, rows, isFiltered, fold, zoom, whole, focusFilter, isFollowing, setFollowing } = options;
  const selected = place.step;
  const [reveal, setReveal] = useState<{ key: string; wish: number } | null>(null);
  const [isOpen, setOpen] = useState(true);
  const latest = useRef(place);
  latest.current = place;
  const mayFocus = useRef(false);

  const revealKey = useCallback((key: string) => {
    setReveal((before) => ({ key, wish: (before?.wish ?? 0) + 1 }));
  }, []);
  const select = useCallback(
    (key: string) => {
      setFollowing(false);
      go({ ...latest.current, step: key }, "replace");
      revealKey(key);
    },
    [revealKey, setFollowing],
  );
  const open = useCallback((key: string) => {
    setOpen(true);
    go({ ...latest.current, step: key }, "replace");
  }, []);
  const closeDetail = useCallback(() => {
    setOpen(false);
    if (latest.current.isRaw) go({ ...latest.current, isRaw: false }, "replace");
    mayFocus.current = true;
  }, []);
  const moveTo = (key: string | null, none: string) => {
    if (key === null) {
      announce(none);
      return;
    }
    mayFocus.current = true;
    // Over the list the detail opens only when it is asked for.
    if (selected === null) setOpen(matchMedia(WIDE).matches);
    select(key);
  };
  const follow = (isWanted: boolean) => {
    if (isWanted) revealKey("end");
    setFollowing(isWanted);
  };
  const error = (direction: 1 | -1) => {
    const isWanted = (part: { key: string }) => !isFiltered || rows.indexOf(part.key) >= 0;
    moveTo(
      nextKey(allParts(story), selected, direction, (part) => isWanted(part) && isFailed(part)),
      "No errors",
    );
  };
  const match = (direction: 1 | -1) => {
    if (isFiltered)
      moveTo(
        nextKey(rows.rows, selected, direction, ({ isMatch }) => isMatch),
        "No matching calls",
      );
    else error(direction);
  };
  const isDetailOpen = isOpen && (selected !== null || place.isRaw);

  useRunKeys({
    move: (direction) =>
      moveTo(nextKey(rows.rows, selected, direction, isSelectable, selected === null), "No more rows"),
    edge: (edge) => moveTo(nextKey(rows.rows, null, edge === "first" ? 1 : -1, isSelectable), "No rows"),
    open: (event) => {
      const control =
        event.target instanceof HTMLElement ? event.target.closest<HTMLElement>("button, a, summary") : null;
      if (event.key === "Enter" && control !== null) return false;
      if (selected !== null) setOpen(true);
      else moveTo(nextKey(rows.rows, null, 1, isSelectable), "No rows");
      return undefined;
    },
    close: () => {
      const active = document.activeElement;
      if (active instanceof HTMLInputElement) active.blur();
      else if (isDetailOpen) closeDetail();
      else if (selected !== null) go({ ...place, step: null }, "replace");
      else if (place.filter !== "") go({ ...place, filter: "" }, "replace");
      // Nothing is left to close: the key leads back to the list.
      else return false;
      return undefined;
    },
    sameTool: (direction) => {
      const part = selected === null ? undefined : partOf(story, selected);
      if (part?.kind !== "step") return announce("Select a call first");
      const { server, tool } = part.step;
      const key = nextKey(allParts(story), selected, direction, (other) => {
        if (isFiltered && rows.indexOf(other.key) < 0) return false;
        return other.kind === "step" && other.step.server === server && other.step.tool === tool;
      });
      moveTo(key === selected ? null : key, "No other call of this tool");
    },
    error,
    match,
    filter: focusFilter,
    zoom,
    whole,
    fold: () => {
      if (selected === null) return;
      const part = partOf(story, selected);
      const own = part === undefined ? [] : agentsOf(part).map(({ id }) => id);
      if (own.length > 0) return fold(own);
      const around = agentsAround(story, selected).at(-1);
      const launcher = around === undefined ? null : launcherOf(story, around);
      if (around === undefined || launcher === null) return;
      moveTo(launcher, "");
      fold([around]);
    },
    follow: () => follow(!isFollowing),
    raw: () => {
      setOpen(true);
      go({ ...place, isRaw: !place.isRaw }, "replace");
    },
  });

  // Where the keyboard is, the focus is: screen readers read the row that was gone to.
  useEffect(() => {
    if (!mayFocus.current) return undefined;
    mayFocus.current = false;
    if (selected === null) return undefined;
    // A list that was behind the detail has its rows a frame or two later.
    return inFrames(() => focusRow(selected));
  }, [selected, reveal, isDetailOpen]);

  return { select, open, revealKey, reveal, isDetailOpen, closeDetail, match, zoom, follow };
}

function isFailed(part: ReturnType<typeof allParts>[number]): boolean {
  return part.kind === "step" && part.step.status === "error";
}

/** Focuses a row, unless somebody is in the detail or types. True once something has the focus. */
function focusRow(key: string): boolean {
  const active = document.activeElement;
  if (active instanceof HTMLElement && active.closest(".detail-body, input") !== null) return true;
  document.querySelector<HTMLElement>(`.story [data-part="${CSS.escape(key)}"]`)?.focus({ preventScroll: true });
  return document.activeElement !== document.body;
}
