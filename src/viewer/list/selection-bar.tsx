import { clearSelection, selection } from "../app/selection.ts";

/** Says how many runs are chosen, and leads to their comparison. */
export function SelectionBar({ onCompare }: { onCompare: () => void }) {
  const count = selection.value.length;
  if (count === 0) return null;
  return (
    <div class="selection-bar" role="region" aria-label="Selected runs">
      <span>{count === 1 ? "1 run selected. Select another one to compare." : "2 runs selected."}</span>
      <button type="button" class="button primary" disabled={count < 2} onClick={onCompare}>
        Compare <kbd>c</kbd>
      </button>
      <button type="button" class="button quiet" onClick={clearSelection}>
        Clear
      </button>
    </div>
  );
}
