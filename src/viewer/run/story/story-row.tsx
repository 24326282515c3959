import type { NoteEntry } from "../../../core/run.ts";
import { gapReason } from "../../../core/text/outcome.ts";
import { counted, span } from "../../../core/text/when.ts";
import { Icon, type IconName } from "../../ui/icon.tsx";
import { Recorded } from "../../ui/recorded.tsx";
import { StatusBadge } from "../../ui/status.tsx";
import { exactTime } from "../../ui/time.ts";
import { CallRow } from "./call-row.tsx";
import { Indented } from "./indented.tsx";
import { agentWords, END_WORDS, NOTE_WORDS } from "./part-words.ts";
import { planLines } from "./plan-lines.ts";
import { ProseRow } from "./prose-row.tsx";
import type { RowContext } from "./row-context.ts";
import type { RunRow } from "./run-rows.ts";
import { substringMarks } from "./substring-marks.ts";

/** One row of the story, whatever it is. Knows nothing of where it stands in the list. */

interface StoryRowProps {
  row: RunRow;
  context: RowContext;
}

export function StoryRow({ row, context }: StoryRowProps) {
  if (row.kind === "end") return <EndRow context={context} />;
  if (row.kind !== "part") return <ProseRow kind={row.kind} text={row.text} context={context} />;
  const { part } = row;
  switch (part.kind) {
    case "step":
      return <CallRow part={part} row={row} context={context} />;
    case "note":
      return <NoteRow note={part.note} depth={row.depth} context={context} rowKey={row.key} />;
    case "gap": {
      const { lost, reason, at } = part.gap;
      const what = lost > 0 ? `${lost} lost here` : "A break here";
      return (
        <Indented depth={row.depth}>
          <p class="story-gap" title={exactTime(at)}>
            <Icon name="alert" />
            <span>
              {what}: <Recorded text={gapReason(reason)} />
            </span>
          </p>
        </Indented>
      );
    }
    case "agent":
      return (
        <Indented depth={row.depth}>
          <button
            type="button"
            class="story-agent"
            data-part={row.key}
            aria-expanded={!row.isFolded}
            onClick={() => context.onFold([part.agent.id])}
          >
            <Icon name={row.isFolded ? "chevronRight" : "chevronDown"} />
            <span>
              Agent <Recorded text={part.agent.id} />
            </span>
            <span class="soft">{agentWords(part.agent)} · no call in this record launched it</span>
          </button>
        </Indented>
      );
  }
}

const NOTE_ICONS: Partial<Record<NoteEntry["kind"], IconName>> = {
  permission: "help",
  interrupt: "ban",
  compact: "columns",
  warning: "alert",
};
/** Of a long note so much stands in the list. */
const NOTE_LENGTH = 700;

interface NoteRowProps {
  note: NoteEntry;
  rowKey: string;
  depth: number;
  context: RowContext;
}

function NoteRow({ note, rowKey, depth, context }: NoteRowProps) {
  const { kind, at } = note;
  const icon = NOTE_ICONS[kind];
  const text = kind === "plan" ? planLines(note.text) : note.text.trim();
  const shown = text.length <= NOTE_LENGTH ? text : `${text.slice(0, NOTE_LENGTH).toWellFormed()}…`;
  return (
    <Indented depth={depth}>
      <button
        type="button"
        class={`story-note ${kind}`}
        data-part={rowKey}
        aria-current={context.selected === rowKey ? "true" : undefined}
        title={exactTime(at)}
        onClick={() => context.onSelect(rowKey)}
      >
        <span class="story-label">
          {icon !== undefined && <Icon name={icon} />}
          {NOTE_WORDS[kind]}
        </span>
        <Recorded class="story-words" text={shown} marks={substringMarks(shown, context.words)} />
      </button>
    </Indented>
  );
}

function EndRow({ context: { run } }: { context: RowContext }) {
  const { status, endedAt, startedAt, steps } = run;
  const isEmpty = steps.length === 0;
  return (
    <p class={`story-end ${status}`}>
      <StatusBadge status={status} isQuiet />
      <span>
        {isEmpty && "Nothing was called. "}
        {END_WORDS[status]} {endedAt !== null && `${counted(steps.length, "call")} in ${span(endedAt - startedAt)}.`}
      </span>
    </p>
  );
}
