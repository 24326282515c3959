import { type DiffLine, lineChanges, type SkippedLines, withoutSame } from "../../../core/compare/line-diff.ts";
import type { StepChanges } from "../../../core/compare/step-changes.ts";
import type { ValueChange } from "../../../core/compare/value-diff.ts";
import { stringifyExact } from "../../../core/exact-json.ts";
import { visible } from "../../../core/text/visible.ts";
import { counted } from "../../../core/text/when.ts";
import { textWidth } from "../../../kit/terminal.ts";
import { cut } from "../text/fit.ts";
import type { DiffStyle } from "./diff-style.ts";

/** In what a call differs from another: `arguments.path: "a" → "b"`, long texts by their lines. */

/** So many differences of one call, and lines of one text, are shown unless all are asked for. */
const SHOWN_CHANGES = 6;
const SHOWN_LINES = 12;

export function changeLines({ changes, more }: StepChanges, style: DiffStyle, indent: string): string[] {
  const shown = style.full || changes.length <= SHOWN_CHANGES + 1 ? changes : changes.slice(0, SHOWN_CHANGES);
  const lines = shown.flatMap((change) => oneChange(change, style, indent));
  const rest = changes.length - shown.length + more;
  if (rest > 0) {
    style.onFold?.();
    lines.push(style.paint.dim(`${indent}… ${counted(rest, "more difference")}`));
  }
  return lines;
}

/** Two texts by their lines. */
export function textChangeLines(left: string, right: string, style: DiffStyle, indent: string): string[] {
  const parts = withoutSame(lineChanges(left, right), 1);
  if (parts.every((part) => "skipped" in part || part.sign === " ")) {
    return [`${indent}${style.paint.dim("in the ends of its lines only")}`];
  }
  const shown = style.full || parts.length <= SHOWN_LINES + 1 ? parts : parts.slice(0, SHOWN_LINES);
  const lines = shown.map((part) => indent + partLine(part, style, style.width - indent.length));
  if (shown.length < parts.length) {
    style.onFold?.();
    lines.push(style.paint.dim(`${indent}… ${counted(parts.length - shown.length, "more line")}`));
  }
  return lines;
}

function oneChange(change: ValueChange, style: DiffStyle, indent: string): string[] {
  const path = visible(change.path);
  const room = style.width - indent.length;
  if (change.kind === "added")
    return folded(`${indent}${style.paint.good("+")} `, `${path}: ${json(change.right)}`, style);
  if (change.kind === "removed")
    return folded(`${indent}${style.paint.bad("-")} `, `${path}: ${json(change.left)}`, style);
  const { left, right } = change;
  if (typeof left === "string" && typeof right === "string" && /\n/.test(left + right)) {
    return [`${indent}${path}:`, ...textChangeLines(left, right, style, `${indent}  `)];
  }
  const whole = `${path}: ${json(left)} → ${json(right)}`;
  if (textWidth(whole) <= room) return [indent + whole];
  const under = `${indent}  `;
  return [
    `${indent}${path}:`,
    ...folded(`${under}${style.paint.bad("-")} `, json(left), style),
    ...folded(`${under}${style.paint.good("+")} `, json(right), style),
  ];
}

function folded(before: string, text: string, style: DiffStyle): string[] {
  const shown = style.full ? text : cut(text, Math.max(20, style.width - textWidth(before)));
  if (shown !== text) style.onFold?.();
  return [before + shown];
}

function partLine(part: DiffLine | SkippedLines, style: DiffStyle, columns: number): string {
  if ("skipped" in part) return style.paint.dim(`  (${counted(part.skipped, "line")} the same)`);
  const line = `${part.sign} ${visible(part.text.replaceAll("\t", "    "))}`;
  const shown = style.full ? line : cut(line, columns);
  if (shown !== line) style.onFold?.();
  if (part.sign === " ") return style.paint.dim(shown);
  return part.sign === "+" ? style.paint.good(shown) : style.paint.bad(shown);
}

function json(value: unknown): string {
  return visible(stringifyExact(value));
}
