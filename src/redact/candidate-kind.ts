/** What a pair of characters may be the start of; from `firstGroup` on, a group of token rules. Owns these numbers only. */
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
  /** A backslash and `/` or `u`. */
  escape: 8,
  /** `]:`: the end of what is said of a form field. */
  label: 9,
  firstGroup: 10,
} as const;
