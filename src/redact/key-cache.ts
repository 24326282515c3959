/**
 * The class of a key given as a piece of a text. Owns the quick look that lets most keys pass (they have none of the letters
 * that any telling key has) and the caches for the rest, where each distinct key is judged once (fixed size, exact: the
 * stored key is compared, not only its hash); and the legacy switch that every class depends on. Must not allocate on a hit
 * nor keep the text alive that a key came from.
 */

import { classifyKey, classifyName, KEY, type KeyClass } from "./key-class.ts";
import { TELLING_LETTERS } from "./key-words.ts";

/** Longer keys are not looked at. */
export const MAX_KEY_LENGTH = 80;

const SLOTS = 1024;

/** 1 for three letters that tell something; a letter is its low five bits, in either case. */
const TELLING = new Uint8Array(1 << 15);
for (const letters of TELLING_LETTERS) {
  // No function for the five bits of a letter: so many calls at the start of a process set the compiler to work.
  const [first, second, third] = [letters.charCodeAt(0), letters.charCodeAt(1), letters.charCodeAt(2)];
  TELLING[((first & 31) << 10) | ((second & 31) << 5) | (third & 31)] = 1;
}

let legacyKeys = false;

class ClassCache {
  readonly #judge: (key: string, legacy: boolean) => KeyClass;
  readonly #lengths = new Uint8Array(SLOTS);
  /** Grown when the first key is learned: many processes never meet one. */
  #codes = new Uint16Array(0);
  readonly #classes = new Uint8Array(SLOTS);
  readonly #following = new Uint16Array(SLOTS);
  #last = 0;

  constructor(judge: (key: string, legacy: boolean) => KeyClass) {
    this.#judge = judge;
  }

  /** Class of the key `[start, end)`, which is 1 to MAX_KEY_LENGTH characters long. */
  of(codes: Uint16Array, start: number, end: number): KeyClass {
    return this.#classes[this.#slotOf(codes, start, end)] as KeyClass;
  }

  /** Slot of the key, learned if it was not known. */
  #slotOf(codes: Uint16Array, start: number, end: number): number {
    const length = end - start;
    let hash = length;
    for (let i = start; i < end; i++) hash = (Math.imul(hash, 31) + (codes[i] as number)) | 0;
    const slot = (hash ^ (hash >>> 10)) & (SLOTS - 1);
    if (this.#lengths[slot] === length) {
      const offset = slot * MAX_KEY_LENGTH - start;
      let i = start;
      while (i < end && this.#codes[offset + i] === codes[i]) i++;
      if (i === end) return slot;
    }
    const key = codes.subarray(start, end);
    if (this.#codes.length === 0) this.#codes = new Uint16Array(SLOTS * MAX_KEY_LENGTH);
    this.#classes[slot] = this.#judge(String.fromCharCode(...key), legacyKeys);
    this.#codes.set(key, slot * MAX_KEY_LENGTH);
    this.#lengths[slot] = length;
    return slot;
  }

  /**
   * The same; the key that came after the last one the time before is tried first, since the rows of a list have the same
   * keys in the same order.
   */
  afterLast(codes: Uint16Array, start: number, end: number): KeyClass {
    const guess = this.#following[this.#last] as number;
    if (this.#lengths[guess] === end - start) {
      const offset = guess * MAX_KEY_LENGTH - start;
      let i = start;
      while (i < end && this.#codes[offset + i] === codes[i]) i++;
      if (i === end) {
        this.#last = guess;
        return this.#classes[guess] as KeyClass;
      }
    }
    const slot = this.#slotOf(codes, start, end);
    this.#following[this.#last] = slot;
    this.#last = slot;
    return this.#classes[slot] as KeyClass;
  }

  clear(): void {
    this.#lengths.fill(0);
  }
}

const keys = new ClassCache(classifyKey);
const names = new ClassCache(classifyName);

/** Sets whether any key that contains a secret word counts (`BIR_REDACT_LEGACY_KEYS=1`). */
export function setLegacyKeys(on: boolean): void {
  legacyKeys = on;
  keys.clear();
  names.clear();
}

/** Class of the key `codes[start, end)`. */
export function classOfKey(codes: Uint16Array, start: number, end: number): KeyClass {
  return isTelling(codes, start, end) ? keys.of(codes, start, end) : KEY.plain;
}

/** Class of the key between the last `mark` before `end` and `end`. */
export function classOfQuotedKey(codes: Uint16Array, end: number, mark: number): KeyClass {
  const floor = end > MAX_KEY_LENGTH ? end - MAX_KEY_LENGTH - 1 : 0;
  let letters = 0;
  let tells = 0;
  let i = end - 1;
  for (; i >= floor; i--) {
    const c = codes[i] as number;
    if (c === mark) break;
    letters = (letters >>> 5) | ((c & 31) << 10);
    // A bit beyond ASCII tells that the key is in another script.
    tells |= (TELLING[letters] as number) | (c >> 7);
  }
  return tells === 0 || i < floor || i === end - 1 ? KEY.plain : keys.afterLast(codes, i + 1, end);
}

/** Class of the secret that the value `codes[start, end)` names (`DB_PASSWORD`), `KEY.plain` if none. */
export function classOfName(codes: Uint16Array, start: number, end: number): KeyClass {
  return isTelling(codes, start, end) ? names.of(codes, start, end) : KEY.plain;
}

/** Class of a key that is a string of its own; not cached, for what is rare. */
export function classOfString(key: string): KeyClass {
  return key.length > MAX_KEY_LENGTH ? KEY.plain : classifyKey(key, legacyKeys);
}

/** True for a key of possible length that is in another script or has telling letters. */
function isTelling(codes: Uint16Array, start: number, end: number): boolean {
  if (end <= start || end - start > MAX_KEY_LENGTH) return false;
  let letters = 0;
  let tells = 0;
  for (let i = end - 1; i >= start; i--) {
    const c = codes[i] as number;
    letters = (letters >>> 5) | ((c & 31) << 10);
    tells |= (TELLING[letters] as number) | (c >> 7);
  }
  return tells !== 0;
}
