import { useKeys } from "../app/keys.ts";

/** The keys of a run's view. */

export interface RunKeyActions {
  move(direction: 1 | -1): void;
  edge(edge: "first" | "last"): void;
  /** False: not meant for the list. */
  open(event: KeyboardEvent): false | undefined;
  /** False: there was nothing to close. */
  close(): false | undefined;
  sameTool(direction: 1 | -1): void;
  error(direction: 1 | -1): void;
  match(direction: 1 | -1): void;
  filter(): void;
  zoom(factor: number): void;
  whole(): void;
  fold(): void;
  follow(): void;
  raw(): void;
}

export function useRunKeys(actions: RunKeyActions): void {
  useKeys("Run", [
    { keys: ["j", "ArrowDown"], label: "Next row", run: (event) => inList(event) && actions.move(1) },
    { keys: ["k", "ArrowUp"], label: "Previous row", run: (event) => inList(event) && actions.move(-1) },
    { keys: ["Enter", "o"], label: "Open the detail", run: (event) => actions.open(event) },
    { keys: ["Escape"], label: "Close the detail; then leave the selection, the filter", run: () => actions.close() },
    { keys: ["g", "Home"], label: "First row", run: (event) => inList(event) && actions.edge("first") },
    { keys: ["G", "End"], label: "Last row", run: (event) => inList(event) && actions.edge("last") },
    { keys: ["e"], label: "Next error", run: () => actions.error(1) },
    { keys: ["E"], label: "Previous error", run: () => actions.error(-1) },
    { keys: ["]"], label: "Next call of the same tool", run: () => actions.sameTool(1) },
    { keys: ["["], label: "Previous call of the same tool", run: () => actions.sameTool(-1) },
    { keys: ["f", "/"], label: "Filter", run: () => actions.filter() },
    { keys: ["n"], label: "Next match of the filter, or error", run: () => actions.match(1) },
    { keys: ["N"], label: "Previous match of the filter, or error", run: () => actions.match(-1) },
    { keys: ["c"], label: "Fold a subagent's work away, or back", run: () => actions.fold() },
    { keys: ["+", "="], label: "Zoom in on the time axis", run: () => actions.zoom(0.5) },
    { keys: ["-"], label: "Zoom out of the time axis", run: () => actions.zoom(2) },
    { keys: ["0"], label: "The whole run on the time axis", run: () => actions.whole() },
    { keys: ["F"], label: "Follow what is new", run: () => actions.follow() },
    { keys: ["r"], label: "Raw JSON", run: () => actions.raw() },
  ]);
}

/** False for the arrows and the like of somebody who reads in the detail: they scroll there. */
function inList({ key, target }: KeyboardEvent): boolean {
  return key.length === 1 || !(target instanceof Element) || target.closest(".detail") === null;
}
