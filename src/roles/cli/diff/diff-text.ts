import { stepChanges } from "../../../core/compare/step-changes.ts";
import { isDifferent } from "../../../core/compare.ts";
import type { ComparedRun, Comparison, ComparisonRow } from "../../../core/comparison.ts";
import type { Run } from "../../../core/run.ts";
import { visible } from "../../../core/text/visible.ts";
import { ago, clock, counted } from "../../../core/text/when.ts";
import { paintedRunStatus } from "../text/painted-outcome.ts";
import { changeLines, textChangeLines } from "./change-lines.ts";
import type { DiffStyle } from "./diff-style.ts";
import { rowLine, rowLines } from "./row-lines.ts";

/**
 * Two runs as a person reads where they part: which they are, what was asked and answered, each call that is not the same on both
 * sides with its difference, and how many are. Everything recorded is made safe to show. Ends with a line feed.
 */
export function diffText(left: Run, right: Run, comparison: Comparison, given: DiffStyle): string {
  let isFolded = false;
  const style: DiffStyle = {
    ...given,
    onFold: () => {
      isFolded = true;
    },
  };
  const { counts, firstDifference, rows } = comparison;
  const lines = [runLine("A", left, comparison.left, style), runLine("B", right, comparison.right, style)];
  const texts = [
    ...textPart("Prompt", left.input, right.input, style),
    ...textPart("Answer", left.finalAnswer, right.finalAnswer, style),
  ];
  if (texts.length > 0) lines.push("", ...texts);
  if (rows.length > 0) lines.push("");
  const steps = { left: stepsById(left), right: stepsById(right) };
  for (let index = 0; index < rows.length; ) {
    const end = style.full ? index : endOfSame(rows, index);
    if (end - index > 1) {
      lines.push(style.paint.dim(`    ${counted(end - index, "call")} the same`));
      index = end;
      continue;
    }
    const row = rows[index++];
    if (row === undefined) break;
    if (index - 1 === firstDifference) lines.push(style.paint.bold("    first difference"));
    lines.push(...(style.isSideBySide ? rowLines(row, style) : rowLine(row, style)));
    if (row.differs.length === 0 || row.left === null || row.right === null) continue;
    const [a, b] = [steps.left.get(row.left.id), steps.right.get(row.right.id)];
    if (a !== undefined && b !== undefined) lines.push(...changeLines(stepChanges(a, b), style, "        "));
  }
  lines.push("", sumLine(counts, firstDifference === null && comparison.sameInput && comparison.sameAnswer));
  if (isFolded) {
    const command = `bir run diff ${visible(left.id)} ${visible(right.id)} --full`;
    lines.push(style.paint.dim(`\`${command}\` shows everything.`));
  }
  return `${lines.join("\n")}\n`;
}

function runLine(name: string, run: Run, compared: ComparedRun, { paint, now, timeZone }: DiffStyle): string {
  const when = `${clock(run.startedAt, timeZone)} (${ago(run.startedAt, now)})`;
  const facts = [when, counted(compared.stepCount, "call")].join(" · ");
  return `${paint.bold(`${name}  ${visible(run.id)}`)}  ${paintedRunStatus(run.status, paint)}\n   ${paint.dim(facts)}`;
}

function textPart(label: string, left: string | null, right: string | null, style: DiffStyle): string[] {
  if (left === null && right === null) return [];
  if (left === right) return [`${label}  the same`];
  if (left === null) return [`${label}  only in B`];
  if (right === null) return [`${label}  only in A`];
  return [`${label}  differs`, ...textChangeLines(left, right, style, "        ")];
}

function stepsById(run: Run) {
  return new Map(run.steps.map((step) => [step.id, step]));
}

function endOfSame(rows: readonly ComparisonRow[], from: number): number {
  let end = from;
  for (let row = rows[end]; row !== undefined && !isDifferent(row); row = rows[end]) end++;
  return end;
}

function sumLine({ same, changed, leftOnly, rightOnly }: Comparison["counts"], isSame: boolean): string {
  const parts = [
    `${counted(same, "call")} the same`,
    ...(changed > 0 ? [`${changed} ${changed === 1 ? "differs" : "differ"}`] : []),
    ...(leftOnly > 0 ? [`${leftOnly} only in A`] : []),
    ...(rightOnly > 0 ? [`${rightOnly} only in B`] : []),
  ];
  return `${parts.join(", ")}.${isSame ? " The runs do not differ." : ""}`;
}
