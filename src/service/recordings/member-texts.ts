import { eachElement, eachMember, skipSpace, valueEnd } from "../../jsonrpc/json-span.ts";

/**
 * The JSON texts of an object's members, cut out of a body without building anything anew, so that a number that no double can
 * hold, and keys that repeat, stay as they were written. Of equal keys the last one counts, as with JSON.parse.
 */
export class MemberTexts {
  readonly #text: string;
  readonly #at: number;
  #spans: Map<string, { start: number; end: number }> | null = null;
  #bir: MemberTexts | null = null;

  /** `text` is JSON; an object begins at `at`. */
  constructor(text: string, at = skipSpace(text, 0)) {
    this.#text = text;
    this.#at = at;
  }

  /** Null where there is no such member. */
  json(key: string): string | null {
    const span = this.#members().get(key);
    return span === undefined ? null : this.#text.slice(span.start, span.end);
  }

  /** The whole object's. */
  whole(): string {
    return this.#text.slice(this.#at, valueEnd(this.#text, this.#at));
  }

  /** Of a member of its member `bir`. */
  birJson(key: string): string | null {
    const span = this.#members().get("bir");
    if (span === undefined) return null;
    this.#bir ??= new MemberTexts(this.#text, span.start);
    return this.#bir.json(key);
  }

  #members(): Map<string, { start: number; end: number }> {
    if (this.#spans !== null) return this.#spans;
    const spans = new Map<string, { start: number; end: number }>();
    eachMember(this.#text, this.#at, (key, start, end) => spans.set(key, { start, end }));
    this.#spans = spans;
    return spans;
  }
}

/** Those of each object of an array, or of the one object that `text` is. */
export function memberTexts(text: string): MemberTexts[] {
  const at = skipSpace(text, 0);
  if (text.charCodeAt(at) !== OPEN_BRACKET) return [new MemberTexts(text, at)];
  const found: MemberTexts[] = [];
  eachElement(text, at, (_key, start) => found.push(new MemberTexts(text, start)));
  return found;
}

const OPEN_BRACKET = 0x5b;
