/**
 * The table that lets the scan pass over text at about a nanosecond a character: for every pair of ASCII characters, what
 * may be there. Owns the table and the choice of the pair by which each token rule is found. Filled once, when first needed.
 */

import { lazy } from "./lazy.ts";
import { TOKEN_RULES, type TokenRule } from "./token-rules.ts";

/** What a pair of characters may be the start of; from `firstGroup` on, an index into `RULE_GROUPS`. */
export const CANDIDATE = {
  none: 0,
  /** A quote and `:` or `=`: the end of a quoted key. */
  quotedKey: 1,
  /** A letter, digit or underscore and `:` or `=`. */
  bareKey: 2,
  /** A space and `:` or `=`. */
  spacedKey: 3,
  /** `"]` or `']`: the end of an index. */
  index: 4,
  /** A letter and `>`: the end of a tag. */
  tag: 5,
  /** Two dashes. */
  dashes: 6,
  /** A dash and the letter of a short flag. */
  shortFlag: 7,
  /** `]:`: the end of what is said of a form field. */
  label: 9,
  /** A backslash and `/` or `u`. */
  escape: 8,
  firstGroup: 10,
} as const;

/** A token rule ready to be tried: its literal, `codes`, starts `offset` characters before the pair that announces it. */
export interface Anchored {
  codes: Uint16Array;
  offset: number;
  pattern: () => RegExp;
  rule: TokenRule;
}

/** One entry a pair of 7-bit characters; the index is `first * 128 + second`. Other characters share the low seven bits. */
export const CANDIDATES = new Uint8Array(128 * 128);

/** The rules announced by a pair; the first entry belongs to `CANDIDATE.firstGroup`. */
export const RULE_GROUPS: Anchored[][] = [];

const LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
const DIGITS = "0123456789";

/** The letters of English by frequency: pairs of rare characters cost nothing in prose. */
const FREQUENT = " etaoinshrdlcumwfgypbvkjxqz";

/** Fills the tables; called before the first scan, since the proxy counts what it costs at rest. */
export const prepareCandidates = lazy(fill);

function fill(): void {
  const set = (firsts: string, seconds: string, candidate: number): void => {
    for (const first of firsts) for (const second of seconds) CANDIDATES[pairOf(first, second)] = candidate;
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
  for (const rule of TOKEN_RULES) for (const literal of rule.literals) anchor(rule, literal);
  // The longer literal first: `sk-ant-` before `sk-`, `xoxe.xoxp-` before `xoxp-`.
  for (const group of RULE_GROUPS) group.sort((a, b) => b.codes.length - a.codes.length);
}

function anchor(rule: TokenRule, literal: string): void {
  let offset = -1;
  for (let i = 0; i < literal.length - 1; i++) {
    if (isFree(literal, i) && (offset < 0 || frequency(literal, i) < frequency(literal, offset))) offset = i;
  }
  if (offset < 0) throw new Error(`no pair announces ${literal}`);
  const pair = pairOf(literal.charAt(offset), literal.charAt(offset + 1));
  if (CANDIDATES[pair] === CANDIDATE.none) {
    RULE_GROUPS.push([]);
    CANDIDATES[pair] = CANDIDATE.firstGroup + RULE_GROUPS.length - 1;
  }
  const group = RULE_GROUPS[(CANDIDATES[pair] ?? 0) - CANDIDATE.firstGroup];
  const codes = Uint16Array.from(literal, (character) => character.charCodeAt(0));
  group?.push({ codes, offset, pattern: lazy(() => patternOf(literal, rule.rest)), rule });
}

function patternOf(literal: string, rest: string): RegExp {
  return new RegExp(literal.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&") + rest, "y");
}

/** True when the pair at `at` announces nothing but token rules. */
function isFree(literal: string, at: number): boolean {
  const taken = CANDIDATES[pairOf(literal.charAt(at), literal.charAt(at + 1))] ?? 0;
  return taken === CANDIDATE.none || taken >= CANDIDATE.firstGroup;
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
