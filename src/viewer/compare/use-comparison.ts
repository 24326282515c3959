import { useCallback, useEffect, useState } from "preact/hooks";
import type { Comparison } from "../../core/comparison.ts";
import { type Source, SourceProblem } from "../data/source.ts";

/** Two runs compared by the service, or why not. */
export function useComparison(source: Source, left: string, right: string) {
  const [comparison, setComparison] = useState<Comparison | null>(null);
  const [problem, setProblem] = useState<SourceProblem | null>(null);
  const [wish, setWish] = useState(0);
  useEffect(() => {
    const calledOff = new AbortController();
    setProblem(null);
    source.compare(left, right, calledOff.signal).then(setComparison, (fault: unknown) => {
      if (!calledOff.signal.aborted) setProblem(problemOf(fault));
    });
    return () => calledOff.abort();
  }, [source, left, right, wish]);
  const retry = useCallback(() => setWish((count) => count + 1), []);
  return { comparison, problem, retry };
}

export function problemOf(fault: unknown): SourceProblem {
  return fault instanceof SourceProblem ? fault : new SourceProblem("refused", String(fault));
}
