import type { NoteEntry, Run, Step } from "../run.ts";
import { inOrder, isStep } from "../run-order.ts";
import { runStatus, stepOutcome } from "../text/outcome.ts";
import { argumentsText, resultText, structuredText } from "../text/payload-text.ts";
import { hookCalls, lossSentences, tokens, toolName } from "../text/run-facts.ts";
import { visible, visibleLines } from "../text/visible.ts";
import { span } from "../text/when.ts";

/**
 * A run as a Markdown document. Recorded text stands only inside code, fenced by more backticks than it holds itself, so
 * that nothing in it becomes markup; control characters are shown as escapes. Times are UTC.
 */
export function markdown(run: Run): string {
  const parts = [
    `# Run ${code(run.id)}`,
    facts(run),
    ...lossSentences(run, "UTC").map((sentence) => `> ${sentence}`),
    ...(run.input === null ? [] : ["## Prompt", fence(run.input, "text")]),
    "## Calls",
    ...(run.steps.length === 0 ? ["Nothing was called."] : []),
    ...inOrder(run).flatMap((part) => (isStep(part) ? stepParts(part) : noteParts(part))),
    ...(run.finalAnswer === null ? [] : ["## Answer", fence(run.finalAnswer, "text")]),
  ];
  return `${parts.join("\n\n")}\n`;
}

/** Text as a code block that ends where we end it. */
export function fence(text: string, language: string): string {
  const ticks = "`".repeat(Math.max(3, longestRun(text) + 1));
  return [`${ticks}${language}`, ...visibleLines(text.replace(/\n+$/, "")), ticks].join("\n");
}

/** Text as inline code. */
export function code(text: string): string {
  const shown = visible(text);
  const ticks = "`".repeat(longestRun(shown) + 1);
  const pad = shown.startsWith("`") || shown.endsWith("`") || shown.trim() === "" ? " " : "";
  return `${ticks}${pad}${shown}${pad}${ticks}`;
}

function facts(run: Run): string {
  const ran = run.endedAt === null ? "" : `, ${span(run.endedAt - run.startedAt)}`;
  const host = run.host === null ? "unknown" : code(`${run.host.app} ${run.host.version ?? ""}`.trim());
  const lines = [
    `- Status: ${runStatus(run.status)}`,
    `- Host: ${host}`,
    `- Directory: ${code(run.cwd)}`,
    `- Started: ${new Date(run.startedAt).toISOString()}${ran}`,
  ];
  if (run.wrappedServers.length > 0) lines.push(`- Servers: ${run.wrappedServers.map(code).join(", ")}`);
  if (run.usage !== null) lines.push(`- Used: ${tokens(run.usage)}`);
  if (run.sessionId !== null) lines.push(`- Session: ${code(run.sessionId)}`);
  if (run.hostHookCalls > 0) {
    lines.push(`- Also: ${hookCalls(run.hostHookCalls)}`);
  }
  return lines.join("\n");
}

function stepParts(step: Step): string[] {
  const time = step.durationMs === null ? "" : `, ${span(step.durationMs)}`;
  const parts = [`### ${step.index + 1}. ${code(toolName(step))}: ${stepOutcome(step.status)}${time}`];
  if (step.agentId !== null) parts.push(`By agent ${code(step.agentId)}`);
  if (step.args !== null) parts.push("Arguments", fence(argumentsText(step.args), "json"));
  const result = resultText(step);
  const structured = structuredText(step);
  if (result !== "") parts.push(step.isError || step.rpcError != null ? "Error" : "Result", fence(result, "text"));
  if (structured !== "") parts.push("Structured", fence(structured, "json"));
  return parts;
}

function noteParts(note: NoteEntry): string[] {
  const by = note.agentId === null ? "" : ` by agent ${code(note.agentId)}`;
  return [`### Note: ${note.kind}${by}`, fence(note.text, "text")];
}

function longestRun(text: string): number {
  return (text.match(/`+/g) ?? []).reduce((longest, run) => Math.max(longest, run.length), 0);
}
