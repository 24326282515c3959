import type { ComponentChildren } from "preact";
import type { ComparedRun, Comparison } from "../../core/comparison.ts";
import type { RunStatus } from "../../core/run.ts";
import type { CalledTool } from "../../core/text/run-title.ts";
import { clock, counted, span } from "../../core/text/when.ts";
import { hrefOf, runPlace } from "../app/route.ts";
import { Icon } from "../ui/icon.tsx";
import { runTitle } from "../ui/run-title.ts";
import { StatusBadge } from "../ui/status.tsx";
import { age, exactDate } from "../ui/time.ts";
import { sideTools } from "./compare-rows.ts";

/** Which two runs they are, in how much they differ, and the ways from one difference to the next. */

export interface CompareHeaderProps {
  comparison: Comparison;
  /** Rows that are not the same on both sides. */
  differences: readonly number[];
  selected: number | null;
  isAllOpen: boolean;
  onAllOpen: (isAllOpen: boolean) => void;
  onMove: (by: 1 | -1) => void;
  onSwap: () => void;
}

export function CompareHeader(props: CompareHeaderProps) {
  const { comparison, differences, selected, isAllOpen, onAllOpen, onMove, onSwap } = props;
  const { left, right, counts } = comparison;
  const number = selected === null ? -1 : differences.indexOf(selected);
  return (
    <header class="compare-header">
      <h1 class="visually-hidden" tabIndex={-1}>
        Two runs compared
      </h1>
      <div class="compare-runs">
        <RunCard letter="A" run={left} tools={sideTools(comparison, "left")} />
        <button
          type="button"
          class="icon-button compare-swap"
          aria-label="Swap A and B"
          title="Swap A and B (s)"
          onClick={onSwap}
        >
          <Swap />
        </button>
        <RunCard letter="B" run={right} tools={sideTools(comparison, "right")} />
      </div>
      {left.id === right.id && <p class="compare-note">Both are the same run.</p>}
      <div class="compare-bar">
        <p class="compare-counts">
          <Count sign="=" kind="same">
            {counted(counts.same, "call")} the same
          </Count>
          {counts.changed > 0 && (
            <Count sign="≠" kind="changed">
              {counts.changed} {counts.changed === 1 ? "differs" : "differ"}
            </Count>
          )}
          {counts.leftOnly > 0 && (
            <Count sign="−" kind="left">
              {counts.leftOnly} only in A
            </Count>
          )}
          {counts.rightOnly > 0 && (
            <Count sign="+" kind="right">
              {counts.rightOnly} only in B
            </Count>
          )}
        </p>
        <span class="compare-space" />
        <button
          type="button"
          class="button quiet"
          aria-pressed={isAllOpen}
          title="Show or fold calls that are the same (=)"
          onClick={() => onAllOpen(!isAllOpen)}
        >
          All calls
        </button>
        {differences.length > 0 && (
          <div class="compare-moves" role="group" aria-label="Differences">
            <button
              type="button"
              class="icon-button"
              aria-label="Previous difference"
              title="Previous difference (N)"
              onClick={() => onMove(-1)}
            >
              <span class="compare-up">
                <Icon name="chevronDown" />
              </span>
            </button>
            <span class="compare-number">
              {number < 0 ? counted(differences.length, "difference") : `${number + 1} of ${differences.length}`}
            </span>
            <button
              type="button"
              class="icon-button"
              aria-label="Next difference"
              title="Next difference (n)"
              onClick={() => onMove(1)}
            >
              <Icon name="chevronDown" />
            </button>
          </div>
        )}
      </div>
    </header>
  );
}

function RunCard({ letter, run, tools }: { letter: "A" | "B"; run: ComparedRun; tools: readonly CalledTool[] }) {
  const { id, input, status, startedAt, endedAt, stepCount } = run;
  const { text, isPrompt } = runTitle(input, tools, 200);
  return (
    <section class="compare-run" aria-label={`Run ${letter}`}>
      <span class="compare-letter" aria-hidden="true">
        {letter}
      </span>
      <div class="compare-about">
        <a class={`compare-title recorded${isPrompt ? "" : " no-prompt"}`} href={hrefOf(runPlace(id))} title={text}>
          {text}
        </a>
        <p class="compare-facts">
          <StatusBadge status={status as RunStatus} isQuiet />
          <span title={exactDate(startedAt)}>
            {clock(startedAt, undefined)} ({age(startedAt)})
          </span>
          {endedAt !== null && <span>{span(endedAt - startedAt)}</span>}
          <span>{counted(stepCount, "call")}</span>
        </p>
      </div>
    </section>
  );
}

function Count({ sign, kind, children }: { sign: string; kind: string; children: ComponentChildren }) {
  return (
    <span class={`compare-count ${kind}`}>
      <span class="compare-sign" aria-hidden="true">
        {sign}
      </span>
      {children}
    </span>
  );
}

function Swap() {
  return (
    <svg class="icon" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true" focusable="false">
      <path d="M2.5 5.5h10M9.8 2.8l2.7 2.7-2.7 2.7M13.5 10.5h-10M6.2 7.8 3.5 10.5l2.7 2.7" />
    </svg>
  );
}
