import type { TaskNotice } from "../core/hook-fact.ts";
import { redactText } from "../redact/redact.ts";

/**
 * Recognises the prompts that Claude Code makes by itself when a background task ends. Only the notice's head is read: what
 * an agent wrote stands behind it, and may look like anything.
 */

const OPENING = "<task-notification>";
const HEAD_CHARS = 4096;

/** The notice that `prompt` is; null for what a person wrote. */
export function readTaskNotice(prompt: string): TaskNotice | null {
  const start = prompt.search(/\S/);
  if (start < 0 || !prompt.startsWith(OPENING, start)) return null;
  const whole = prompt.slice(start, start + HEAD_CHARS);
  const bodyAt = whole.search(/<(?:summary|note|result)>/);
  const head = bodyAt < 0 ? whole : whole.slice(0, bodyAt);
  const tag = (name: string) => {
    const found = new RegExp(`<${name}>([^<]*)</${name}>`).exec(head)?.[1];
    return found === undefined ? null : redactText(found.trim());
  };
  return { taskId: tag("task-id"), toolUseId: tag("tool-use-id"), status: tag("status") };
}
