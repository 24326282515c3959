import { isDifferent } from "../../../core/compare.ts";
import type { ComparedStep, ComparisonRow } from "../../../core/comparison.ts";
import { stepOutcome } from "../../../core/text/outcome.ts";
import { toolName } from "../../../core/text/run-facts.ts";
import { span } from "../../../core/text/when.ts";
import { textWidth } from "../../../kit/terminal.ts";
import { cut, padEnd } from "../text/fit.ts";
import { paintedStepOutcome } from "../text/painted-outcome.ts";
import type { DiffStyle } from "./diff-style.ts";

/** One row of two compared runs: a call of both, or of one. */

/** `  ~   3 =   4  server › tool  path: "/a"          arguments, result`. */
export function rowLine(row: ComparisonRow, style: DiffStyle): string[] {
  const { left, right, differs } = row;
  const step = left ?? right;
  if (step === null) return [];
  const number = (one: ComparedStep | null) => (one === null ? "   " : String(one.index + 1).padStart(3));
  const what = left === null ? "only in B" : right === null ? "only in A" : differs.join(", ");
  const sign = `${signOf(row)} ${number(left)} ${number(right)}  `;
  return [
    ` ${paintRow(row, style)(sign)}${called(step, style.width - sign.length - 1 - what.length - 2, style)}  ${what}`.trimEnd(),
  ];
}

/** Both sides, each in half of the columns. */
export function rowLines(row: ComparisonRow, style: DiffStyle): string[] {
  const half = Math.floor((style.width - 5) / 2);
  const side = (step: ComparedStep | null) => (step === null ? " ".repeat(half) : withOutcome(step, half, style));
  return [`${side(row.left)} ${paintRow(row, style)(signOf(row))} ${side(row.right)}`.trimEnd()];
}

function withOutcome(step: ComparedStep, columns: number, style: DiffStyle): string {
  const time = step.durationMs === null ? "" : `  ${span(step.durationMs)}`;
  const outcome = stepOutcome(step.status);
  const number = `${String(step.index + 1).padStart(3)} `;
  const room = Math.max(8, columns - number.length - textWidth(outcome + time) - 2);
  return `${number}${called(step, room, style)}  ${paintedStepOutcome(step.status, style.paint)}${time}`;
}

/** Tool and arguments in exactly so many columns. */
function called(step: ComparedStep, columns: number, { paint }: DiffStyle): string {
  const name = cut(toolName(step), Math.max(8, columns));
  const left = columns - textWidth(name) - 2;
  const args = left < 8 || step.argumentLine === "" ? "" : cut(step.argumentLine, left);
  const shown = args === "" ? name : `${name}  ${args}`;
  return padEnd(shown, columns).replace(name, () => paint.bold(name));
}

function signOf(row: ComparisonRow): string {
  if (row.left === null) return "+";
  if (row.right === null) return "-";
  return row.differs.length > 0 ? "~" : " ";
}

function paintRow(row: ComparisonRow, { paint }: DiffStyle): (text: string) => string {
  if (!isDifferent(row)) return paint.dim;
  if (row.left === null) return paint.good;
  return row.right === null ? paint.bad : paint.warn;
}
