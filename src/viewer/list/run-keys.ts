import type { RunItem } from "../../core/service-wire.ts";
import { announce } from "../app/announce.tsx";
import { useKeys } from "../app/keys.ts";
import { go, runPlace } from "../app/route.ts";
import { deleteRun } from "../app/run-actions.tsx";
import { clearSelection, selection, toggleSelected } from "../app/selection.ts";
import type { Source } from "../data/source.ts";
import { toast } from "../ui/toast.tsx";
import type { RunList } from "./run-list.ts";
import type { ListRow } from "./run-rows.ts";

/** The keys of the list of runs. */

interface RunKeys {
  source: Source;
  list: RunList;
  rows: readonly ListRow[];
  /** Makes the run at a row the active one. */
  moveTo: (index: number) => void;
}

export function useRunKeys({ source, list, rows, moveTo }: RunKeys): void {
  const index = rows.findIndex((row) => row.kind === "run" && row.run.id === list.activeId.value);
  const activeRow = rows[index];
  const active: RunItem | null = activeRow?.kind === "run" ? activeRow.run : null;
  /** The next row with a run from here, in steps of 1 or -1. */
  const runFrom = (from: number, step: 1 | -1): number => {
    let at = from;
    while (rows[at]?.kind === "group") at += step;
    return at;
  };
  /** Lets a key be another pane's while the focus is there. */
  const here = (run: () => void) => () => {
    if (isInCalls()) return false;
    run();
    return undefined;
  };
  const withActive = (run: (active: RunItem) => void) => here(() => active !== null && run(active));

  useKeys("Runs", [
    { keys: ["j", "ArrowDown"], label: "Next run", run: here(() => moveTo(runFrom(index + 1, 1))) },
    { keys: ["k", "ArrowUp"], label: "Previous run", run: here(() => moveTo(runFrom(Math.max(0, index - 1), -1))) },
    { keys: ["g", "Home"], label: "First run", run: here(() => moveTo(runFrom(0, 1))) },
    { keys: ["G", "End"], label: "Last run so far", run: here(() => moveTo(runFrom(rows.length - 1, -1))) },
    {
      keys: ["Enter"],
      label: "Open the run",
      run: () => {
        if (active === null || isOnControl()) return false;
        go(runPlace(active.id));
        return undefined;
      },
    },
    { keys: ["x"], label: "Select for comparison", run: withActive(({ id }) => choose(id)) },
    { keys: ["c"], label: "Compare the selected runs", run: () => compare(active) },
    {
      keys: ["#", "Delete"],
      label: "Delete, with undo",
      run: withActive((run) => {
        moveTo(runFrom(index + 1, 1));
        void deleteRun(
          source,
          run,
          () => list.drop(run.id),
          () => list.refreshSoon(),
        );
      }),
    },
    ...(selection.value.length === 0 ? [] : [{ keys: ["Escape"], label: "Select none", run: clearSelection }]),
  ]);
}

/** Goes to the comparison of the two chosen runs. */
export function compareChosen(): void {
  const [left, right] = selection.value;
  if (left === undefined || right === undefined) return;
  clearSelection();
  go({ view: "compare", left, right, row: null });
}

/** The same; of one chosen run with the active one. */
function compare(active: RunItem | null): void {
  const [first] = selection.value;
  if (selection.value.length === 1 && active !== null && active.id !== first) toggleSelected(active.id);
  if (selection.value.length === 2) compareChosen();
  else toast({ text: "Select two runs with x, then compare them with c.", lastsMs: 4000 });
}

function choose(id: string): void {
  toggleSelected(id);
  const count = selection.value.length;
  announce(selection.value.includes(id) ? `Selected, ${count} of 2` : "Not selected");
}

function isInCalls(): boolean {
  return document.activeElement?.closest(".pane-calls") != null;
}

/** What has the focus does something with Enter by itself. */
function isOnControl(): boolean {
  return document.activeElement?.closest("a, button, input, [role=option]") != null;
}
