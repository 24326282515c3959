import type { CliContext } from "../context.ts";
import { type Paint, paintFor } from "../text/paint.ts";

/** How a story is laid out. */
export interface StoryStyle {
  /** Nothing is folded. */
  full: boolean;
  /** Columns. */
  width: number;
  paint: Paint;
  /** Epoch ms. */
  now: number;
  timeZone: string | undefined;
  /** Called when something is left out. */
  onFold?: () => void;
}

/** Width where stdout is no terminal, and the most that reads well on one. */
const READABLE_COLUMNS = 100;

export function storyStyle(context: CliContext, full: boolean): StoryStyle {
  return {
    full,
    width: Math.min(READABLE_COLUMNS, Math.max(40, context.terminal.columns ?? READABLE_COLUMNS)),
    paint: paintFor(context.terminal.color),
    now: context.now(),
    timeZone: context.timeZone,
  };
}
