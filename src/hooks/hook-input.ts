import { readStdin } from "../kit/stdin.ts";
import { FirstJson } from "./first-json.ts";

/**
 * What a host writes to a hook's stdin: its first JSON value, whatever else becomes of the pipe. Bounded in size and in time;
 * what did not come is missing, and said to be.
 */

export interface HookInput {
  text: string;
  /** Its end never came, or was over the bound. */
  isCut: boolean;
}

/** A host that writes more than this has the rest of it cut off. */
const MAX_INPUT_BYTES = 16 * 1024 * 1024;

/** The text of the hook; null where nothing came within `timeoutMs`. */
export async function readHookInput(timeoutMs: number): Promise<HookInput | null> {
  const value = new FirstJson(MAX_INPUT_BYTES);
  const isEnded = await readStdin((chunk) => value.feed(chunk) !== "open", timeoutMs);
  if (isEnded) value.end();
  const isCut = value.state === "open" || value.state === "too large";
  const text = value.text();
  return text === "" && isCut ? null : { text, isCut };
}
