/**
 * Chooses by which pair of characters each token rule is found, and lists every pair that announces something. Run by the
 * bundler, which puts the answer in place of the call: a hook lives for milliseconds, and working this out takes one of them
 * tenths. From the sources it is run as any other function. Pure; must not import what is not.
 */

import { CANDIDATE } from "./candidate-kind.ts";
import { TOKEN_RULES } from "./token-rules.ts";

/** Plain numbers, so that a bundle can hold them. */
export interface CandidateChoice {
  /** One after the other: a pair (`first * 128 + second`) and what it announces. */
  pairs: number[];
  /**
   * The rules that a pair announces, by its candidate minus `firstGroup`, the longer literal first: one after the other the
   * rule's index, that of its literal, and how far behind the literal's start the pair is.
   */
  groups: number[][];
}

const LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
const DIGITS = "0123456789";

/** The letters of English by frequency: pairs of rare characters cost nothing in prose. */
const FREQUENT = " etaoinshrdlcumwfgypbvkjxqz";

export function chooseCandidates(): CandidateChoice {
  const announced = new Map<number, number>();
  const set = (firsts: string, seconds: string, candidate: number): void => {
    for (const first of firsts) for (const second of seconds) announced.set(pairOf(first, second), candidate);
  };
  set(`${LETTERS}${DIGITS}_`, ":=", CANDIDATE.bareKey);
  set(" \t", ":=", CANDIDATE.spacedKey);
  set("\"'", ":=", CANDIDATE.quotedKey);
  set("\"'", "]", CANDIDATE.index);
  set("]", ":", CANDIDATE.label);
  set(LETTERS, ">", CANDIDATE.tag);
  set("-", "-", CANDIDATE.dashes);
  set("-", "upaw", CANDIDATE.shortFlag);
  set("\\", "/u", CANDIDATE.escape);
  const groups: { rule: number; index: number; literal: string; offset: number }[][] = [];
  for (const [rule, { literals }] of TOKEN_RULES.entries()) {
    for (const [index, literal] of literals.entries()) {
      const offset = rarestPair(literal, announced);
      const pair = pairOf(literal.charAt(offset), literal.charAt(offset + 1));
      const candidate = announced.get(pair) ?? CANDIDATE.firstGroup + groups.length;
      announced.set(pair, candidate);
      groups[candidate - CANDIDATE.firstGroup] ??= [];
      groups[candidate - CANDIDATE.firstGroup]?.push({ rule, index, literal, offset });
    }
  }
  // The longer literal first: `sk-ant-` before `sk-`, `xoxe.xoxp-` before `xoxp-`.
  for (const group of groups) group.sort((a, b) => b.literal.length - a.literal.length);
  return {
    pairs: [...announced].flat(),
    groups: groups.map((group) => group.flatMap(({ rule, index, offset }) => [rule, index, offset])),
  };
}

/** Where in `literal` the rarest pair is that announces nothing but token rules. */
function rarestPair(literal: string, announced: ReadonlyMap<number, number>): number {
  let offset = -1;
  for (let i = 0; i < literal.length - 1; i++) {
    const taken = announced.get(pairOf(literal.charAt(i), literal.charAt(i + 1))) ?? CANDIDATE.firstGroup;
    if (taken < CANDIDATE.firstGroup) continue;
    if (offset < 0 || frequency(literal, i) < frequency(literal, offset)) offset = i;
  }
  if (offset < 0) throw new Error(`no pair announces ${literal}`);
  return offset;
}

/** How often the pair at `at` occurs in text, roughly. */
function frequency(literal: string, at: number): number {
  return weight(literal.charAt(at)) * weight(literal.charAt(at + 1));
}

function weight(character: string): number {
  const rank = FREQUENT.indexOf(character);
  if (rank >= 0) return 40 - rank;
  if (character === ".") return 30;
  return /[A-Z]/.test(character) ? 4 : character === "_" || character === "-" || character === "/" ? 8 : 3;
}

function pairOf(first: string, second: string): number {
  return first.charCodeAt(0) * 128 + second.charCodeAt(0);
}
