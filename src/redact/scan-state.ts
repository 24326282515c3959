/**
 * The state of one scan, handed to every part of the engine. Owns nothing but the masks found so far and the flags below.
 * One object is reused for every text, so that a text without a secret costs no allocation; it must never be used by two
 * scans at once.
 */

import { prepareCandidates } from "./candidates.ts";
import { MaskList } from "./mask-list.ts";

/** Characters the window holds for good; a longer text gets a window of its own for the time of its scan. */
const WINDOW = 144 * 1024;
/** What it holds while no text was longer: all that a process of a few milliseconds needs. */
const SMALL_WINDOW = 8 * 1024;

export class Scan {
  text = "";
  /** The UTF-16 units of the text and at least one 0 after them: read several times faster than the string. */
  codes: Uint16Array = new Uint16Array(0);
  #bytes: Buffer | undefined;
  /** The text was cut off at its end: what touches the end is incomplete, and judged as if it were a secret. */
  cutEnd = false;
  /** The end of the text lies inside a value that is, or could be, a secret. */
  openAtEnd = false;
  /** The text is such a reading: what is still escaped in it stays. */
  isReading = false;
  /** A printable ASCII character was found escaped (`\/`, `\u0026`): the text has to be read unescaped instead. */
  needsUnescape = false;
  readonly masks = new MaskList();
  /** Scans `[from, to)` of the text; parts of the engine call it for what they leave unmasked. */
  readonly range: (scan: Scan, from: number, to: number) => void;

  constructor(range: (scan: Scan, from: number, to: number) => void) {
    this.range = range;
  }

  begin(text: string, cutEnd: boolean, isReading = false): void {
    this.text = text;
    prepareCandidates();
    if (text.length + 8 > this.codes.length) {
      this.#setWindow(text.length <= SMALL_WINDOW ? SMALL_WINDOW : Math.max(WINDOW, text.length));
    }
    this.#bytes?.write(text, 0, "utf16le");
    this.codes[text.length] = 0;
    this.cutEnd = cutEnd;
    this.openAtEnd = false;
    this.needsUnescape = false;
    this.isReading = isReading;
    this.masks.clear();
  }

  /** Lets go of the text, which may be large. */
  end(): void {
    this.text = "";
    if (this.codes.length > WINDOW + 8) this.#setWindow(WINDOW);
    this.masks.clear();
  }

  #setWindow(length: number): void {
    // Not a buffer over an array: that is the slow way round, and the first text of a process waits for it.
    const bytes = Buffer.alloc(2 * (length + 8));
    this.codes = new Uint16Array(bytes.buffer, bytes.byteOffset, length + 8);
    this.#bytes = bytes;
  }

  /** Masks `[start, end)` as `kind`. */
  mask(start: number, end: number, kind: string): void {
    this.masks.addText(this.text, start, end, kind);
  }
}
