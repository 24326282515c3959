import type { RedactedJson, RedactedText } from "../core/redacted.ts";
import { isJson } from "../jsonrpc/is-json.ts";
import { eachElement, eachMember, skipSpace, stringValue } from "../jsonrpc/json-span.ts";
import { redactHead } from "../redact/fragment.ts";
import { redactText, trustedText } from "../redact/redact.ts";
import { capturedPayload, cutPayload } from "./payload.ts";

/**
 * The members of one JSON object, read from its text without building it. Everything that is given out is redacted, but for
 * `raw`. A member that is missing, cut off or of another type than asked for is null: hosts add, drop and change fields
 * from version to version. Never throws.
 */
export class Fields {
  readonly #text: string;
  readonly #isCut: boolean;
  readonly #spans = new Map<string, { start: number; end: number }>();

  private constructor(text: string, at: number, isCut: boolean) {
    this.#text = text;
    this.#isCut = isCut;
    // The last of equal keys wins, as with JSON.parse.
    eachMember(text, at, (key, start, end) => this.#spans.set(key, { start, end }));
  }

  /** The object that `text` is, or with `isCut` begins; null where it is no such thing. */
  static of(text: string, isCut: boolean): Fields | null {
    const at = skipSpace(text, 0);
    if (text.charCodeAt(at) !== OPEN_BRACE || !(isCut || isJson(text))) return null;
    return new Fields(text, at, isCut);
  }

  has(key: string): boolean {
    return this.#spans.has(key);
  }

  /** A string as it came: to compare and take apart, never to keep. */
  raw(key: string): string | null {
    const span = this.#spans.get(key);
    return span === undefined ? null : stringValue(this.#text, span.start, span.end);
  }

  /** Of a text over the bound its start, and how much is missing. */
  text(key: string): RedactedText | null {
    const raw = this.raw(key);
    if (raw === null) return null;
    if (raw.length <= MAX_TEXT_CHARS) return redactText(raw);
    const { text } = redactHead(raw.slice(0, MAX_TEXT_CHARS));
    return trustedText(`${text}… [${raw.length - MAX_TEXT_CHARS} characters more]`);
  }

  /** A number that is not negative, e.g. a count or a duration. */
  amount(key: string): number | null {
    const source = this.#source(key);
    const value = source === null || !/^[\d.]/.test(source) ? Number.NaN : Number(source);
    return Number.isFinite(value) ? value : null;
  }

  /** True only for `true`. */
  flag(key: string): boolean {
    return this.#source(key) === "true";
  }

  /** A value of any type; null also where it is `null`. */
  json(key: string): RedactedJson | null {
    const span = this.#spans.get(key);
    if (span === undefined) return null;
    if (span.end < 0) return cutPayload(this.#text.slice(span.start));
    const source = this.#text.slice(span.start, span.end);
    if (source === "null" || (this.#isCut && !isJson(source))) return null;
    return capturedPayload(source);
  }

  object(key: string): Fields | null {
    const start = this.#spans.get(key)?.start;
    return start !== undefined && this.#text.charCodeAt(start) === OPEN_BRACE
      ? new Fields(this.#text, start, this.#isCut)
      : null;
  }

  /** The objects in an array; what else is in it is left out. Null where there is no array. */
  objects(key: string): Fields[] | null {
    const start = this.#spans.get(key)?.start;
    if (start === undefined || this.#text.charCodeAt(start) !== OPEN_BRACKET) return null;
    const found: Fields[] = [];
    eachElement(this.#text, start, (_, at) => {
      if (this.#text.charCodeAt(at) === OPEN_BRACE) found.push(new Fields(this.#text, at, this.#isCut));
    });
    return found;
  }

  #source(key: string): string | null {
    const span = this.#spans.get(key);
    return span === undefined || span.end < 0 ? null : this.#text.slice(span.start, span.end);
  }
}

/** Characters of one text that are kept: no prompt and no answer comes near it. */
const MAX_TEXT_CHARS = 512 * 1024;
const OPEN_BRACE = 0x7b;
const OPEN_BRACKET = 0x5b;
