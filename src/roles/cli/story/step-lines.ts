import type { NoteEntry, Step } from "../../../core/run.ts";
import { argumentLine } from "../../../core/text/argument-line.ts";
import { stepOutcome } from "../../../core/text/outcome.ts";
import { argumentsText, resultText, structuredText } from "../../../core/text/payload-text.ts";
import { toolName } from "../../../core/text/run-facts.ts";
import { visible } from "../../../core/text/visible.ts";
import { counted, span } from "../../../core/text/when.ts";
import { textWidth } from "../../../kit/terminal.ts";
import { cut, padEnd } from "../text/fit.ts";
import { paintedStepOutcome } from "../text/painted-outcome.ts";
import { foldedLines } from "./fold-lines.ts";
import type { StoryStyle } from "./style.ts";

/** One call, and one note, as lines of the story. */

const INDENT = "     ";
const LABEL_COLUMNS = 10;

export function stepLines(step: Step, style: StoryStyle): string[] {
  return [
    titleLine(step, style),
    ...detailLines(step, style),
    ...(style.full ? argumentLines(step, style) : []),
    ...resultLines(step, style),
  ];
}

export function noteLines(note: NoteEntry, style: StoryStyle): string[] {
  const label = padEnd(note.kind, LABEL_COLUMNS);
  const painted = note.kind === "warning" ? style.paint.warn(label) : style.paint.dim(label);
  const text = note.agentId === null ? note.text : `agent ${note.agentId}: ${note.text}`;
  return foldedLines(text, style, INDENT.length + LABEL_COLUMNS).map((line, index) =>
    `${INDENT}${index === 0 ? painted : " ".repeat(LABEL_COLUMNS)}${line}`.trimEnd(),
  );
}

/** Number, tool and short arguments on the left, outcome and time on the right. */
function titleLine(step: Step, { full, width, paint }: StoryStyle): string {
  const number = `${String(step.index + 1).padStart(3)} `;
  const time = step.durationMs === null ? "" : `  ${span(step.durationMs)}`;
  const right = textWidth(stepOutcome(step.status) + time);
  const room = Math.max(12, width - number.length - right - 2);
  const name = cut(toolName(step), room);
  const left = room - textWidth(name) - 2;
  const args = full || left < 8 ? "" : cut(argumentLine(step.args), left);
  const shown = args === "" ? name : `${name}  ${args}`;
  const gap = " ".repeat(room - textWidth(shown) + 2);
  return `${number}${shown.replace(name, () => paint.bold(name))}${gap}${paintedStepOutcome(step.status, paint)}${time}`;
}

/** What is out of the ordinary about a call. */
function detailLines(step: Step, { paint }: StoryStyle): string[] {
  const details: string[] = [];
  if (step.legs > 1) details.push(`${step.legs} rounds`);
  if (step.waitingMs > 0) details.push(`${span(step.waitingMs)} of it waiting for the host`);
  if (step.progress > 0) details.push(counted(step.progress, "progress report"));
  if (step.agentId !== null) details.push(`by agent ${visible(step.agentId)}`);
  if (step.truncated) details.push("too large to keep whole");
  if (step.join === "ambiguous") details.push("the host's own report of it is a guess");
  return details.length === 0 ? [] : [INDENT + paint.dim(details.join(" · "))];
}

function argumentLines(step: Step, style: StoryStyle): string[] {
  return step.args === null ? [] : labelled("arguments", argumentsText(step.args), style);
}

function resultLines(step: Step, style: StoryStyle): string[] {
  const text = resultText(step);
  if (style.full) {
    const structured = structuredText(step);
    return [
      ...(text === "" ? [] : labelled(step.isError || step.rpcError != null ? "error" : "result", text, style)),
      ...(structured === "" ? [] : labelled("structured", structured, style)),
    ];
  }
  if (text === "") return [];
  return indented(foldedLines(text, style, INDENT.length), INDENT);
}

function labelled(label: string, text: string, style: StoryStyle): string[] {
  return [`${INDENT}${style.paint.dim(label)}`, ...indented(foldedLines(text, style, INDENT.length), `${INDENT}  `)];
}

function indented(lines: readonly string[], indent: string): string[] {
  return lines.map((line) => (indent + line).trimEnd());
}
