import { useEffect, useMemo, useState } from "preact/hooks";
import { stepChanges } from "../../core/compare/step-changes.ts";
import type { ComparedStep, ComparisonRow } from "../../core/comparison.ts";
import type { Step } from "../../core/run.ts";
import { toolName } from "../../core/text/run-facts.ts";
import { span } from "../../core/text/when.ts";
import { hrefOf, type Route, runPlace } from "../app/route.ts";
import type { Source, SourceProblem } from "../data/source.ts";
import { JsonTree } from "../inspect/json/json-tree.tsx";
import { PaneContext, usePane } from "../inspect/text/pane.ts";
import { Icon } from "../ui/icon.tsx";
import { StatusBadge } from "../ui/status.tsx";
import { rowWords } from "./compare-rows.ts";
import { problemOf } from "./use-comparison.ts";
import { ValueDiff } from "./value-diff.tsx";

/** One row in detail: the calls of both sides whole, and in what they differ. */

interface DetailProps {
  source: Source;
  place: Extract<Route, { view: "compare" }>;
  row: ComparisonRow;
  onClose: () => void;
}

/** More differences than a person reads one by one. */
const SHOWN_CHANGES = 100;

export function CompareDetail({ source, place, row, onClose }: DetailProps) {
  const { left, right } = row;
  const { steps, problem } = useSteps(source, place, row);
  const step = left ?? right;
  const { sign, words } = rowWords(row);
  const { box, content, pane } = usePane();
  return (
    <aside ref={box} class="compare-detail" aria-label="The call in detail" tabIndex={-1}>
      <div ref={content} class="compare-detail-content">
        <div class="compare-detail-head">
          <h2 class="recorded">{step === null ? "" : toolName(step)}</h2>
          <button type="button" class="icon-button" aria-label="Close" title="Close (Esc)" onClick={onClose}>
            <Icon name="close" />
          </button>
        </div>
        <p class="compare-verdict">
          <span class="compare-sign" aria-hidden="true">
            {sign}
          </span>
          {sign === "≠" ? `differs: ${words}` : words}
        </p>
        <ul class="compare-sides">
          <SideFacts letter="A" runId={place.left} step={left} />
          <SideFacts letter="B" runId={place.right} step={right} />
        </ul>
        {problem !== null && <p class="compare-problem">{problem.message}</p>}
        {steps === null && problem === null && (
          <p class="soft" role="status">
            Reading…
          </p>
        )}
        {steps !== null && (
          <PaneContext.Provider value={pane}>
            <Content steps={steps} />
          </PaneContext.Provider>
        )}
      </div>
    </aside>
  );
}

interface Steps {
  left: Step | null;
  right: Step | null;
}

function useSteps(source: Source, { left, right }: { left: string; right: string }, row: ComparisonRow) {
  const [steps, setSteps] = useState<Steps | null>(null);
  const [problem, setProblem] = useState<SourceProblem | null>(null);
  useEffect(() => {
    const calledOff = new AbortController();
    const read = (runId: string, step: ComparedStep | null) =>
      step === null ? null : source.step(runId, step.id, calledOff.signal);
    Promise.all([read(left, row.left), read(right, row.right)]).then(
      ([a, b]) => setSteps({ left: a, right: b }),
      (fault: unknown) => {
        if (!calledOff.signal.aborted) setProblem(problemOf(fault));
      },
    );
    return () => calledOff.abort();
  }, [source, left, right, row]);
  return { steps, problem };
}

function SideFacts({ letter, runId, step }: { letter: "A" | "B"; runId: string; step: ComparedStep | null }) {
  if (step === null) {
    return (
      <li class="soft">
        <span class="compare-letter">{letter}</span> no such call
      </li>
    );
  }
  return (
    <li>
      <span class="compare-letter">{letter}</span>
      <a href={hrefOf(runPlace(runId, step.id))}>call {step.index + 1}</a>
      <StatusBadge status={step.status} isQuiet />
      {step.durationMs !== null && <span class="soft">{span(step.durationMs)}</span>}
    </li>
  );
}

function Content({ steps: { left, right } }: { steps: Steps }) {
  const changes = useMemo(
    () => (left === null || right === null ? null : stepChanges(left, right, SHOWN_CHANGES)),
    [left, right],
  );
  const step = left ?? right;
  if (step === null) return null;
  if (changes !== null && changes.changes.length > 0) return <ValueDiff {...changes} />;
  return (
    <>
      <h3>Arguments</h3>
      <JsonTree value={step.args} label="Arguments" />
      <h3>{step.rpcError === null ? "Result" : "Error"}</h3>
      <JsonTree value={step.rpcError ?? step.result ?? step.error} label="Result" />
    </>
  );
}
