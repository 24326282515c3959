import { type CalledTool, untitledRun } from "../../core/text/run-title.ts";
import { firstLine } from "./visible.ts";

/** What a run is called in the page: its prompt, or what it did. */

export interface RunTitle {
  /** Safe to show. */
  text: string;
  /** False: our words, not somebody's; shown in italics. */
  isPrompt: boolean;
}

export function runTitle(
  input: string | null,
  tools: readonly Pick<CalledTool, "server" | "tool">[] | null,
  length = 300,
): RunTitle {
  const prompt = input === null ? "" : firstLine(input, length);
  return prompt === ""
    ? { text: firstLine(untitledRun(tools), length), isPrompt: false }
    : { text: prompt, isPrompt: true };
}
