import type { Run } from "../../../core/run.ts";
import { inOrder, isStep } from "../../../core/run-order.ts";
import { hookCalls, lossSentences, tokens } from "../../../core/text/run-facts.ts";
import { visible } from "../../../core/text/visible.ts";
import { ago, clock, counted, span } from "../../../core/text/when.ts";
import { paintedRunStatus } from "../text/painted-outcome.ts";
import { foldedLines } from "./fold-lines.ts";
import { noteLines, stepLines } from "./step-lines.ts";
import type { StoryStyle } from "./style.ts";

/**
 * A run as a person reads it: who, where and when; what was asked; each call with its outcome; what could not be
 * recorded; the answer. Ends with a line feed. Everything recorded is made safe to show.
 */
export function story(run: Run, given: StoryStyle): string {
  let folded = false;
  const style: StoryStyle = {
    ...given,
    onFold: () => {
      folded = true;
    },
  };
  const lines = headerLines(run, style);
  if (run.input !== null) lines.push("", ...prefixed(run.input, "  > ", style));
  const parts = inOrder(run);
  if (parts.length === 0) lines.push("", style.paint.dim("Nothing was called."));
  for (const part of parts) lines.push("", ...(isStep(part) ? stepLines(part, style) : noteLines(part, style)));
  lines.push(...lossLines(run, style));
  if (run.finalAnswer !== null) {
    lines.push("", style.paint.bold("Answer"), ...prefixed(run.finalAnswer, "  ", style));
  }
  if (folded) lines.push("", style.paint.dim(`\`bir run show ${visible(run.id)} --full\` shows everything.`));
  return `${lines.join("\n")}\n`;
}

function headerLines(run: Run, { paint, now, timeZone }: StoryStyle): string[] {
  const host = run.host === null ? "unknown host" : visible(`${run.host.app} ${run.host.version ?? ""}`.trim());
  const ran = run.endedAt === null ? "" : ` · ${span(run.endedAt - run.startedAt)}`;
  const servers = run.wrappedServers.length === 0 ? "" : ` · ${run.wrappedServers.map(visible).join(", ")}`;
  const lines = [
    `${paint.bold(visible(run.id))}  ${paintedRunStatus(run.status, paint)}`,
    `${host} · ${visible(run.cwd)}`,
    `${clock(run.startedAt, timeZone)} (${ago(run.startedAt, now)})${ran} · ${counted(run.steps.length, "call")}${servers}`,
  ];
  if (run.usage !== null) lines.push(paint.dim(tokens(run.usage)));
  if (run.hostHookCalls > 0) {
    lines.push(paint.dim(hookCalls(run.hostHookCalls)));
  }
  if (run.status === "abandoned")
    lines.push(paint.warn("Its recorder ended without closing it; what it had written is here."));
  return lines;
}

function lossLines(run: Run, { paint, timeZone }: StoryStyle): string[] {
  const [first, ...others] = lossSentences(run, timeZone);
  return first === undefined ? [] : ["", paint.warn(`! ${first}`), ...others.map((line) => `  ${line}`)];
}

function prefixed(text: string, prefix: string, style: StoryStyle): string[] {
  return foldedLines(text, style, prefix.length).map((line) => (prefix + line).trimEnd());
}
