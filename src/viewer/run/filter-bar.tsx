import type { RefObject } from "preact";
import { Icon } from "../ui/icon.tsx";

/** Where the filter of a run is typed, how much it found, and the ways to the next and the previous of that. */

export interface FilterBarProps {
  text: string;
  input: RefObject<HTMLInputElement | null>;
  isFiltered: boolean;
  matchCount: number;
  callCount: number;
  /** Where in what was found the selection is, from 1; null where it is not among that. */
  matchAt: number | null;
  onText: (text: string) => void;
  onMove: (direction: 1 | -1) => void;
  axis: { isWhole: boolean; onZoom: (factor: number) => void; onWhole: () => void };
}

export function FilterBar(props: FilterBarProps) {
  const { text, input, isFiltered, matchCount, callCount, matchAt, onText, onMove, axis } = props;
  const found = `${matchAt === null ? "" : `${matchAt.toLocaleString("en")} of `}${matchCount.toLocaleString("en")}`;
  return (
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
        <span class="failed">failed</span>
        <span class="slow">slow</span>
        <span class="undone">not done</span>
        <span class="agents">subagent</span>
      </span>
      <span class="axis-buttons" role="group" aria-label="Time axis">
        <button
          type="button"
          class="button quiet"
          title="Show more time (-)"
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
          title="Show less time (+)"
          aria-label="Zoom in"
          onClick={() => axis.onZoom(0.5)}
        >
          +
        </button>
      </span>
    </div>
  );
}
