/** What becomes of each call at the load test's server: decided by its number alone, so that a run can be repeated. */

export interface CallScript {
  /** From the request to its answer. */
  delayMs: number;
  /** `json`: one body; `stream`: events without ids; `resumable`: events with ids, so that it may be dropped. */
  kind: "json" | "stream" | "resumable";
  /** How many progress notifications come before the answer. */
  progress: number;
  /** After which events (0 is the empty one that only gives an id) the connection is dropped. */
  drops: number[];
  /** Whether a drop ends the response properly, or in the middle. */
  clean: boolean;
}

/** The script of call `n`, of at most `maxDelayMs`. */
export function scriptOf(n: number, maxDelayMs: number): CallScript {
  const random = randomFrom(n);
  const delayMs = Math.round(random() * maxDelayMs);
  const dice = random();
  const progress = 1 + Math.floor(random() * 3);
  if (dice < 0.5) return { delayMs, kind: "json", progress: 0, drops: [], clean: true };
  if (dice < 0.75) return { delayMs, kind: "stream", progress, drops: [], clean: true };
  const first = Math.floor(random() * (progress + 1));
  const second = first + 1 + Math.floor(random() * 3);
  const drops = dice < 0.85 ? [] : [first, second].filter((event) => event <= progress);
  return { delayMs, kind: "resumable", progress, drops, clean: random() < 0.5 };
}

/** Numbers from 0 to 1 that look random (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = Math.imul(seed + 1, 0x9e3779b1);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
