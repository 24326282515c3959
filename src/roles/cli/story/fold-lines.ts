import { visibleLines } from "../../../core/text/visible.ts";
import { counted } from "../../../core/text/when.ts";
import { cut } from "../text/fit.ts";
import type { StoryStyle } from "./style.ts";

/** Long text in a few lines, and what was left out told. */

/** So many lines of a folded text are shown. */
const SHOWN_LINES = 6;

/** The lines of a text, safe to show, folded unless the style is full; `indent` columns are taken before each. */
export function foldedLines(text: string, style: StoryStyle, indent: number): string[] {
  const all = visibleLines(text.replace(/\n+$/, ""));
  if (style.full) return all;
  // A single line more would take the place of the sentence about it.
  const shown = all.length <= SHOWN_LINES + 1 ? all : all.slice(0, SHOWN_LINES);
  const lines = shown.map((line) => cut(line, style.width - indent));
  const isCut = lines.some((line, index) => line !== shown[index]);
  if (shown.length === all.length && !isCut) return lines;
  style.onFold?.();
  const rest =
    shown.length < all.length
      ? counted(all.length - shown.length, "more line")
      : `${counted(text.length, "character")} in all`;
  return [...lines, style.paint.dim(`… ${rest}`)];
}
