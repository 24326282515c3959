import type { RedactedText } from "../../../core/redacted.ts";
import type { BookEntry } from "../../../store/entry.ts";
import type { OutcomeKeeper } from "./call-record.ts";
import type { CallEnded } from "./call-told.ts";

/**
 * Outcomes that hooks told and that wait for the proxy's, which is better. They are kept in the store meanwhile: what a hook
 * was told to be taken is not lost with this server.
 */

/** An outcome, and whose it is. */
export interface HeldOutcome {
  sessionKey: string;
  runId: RedactedText;
  stepId: RedactedText;
  ended: CallEnded;
}

export class HeldOutcomes {
  readonly #write: (entry: BookEntry) => void;
  readonly #held = new Set<RedactedText>();

  constructor(write: (entry: BookEntry) => void) {
    this.#write = write;
  }

  /** What keeps the outcomes of one run's calls. */
  keeperOf(sessionKey: string, runId: RedactedText): OutcomeKeeper {
    return {
      keep: (stepId, ended) => {
        this.#held.add(stepId);
        const outcome: HeldOutcome = { sessionKey, runId, stepId, ended };
        const at = Math.floor(ended.endedAt);
        this.#write({ book: "held", id: idOf(stepId), at, body: JSON.stringify({ outcome }) });
      },
      drop: (stepId) => {
        if (this.#held.delete(stepId)) this.#write({ book: "released", id: idOf(stepId) });
      },
    };
  }

  /** The call that it was for is gone. */
  forget({ stepId }: HeldOutcome): void {
    this.#write({ book: "released", id: idOf(stepId) });
  }
}

function idOf(stepId: RedactedText): string {
  return `outcome:${stepId}`;
}
