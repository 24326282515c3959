import type { Usage } from "../../core/run.ts";

/**
 * Tokens of a run: each answer of a model counts once, with the numbers that were told of it last, however often its rows
 * are read.
 */

/** Usage of one answer. `at`: of its last row, epoch ms. */
interface AnswerUsage {
  messageId: string;
  usage: Usage;
  at: number;
}

/** What one speaker used: `last` are the newest answers, whose numbers may still change; `settled` all before. */
interface SpeakerUsage {
  settled: Usage | null;
  settledAt: number;
  last: AnswerUsage[];
}

/** By speaker: the main agent, or a subagent. */
export type UsageState = Record<string, SpeakerUsage>;

/** Answers of one speaker whose numbers may still change: rows of two may be mixed, of more they are not. */
const UNSETTLED = 4;

export class UsageCount {
  #state: UsageState;
  /** As it was when all that was read was written down: what goes with the transcripts' positions of that time. */
  #kept: UsageState;
  #isKept = true;

  constructor(state: UsageState) {
    this.#state = structuredClone(state);
    this.#kept = state;
  }

  /** What is to be kept between servers. */
  get state(): UsageState {
    return this.#kept;
  }

  /** All that was read so far is written down. */
  keep(): void {
    if (this.#isKept) return;
    this.#kept = structuredClone(this.#state);
    this.#isKept = true;
  }

  /** Takes in what a row tells; answers the total, or null where that has not changed. `at`: epoch ms. */
  count(speaker: string, messageId: string, usage: Usage, at: number): Usage | null {
    const told = this.#state[speaker] ?? { settled: null, settledAt: 0, last: [] };
    const known = told.last.find((each) => each.messageId === messageId);
    if (known === undefined && at <= told.settledAt) return null;
    if (known !== undefined && isSame(known.usage, usage)) return null;
    if (known === undefined) told.last.push({ messageId, usage, at });
    else Object.assign(known, { usage, at: Math.max(known.at, at) });
    const [oldest] = told.last;
    if (told.last.length > UNSETTLED && oldest !== undefined) {
      told.last.shift();
      told.settled = sum(told.settled, oldest.usage);
      told.settledAt = Math.max(told.settledAt, oldest.at);
    }
    this.#state[speaker] = told;
    this.#isKept = false;
    return this.#total();
  }

  /** A row of an answer, whose usage an earlier one of its rows may have told. */
  seen(speaker: string, messageId: string, at: number): void {
    const known = this.#state[speaker]?.last.find((each) => each.messageId === messageId);
    if (known === undefined || known.at >= at) return;
    known.at = at;
    this.#isKept = false;
  }

  /** True where this answer is one of the newest of the speaker. */
  has(speaker: string, messageId: string): boolean {
    return isCounted(this.#state, speaker, messageId);
  }

  #total(): Usage | null {
    let total: Usage | null = null;
    for (const { settled, last } of Object.values(this.#state)) {
      if (settled !== null) total = sum(total, settled);
      for (const { usage } of last) total = sum(total, usage);
    }
    return total;
  }
}

/** True where this answer is one of the newest of the speaker. */
export function isCounted(state: UsageState, speaker: string, messageId: string): boolean {
  return state[speaker]?.last.some((each) => each.messageId === messageId) ?? false;
}

function isSame(a: Usage, b: Usage): boolean {
  return (Object.keys(a) as (keyof Usage)[]).every((key) => a[key] === b[key]);
}

function sum(a: Usage | null, b: Usage): Usage {
  if (a === null) return { ...b };
  return {
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    cacheReadTokens: a.cacheReadTokens + b.cacheReadTokens,
    cacheCreationTokens: a.cacheCreationTokens + b.cacheCreationTokens,
  };
}
