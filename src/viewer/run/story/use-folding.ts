import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import type { Story } from "../../../core/story.ts";
import { agentsAround } from "./run-rows.ts";

/** Which agents' work is folded away. */

/** In a long run, agents that did more begin folded. */
const SHORT_WORK = 12;
const LONG_RUN = 60;

export interface Folding {
  folded: ReadonlySet<string>;
  /** Folds agents away, or back where all of them are. */
  fold: (agentIds: readonly string[]) => void;
}

export function useFolding(story: Story, isWhole: boolean, selected: string | null): Folding {
  const [folded, setFolded] = useState<ReadonlySet<string>>(new Set());
  const isBegun = useRef(false);

  useEffect(() => {
    // Decided once: what somebody looks at must not fold by itself.
    if (!isWhole || isBegun.current) return;
    isBegun.current = true;
    const { run, agents } = story;
    if (run.steps.length + run.notes.length <= LONG_RUN) return;
    const around = new Set(selected === null ? [] : agentsAround(story, selected));
    const long = [...agents.values()].filter(
      ({ id, launch, parts, runningCount }) =>
        launch !== "unknown" && parts.length > SHORT_WORK && runningCount === 0 && !around.has(id),
    );
    if (long.length > 0) setFolded(new Set(long.map(({ id }) => id)));
  }, [isWhole]);

  // What is selected, wherever that was done, can be seen.
  useEffect(() => {
    if (selected === null) return;
    const around = agentsAround(story, selected);
    setFolded((before) => {
      const hidden = around.filter((id) => before.has(id));
      return hidden.length === 0 ? before : new Set([...before].filter((id) => !hidden.includes(id)));
    });
  }, [selected, isWhole]);

  const fold = useCallback((agentIds: readonly string[]) => {
    setFolded((before) => {
      const isFolded = agentIds.every((id) => before.has(id));
      const others = [...before].filter((id) => !agentIds.includes(id));
      return new Set(isFolded ? others : [...others, ...agentIds]);
    });
  }, []);
  return { folded, fold };
}
