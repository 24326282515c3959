import { useLayoutEffect, useRef } from "preact/hooks";
import { Icon } from "../../ui/icon.tsx";

/** The field for words to find, and where among their places a person is. */

export interface FindBarProps {
  query: string;
  total: number;
  /** From 0; -1 before the first. */
  current: number;
  onQuery: (query: string) => void;
  onMove: (by: 1 | -1) => void;
  onClose: () => void;
  /** Changes with each wish to type into it. */
  wish: number;
}

export function FindBar({ query, total, current, onQuery, onMove, onClose, wish }: FindBarProps) {
  const field = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => {
    field.current?.focus();
    field.current?.select();
  }, [wish]);
  const count = total >= 10_000 ? "10,000+" : total.toLocaleString("en");
  const place =
    query === "" ? "" : total === 0 ? "not found" : current < 0 ? `${count} found` : `${current + 1} of ${count}`;
  return (
    <search class="find-bar">
      <Icon name="search" />
      <input
        ref={field}
        type="text"
        class="find-field"
        aria-label="Find in the detail"
        placeholder="Find in the detail"
        autocomplete="off"
        spellcheck={false}
        value={query}
        onInput={(event) => onQuery(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.isComposing) return;
          if (event.key === "Enter") onMove(event.shiftKey ? -1 : 1);
          else if (event.key === "Escape") onClose();
          else return;
          event.preventDefault();
          event.stopPropagation();
        }}
      />
      <span class="find-count soft" role="status">
        {place}
      </span>
      <button
        type="button"
        class="icon-button small"
        aria-label="Previous place"
        title="Previous (N)"
        onClick={() => onMove(-1)}
      >
        <Icon name="arrowUp" />
      </button>
      <button
        type="button"
        class="icon-button small flipped"
        aria-label="Next place"
        title="Next (n)"
        onClick={() => onMove(1)}
      >
        <Icon name="arrowUp" />
      </button>
      <button type="button" class="icon-button small" aria-label="Close find" title="Close (Esc)" onClick={onClose}>
        <Icon name="close" />
      </button>
    </search>
  );
}
