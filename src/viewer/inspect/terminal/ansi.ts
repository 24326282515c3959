import type { Line, LineSpan } from "../text/line-source.ts";
import { LINE_LENGTH } from "../text/line-source.ts";
import { lookClasses, lookStyle } from "./look.ts";
import { Screen, type ScreenLine } from "./screen.ts";
import { type Look, lookAfter, PLAIN } from "./sgr.ts";

/**
 * Terminal output as lines with looks: colours and movement are obeyed within bounds, links become their text and address,
 * and whatever else a terminal would obey (titles, clipboard, queries, other screens) is left out, leaving a mark where it
 * was. Every character of the text is looked at once. Pure.
 */

export interface TerminalText {
  lines: Line[];
  /** Sequences that were left out, and some of them by name. */
  leftOut: { count: number; kinds: string[] };
}

/** Left where something was left out. */
const LEFT_OUT = "␛";
const ESC = "\u001b";

const CSI = /[\u0030-\u003f]{0,64}[\u0020-\u002f]{0,4}[\u0040-\u007e]/y;
/** The text of a string sequence: up to what ends it, or to what cannot be in it. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const STRING = /[^\u0007\u001b\u009c\n]*/y;
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const PLAIN_RUN = /[^\u0000-\u001f\u007f-\u009f]+/y;

export function terminalText(text: string): TerminalText {
  return new Interpreter(text).run();
}

/** True for text that only makes sense as a terminal shows it. */
export function isTerminalText(text: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  return /\u001b[[\]]|[^\r\n]\r[^\r\n]|[^\n]\u0008/.test(text);
}

class Interpreter {
  readonly #text: string;
  readonly #screen: Screen;
  readonly #looks: Look[] = [PLAIN];
  readonly #lookNumbers = new Map<string, number>([[JSON.stringify(PLAIN), 0]]);
  readonly #kinds = new Set<string>();
  #at = 0;
  #look = PLAIN;
  #lookNumber = 0;
  #leftOut = 0;
  /** The address of the link that is being written. */
  #link: string | null = null;

  constructor(text: string) {
    this.#text = text;
    this.#screen = new Screen(text.length);
  }

  run(): TerminalText {
    while (this.#at < this.#text.length) {
      PLAIN_RUN.lastIndex = this.#at;
      const [run] = PLAIN_RUN.exec(this.#text) ?? [];
      if (run !== undefined) {
        for (const char of run) this.#screen.write(char, this.#lookNumber);
        this.#at += run.length;
      } else this.#control(this.#text.charAt(this.#at));
    }
    this.#endLink();
    const lines = this.#screen.lines.flatMap((line) => shownLines(line, this.#looks));
    while (lines.length > 1 && lines.at(-1)?.text === "") lines.pop();
    return { lines, leftOut: { count: this.#leftOut, kinds: [...this.#kinds] } };
  }

  #control(char: string): void {
    this.#at += 1;
    if (char === "\n") this.#screen.newLine();
    else if (char === "\r") this.#screen.toLineStart();
    else if (char === "\t") this.#screen.tab();
    else if (char === "\b") this.#screen.moveBy(0, -1);
    else if (char === ESC) this.#escape();
    else if (char !== "\u0007") this.#screen.write(char, this.#lookNumber);
  }

  #escape(): void {
    const next = this.#text.charAt(this.#at);
    if (next === "[") this.#csi();
    else if (next === "]") this.#string("OSC");
    else if (next === "P" || next === "_" || next === "^" || next === "X") this.#string("device string");
    else if (next === "(" || next === ")") this.#at += Math.min(2, this.#text.length - this.#at);
    else if (/^[\x20-\x7e]$/.test(next)) {
      this.#at += 1;
      this.#skip(next === "c" ? "reset" : `ESC ${next}`);
    } else this.#skip("lone ESC");
  }

  #csi(): void {
    CSI.lastIndex = this.#at + 1;
    const [sequence] = CSI.exec(this.#text) ?? [];
    if (sequence === undefined) {
      this.#at += 1;
      this.#skip("broken sequence");
      return;
    }
    this.#at += 1 + sequence.length;
    const final = sequence.at(-1) ?? "";
    const parameters = sequence.slice(0, -1);
    if (/^[\d;:]*$/.test(parameters) && this.#obey(final, parameters)) return;
    this.#skip(`CSI ${parameters.slice(0, 12)}${final}`);
  }

  #obey(final: string, parameters: string): boolean {
    const numbers = parameters.split(";").map((one) => Math.min(Number.parseInt(one, 10) || 0, 10_000));
    const [first = 0, second = 0] = numbers;
    const count = Math.max(1, first);
    const screen = this.#screen;
    if (final === "m") this.#setLook(lookAfter(this.#look, parameters));
    else if (final === "A") screen.moveBy(-count, 0);
    else if (final === "B" || final === "e") screen.moveBy(count, 0);
    else if (final === "C" || final === "a") screen.moveBy(0, count);
    else if (final === "D") screen.moveBy(0, -count);
    else if (final === "E" || final === "F") {
      screen.moveBy(final === "E" ? count : -count, 0);
      screen.toLineStart();
    } else if (final === "G" || final === "`") screen.moveTo(null, count);
    else if (final === "d") screen.moveTo(count, null);
    else if (final === "H" || final === "f") screen.moveTo(count, Math.max(1, second));
    else if (final === "K") screen.eraseLine(first === 1 ? "before" : first === 2 ? "all" : "rest");
    else if (final === "J" && first === 0) screen.eraseBelow();
    else if (final === "J" && first >= 2) screen.clear();
    else return false;
    return true;
  }

  #setLook(look: Look): void {
    this.#look = look;
    const key = JSON.stringify(look);
    const known = this.#lookNumbers.get(key);
    this.#lookNumber = known ?? this.#looks.push(look) - 1;
    if (known === undefined) this.#lookNumbers.set(key, this.#lookNumber);
  }

  #string(kind: string): void {
    STRING.lastIndex = this.#at + 1;
    const body = STRING.exec(this.#text)?.[0] ?? "";
    this.#at += 1 + body.length;
    const end = this.#text.charAt(this.#at);
    if (end === "\u0007" || end === "\u009c") this.#at += 1;
    else if (end === ESC && this.#text.charAt(this.#at + 1) === "\\") this.#at += 2;
    const link = kind === "OSC" ? /^8;[^;]{0,200};(.*)$/.exec(body) : null;
    if (link === null) this.#skip(kind === "OSC" ? `OSC ${body.slice(0, body.indexOf(";") + 1 || 8)}` : kind);
    else {
      this.#endLink();
      this.#link = link[1] === "" ? null : (link[1] ?? null);
    }
  }

  /** The address of a link stands behind its text, so that a person sees where it would have led. */
  #endLink(): void {
    if (this.#link === null) return;
    const address = this.#link.length > 500 ? `${this.#link.slice(0, 500)}…` : this.#link;
    this.#link = null;
    for (const char of ` <${address}>`) this.#screen.write(char, this.#lookNumber);
  }

  #skip(kind: string): void {
    this.#leftOut += 1;
    if (this.#kinds.size < 5) this.#kinds.add(kind);
    this.#screen.write(LEFT_OUT, this.#lookNumber);
  }
}

/** A line of cells as text and spans, in parts where it is very long. */
function shownLines(line: ScreenLine, looks: readonly Look[]): Line[] {
  const result: Line[] = [];
  let text = "";
  let spans: LineSpan[] = [];
  let start = 0;
  let look = 0;
  const endSpan = () => {
    const shown = looks[look];
    if (look !== 0 && shown !== undefined && text.length > start) {
      spans.push({ start, end: text.length, class: lookClasses(shown), style: lookStyle(shown) });
    }
    start = text.length;
  };
  for (const [index, cell] of line.cells.entries()) {
    const next = line.looks[index] ?? 0;
    if (text.length >= LINE_LENGTH) {
      endSpan();
      result.push({ text, spans });
      text = "";
      spans = [];
      start = 0;
    }
    if (next !== look) {
      endSpan();
      look = next;
    }
    text += cell;
  }
  endSpan();
  result.push({ text: spans.length === 0 && text.trimEnd() === "" ? "" : text, spans });
  return result;
}
