import { isWrapped } from "./wrap.ts";

/** Switches whether long lines are broken at the edge. */
export function WrapToggle() {
  return (
    <button
      type="button"
      class="toggle"
      aria-pressed={isWrapped.value}
      title="Break long lines at the edge"
      onClick={() => {
        isWrapped.value = !isWrapped.value;
      }}
    >
      Wrap
    </button>
  );
}
