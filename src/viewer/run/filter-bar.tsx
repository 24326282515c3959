import type { RefObject } from "preact";
import { Icon } from "../ui/icon.tsx";
import { visibleText } from "../ui/visible.ts";
import type { LegendEntry } from "./axis/axis-legend.ts";
import type { FilterIssue } from "./run-filter.ts";

/** Where the filter of a run is typed, how much it found, and the ways to the next and the previous of that. */

export interface FilterBarProps {
  text: string;
  input: RefObject<HTMLInputElement | null>;
  isFiltered: boolean;
  matchCount: number;
  callCount: number;
  /** Where in what was found the selection is, from 1; null where it is not among that. */
  matchAt: number | null;
  /** What of the filter was left out. */
  issues: readonly FilterIssue[];
  legend: readonly LegendEntry[];
  onText: (text: string) => void;
  onMove: (direction: 1 | -1) => void;
  axis: { isWhole: boolean; onZoom: (factor: number) => void; onWhole: () => void };
}

export function FilterBar(props: FilterBarProps) {
  const { text, input, isFiltered, matchCount, callCount, matchAt, issues, legend, onText, onMove, axis } = props;
  const found = `${matchAt === null ? "" : `${matchAt.toLocaleString("en")} of `}${matchCount.toLocaleString("en")}`;
  return (
    <>
      <div class="filter-bar" role="search">
        <label class="filter-field">
          <Icon name="search" />
          <input
            ref={input}
            type="search"
            aria-label="Filter the calls of this run"
            value={text}
            placeholder="Filter: words, tool: server: is:error is:slow"
            autocomplete="off"
            spellcheck={false}
            onInput={(event) => onText(event.currentTarget.value)}
            onKeyDown={(event) => {
              if (event.key !== "Enter") return;
              event.preventDefault();
              onMove(event.shiftKey ? -1 : 1);
            }}
          />
          {text === "" && <kbd class="filter-key">f</kbd>}
        </label>
        {isFiltered && (
          <>
            <span class="filter-count" role="status">
              {matchCount === 0 ? `none of ${callCount.toLocaleString("en")} calls` : `${found} found`}
            </span>
            <button
              type="button"
              class="icon-button"
              aria-label="Previous match"
              title="Previous match (N)"
              disabled={matchCount === 0}
              onClick={() => onMove(-1)}
            >
              <Icon name="arrowUp" />
            </button>
            <button
              type="button"
              class="icon-button turned"
              aria-label="Next match"
              title="Next match (n)"
              disabled={matchCount === 0}
              onClick={() => onMove(1)}
            >
              <Icon name="arrowUp" />
            </button>
          </>
        )}
        <span class="axis-legend" aria-hidden="true">
          {legend.map(({ sign, word }) => (
            <span key={sign} class={sign}>
              {word}
            </span>
          ))}
        </span>
        <span class="axis-buttons" role="group" aria-label="Time axis">
          <button
            type="button"
            class="button quiet"
            title="Zoom out (-)"
            aria-label="Zoom out"
            disabled={axis.isWhole}
            onClick={() => axis.onZoom(2)}
          >
            −
          </button>
          <button
            type="button"
            class="button quiet"
            title="Show the whole run (0)"
            disabled={axis.isWhole}
            onClick={axis.onWhole}
          >
            whole run
          </button>
          <button
            type="button"
            class="button quiet"
            title="Zoom in (+)"
            aria-label="Zoom in"
            onClick={() => axis.onZoom(0.5)}
          >
            +
          </button>
        </span>
      </div>
      {issues.length > 0 && (
        <div class="filter-issues" role="status">
          {issues.map(({ term, message }) => (
            <span key={term}>
              <Icon name="alert" />
              <code class="recorded">{visibleText(term)}</code> is left out: {message}.
            </span>
          ))}
          <button type="button" class="text-button" onClick={() => onText("")}>
            Clear filter
          </button>
        </div>
      )}
    </>
  );
}
