import type { ComponentChildren } from "preact";

/** Moves a row in as deep as it is nested. */

/** How deep something stands can be seen up to here; what is deeper is not moved further. */
const MOST_DEPTH = 5;

export function Indented({ depth, children }: { depth: number; children: ComponentChildren }) {
  const level = Math.min(depth, MOST_DEPTH);
  return <div class={level === 0 ? "story-part" : `story-part inside level-${level}`}>{children}</div>;
}
