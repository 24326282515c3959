import type { Step } from "../run.ts";
import { jsonHash, textHash } from "./json-hash.ts";
import { isMembers } from "./same-json.ts";

/** A call as it is compared: what it was in a few numbers, and when it was under way. Pure. */
export interface Call {
  step: Step;
  /** Of its server and tool. */
  tool: number;
  /** Of its server, tool and arguments. */
  exact: number;
  /** Of the parts of its arguments; counted only when it is asked for what it is like. */
  features: Float64Array | null;
  /** Epoch ms. A call that has not ended is under way for good. */
  from: number;
  until: number;
}

/** Words of one argument that are looked at; and features of one call. */
const WORDS = 24;
const FEATURES = 64;
const TEXT_LENGTH = 2_000;

export function callOf(step: Step): Call {
  const tool = textHash(step.server === null ? step.qualifiedName || step.tool : `${step.server}\n${step.tool}`, 17);
  return {
    step,
    tool,
    exact: (tool + jsonHash(step.args) * 3) % Number.MAX_SAFE_INTEGER,
    features: null,
    from: step.startedAt,
    until:
      step.durationMs === null
        ? step.status === "running"
          ? Number.POSITIVE_INFINITY
          : step.startedAt
        : step.startedAt + step.durationMs,
  };
}

/** True where two calls of one run were under way at once: neither was made knowing what came of the other. */
export function areParallel(a: Call, b: Call): boolean {
  return a.from < b.until && b.from < a.until;
}

/** How much the arguments of two calls have in common: 0 nothing, 1 all that was looked at. */
export function likeness(a: Call, b: Call): number {
  if (a.exact === b.exact) return 1;
  a.features ??= featuresOf(a.step.args);
  b.features ??= featuresOf(b.step.args);
  const all = a.features.length + b.features.length;
  if (all === 0) return 0;
  let common = 0;
  let i = 0;
  let j = 0;
  while (i < a.features.length && j < b.features.length) {
    const difference = (a.features[i] ?? 0) - (b.features[j] ?? 0);
    if (difference === 0) common++;
    if (difference <= 0) i++;
    if (difference >= 0) j++;
  }
  return (2 * common) / all;
}

/** Each member whole, and the words of those that are text; rising. */
function featuresOf(args: unknown): Float64Array {
  const features: number[] = [];
  const members = isMembers(args) ? Object.entries(args) : [["", args] as const];
  for (const [key, value] of members) {
    if (features.length >= FEATURES) break;
    const name = textHash(key, 19);
    features.push((name + jsonHash(value)) % Number.MAX_SAFE_INTEGER);
    if (typeof value !== "string") continue;
    const words = value.slice(0, TEXT_LENGTH).match(/[\p{L}\p{N}_]+/gu) ?? [];
    for (const word of words.slice(0, WORDS)) features.push((name + textHash(word, 23)) % Number.MAX_SAFE_INTEGER);
  }
  return Float64Array.from(features).sort();
}
