import type { CliContext } from "../context.ts";
import { type StoryStyle, storyStyle } from "../story/style.ts";

/** How two runs are laid out. */
export interface DiffStyle extends StoryStyle {
  /** Both runs beside one another; else one line under the other. */
  isSideBySide: boolean;
}

/** Two runs side by side need so many columns to be read, and are spread over no more than that. */
const BESIDE_COLUMNS = 120;
const MOST_COLUMNS = 180;

export function diffStyle(context: CliContext, full: boolean): DiffStyle {
  const columns = context.terminal.columns ?? 0;
  const style = storyStyle(context, full);
  if (columns < BESIDE_COLUMNS) return { ...style, isSideBySide: false };
  return { ...style, isSideBySide: true, width: Math.min(columns, MOST_COLUMNS) };
}
