import type { RedactedJson, RedactedText } from "../../../core/redacted.ts";
import { PLAIN_CLOSING, type StepClosing } from "../../../record/run-writer.ts";

/**
 * What is told of a call, and who is believed. Each who sees it is the best witness of something, whatever the order in which
 * they speak:
 *
 * - arguments: the transcript (what the model wrote), then the proxy, then a hook (another hook may have rewritten them);
 * - start: the proxy, then a hook, then the transcript;
 * - outcome: the proxy (the upstream's real result), then a hook, then the transcript, then the hook of a whole batch, which
 *   does not say whether a call has failed.
 */

export type Teller = "proxy" | "hook" | "transcript";
/** Who tells how a call ended. */
export type Witness = Teller | "batch";

/** What a teller knows of a call. Times are epoch ms with fractions. */
export interface CallSeen {
  callId: RedactedText | null;
  qualifiedName: RedactedText;
  server: RedactedText | null;
  tool: RedactedText;
  args: RedactedJson | null;
  /** HMAC of the raw arguments, where the teller had to make one. */
  argsHash: string | null;
  startedAt: number;
  /** Only when it ended is known: it began at `startedAt` or before. */
  isStartGuessed: boolean;
  agentId: RedactedText | null;
  context: RedactedText | null;
  hostMeta: RedactedJson | null;
  truncated: boolean;
}

/** How a call ended. A closing's `join` says whether which answer ended it is certain. */
export interface CallEnded extends StepClosing {
  result: RedactedJson | null;
  endedAt: number;
}

/** Whose arguments are believed: the higher, the better. */
export const ARGUMENTS: Record<Teller, number> = { transcript: 3, proxy: 2, hook: 1 };
/** Whose start is believed. */
export const START: Record<Teller, number> = { proxy: 3, hook: 2, transcript: 1 };
/** A start of which only is known that it was not later. */
export const START_GUESSED = 0.5;
/** Whose outcome is believed. */
export const OUTCOME: Record<Witness, number> = { proxy: 3, hook: 2, transcript: 1, batch: 0.8 };
/** Whoever lost sight of a call knows less of its end than anybody. */
export const LOST = 0.5;

/** How a call ended, with what most witnesses of an end do not know left empty. */
export function endOf(ended: Partial<CallEnded> & Pick<CallEnded, "status" | "endedAt">): CallEnded {
  return {
    ...PLAIN_CLOSING,
    isError: ended.status === "error",
    result: null,
    ...ended,
  };
}
