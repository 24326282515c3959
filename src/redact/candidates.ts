/**
 * The table that lets the scan pass over text at about a nanosecond a character: for every pair of ASCII characters, what
 * may be there. Owns the table and the rules behind it. Filled once, when first needed; what a rule takes to be tried is made
 * when it first is.
 */

import { chooseCandidates } from "./candidate-choice.ts" with { type: "macro" };
import { CANDIDATE } from "./candidate-kind.ts";
import { TOKEN_RULES, type TokenRule } from "./token-rules.ts";

const CHOICE = chooseCandidates();

/** A token rule ready to be tried: its literal, `codes`, starts `offset` characters before the pair that announces it. */
export class Anchored {
  readonly codes: Uint16Array;
  readonly offset: number;
  readonly rule: TokenRule;
  readonly #literal: string;
  #pattern: RegExp | undefined;

  constructor(literal: string, offset: number, rule: TokenRule) {
    this.codes = new Uint16Array(literal.length);
    for (let i = 0; i < literal.length; i++) this.codes[i] = literal.charCodeAt(i);
    this.offset = offset;
    this.rule = rule;
    this.#literal = literal;
  }

  /** The whole token, from `lastIndex` on. */
  get pattern(): RegExp {
    this.#pattern ??= new RegExp(this.#literal.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&") + this.rule.rest, "y");
    return this.#pattern;
  }
}

/** One entry a pair of 7-bit characters; the index is `first * 128 + second`. Other characters share the low seven bits. */
export const CANDIDATES = new Uint8Array(128 * 128);

const groups: (Anchored[] | undefined)[] = [];

let isFilled = false;

/** Fills the table; called before every scan, since the proxy counts what it costs at rest. */
export function prepareCandidates(): void {
  if (isFilled) return;
  isFilled = true;
  const { pairs } = CHOICE;
  for (let i = 0; i < pairs.length; i += 2) CANDIDATES[pairs[i] as number] = pairs[i + 1] as number;
}

/** The rules that a candidate announces, the longer literal first. */
export function rulesOf(candidate: number): readonly Anchored[] {
  const at = candidate - CANDIDATE.firstGroup;
  return groups[at] ?? makeGroup(at);
}

function makeGroup(at: number): Anchored[] {
  const group: Anchored[] = [];
  const chosen = CHOICE.groups[at] ?? [];
  for (let i = 0; i < chosen.length; i += 3) {
    const rule = TOKEN_RULES[chosen[i] as number] as TokenRule;
    group.push(new Anchored(rule.literals[chosen[i + 1] as number] ?? "", chosen[i + 2] as number, rule));
  }
  groups[at] = group;
  return group;
}
