import { counted } from "../../../core/text/when.ts";
import { Markdown } from "../../inspect/markdown.tsx";
import { Recorded } from "../../ui/recorded.tsx";
import type { RowContext } from "./row-context.ts";
import { substringMarks } from "./substring-marks.ts";

/** What was asked, and what was answered. A long text is folded; one that is longer still is read in the detail. */

/** Text up to this length is shown whole; of longer text so much, UTF-16 units. */
const FOLDED_LENGTH = 900;
const FOLDED_LINES = 10;
/** More does not stand in the list. */
const UNFOLDED_LENGTH = 20_000;

interface ProseRowProps {
  kind: "prompt" | "answer";
  text: string;
  context: RowContext;
}

export function ProseRow({ kind, text, context }: ProseRowProps) {
  const { selected, unfolded, words } = context;
  const whole = text.trim();
  const folded = foldedText(whole);
  const isUnfolded = unfolded.has(kind);
  const shown = isUnfolded ? whole.slice(0, UNFOLDED_LENGTH).toWellFormed() : folded;
  return (
    <article
      class={`story-prose ${kind}`}
      aria-current={selected === kind ? "true" : undefined}
      onClick={({ target }) => {
        // The whole card leads to the detail, but what is in it can be marked and followed.
        const isOwn = target instanceof Element && target.closest("a, button, summary") !== null;
        if (!isOwn && getSelection()?.isCollapsed !== false) context.onSelect(kind);
      }}
    >
      <button type="button" class="story-label" data-part={kind} onClick={() => context.onSelect(kind)}>
        {kind === "prompt" ? "Prompt" : "Answer"}
      </button>
      <div class="prose-text">
        {words.length === 0 ? (
          <Markdown text={shown} />
        ) : (
          <Recorded class="prose-plain" text={shown} marks={substringMarks(shown, words)} />
        )}
        {shown.length < whole.length && "…"}
      </div>
      {folded.length < whole.length && (
        <button type="button" class="text-button" aria-expanded={isUnfolded} onClick={() => context.onUnfold(kind)}>
          {isUnfolded ? "Show less" : `Show all of it (${counted(whole.length, "character")})`}
        </button>
      )}
    </article>
  );
}

function foldedText(text: string): string {
  const lines = text.slice(0, FOLDED_LENGTH + 1).split("\n");
  if (text.length <= FOLDED_LENGTH && lines.length <= FOLDED_LINES + 2) return text;
  return lines.slice(0, FOLDED_LINES).join("\n").slice(0, FOLDED_LENGTH).toWellFormed();
}
