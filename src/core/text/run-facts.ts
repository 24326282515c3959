import type { Run, Step, Usage } from "../run.ts";
import { gapReason } from "./outcome.ts";
import { visible } from "./visible.ts";
import { clock, counted } from "./when.ts";

/** What is to be said of a run and of a call in words, safe to show. */

/** `server › tool`, safe to show; the qualified name where the server is not known. */
export function toolName(step: Pick<Step, "server" | "tool" | "qualifiedName">): string {
  if (step.tool === "" && step.qualifiedName === "") return "(a call whose beginning was not recorded)";
  return step.server === null ? visible(step.qualifiedName || step.tool) : visible(`${step.server} › ${step.tool}`);
}

/** The gaps of a run in words, one line each; none when nothing was lost. */
export function lossSentences(run: Run, timeZone: string | undefined): string[] {
  if (!run.lossy) return [];
  const sentences = run.gaps.map(
    ({ lost, reason, at }) =>
      `${lost > 0 ? `${lost} lost` : "A break"} at ${clock(at, timeZone)}: ${visible(gapReason(reason))}.`,
  );
  return ["This record is incomplete.", ...sentences];
}

/** What a run cost, in words: `1,200 tokens in (900 of them cached), 340 out`. */
export function tokens({ inputTokens, outputTokens, cacheReadTokens, cacheCreationTokens }: Usage): string {
  const number = (count: number) => count.toLocaleString("en");
  const input = inputTokens + cacheReadTokens + cacheCreationTokens;
  const cached = cacheReadTokens === 0 ? "" : ` (${number(cacheReadTokens)} of them cached)`;
  return `${number(input)} tokens in${cached}, ${number(outputTokens)} out`;
}

/** Calls that the host's own hooks made: `2 more calls came from the host's own hooks; they are counted only`. */
export function hookCalls(count: number): string {
  const are = count === 1 ? "it is" : "they are";
  return `${counted(count, "more call")} came from the host's own hooks; ${are} counted only`;
}
