/**
 * Tables that are built when they are first asked for. The proxy loads this module before its first message, and its memory
 * at rest counts: word lists and patterns cost megabytes. Owns nothing else.
 */

/** A list of words written as one text. */
export interface WordList {
  has(word: string): boolean;
  /** Every word, in the order written. */
  all(): readonly string[];
}

/** The words of `list`, separated by white space. */
export function words(list: string): WordList {
  const set = lazy(() => new Set(list.trim().split(/\s+/)));
  return { has: (word) => set().has(word), all: () => [...set()] };
}

/** `make()`, called once, when it is first needed. */
export function lazy<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
