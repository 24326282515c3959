import { createContext } from "preact";
import { useContext, useEffect, useMemo, useRef, useState } from "preact/hooks";
import { needleOf } from "./find-text.ts";

/**
 * Finding words in everything that the inspector shows: each block says how often it holds them, in the order of the page,
 * and is told when the person is at one of its places.
 */

interface Block {
  element: () => Element | null;
  count: number;
  setCurrent: (current: number | null) => void;
}

/** The blocks of one inspector, and the place in them. */
export class FindBook {
  readonly #blocks = new Set<Block>();
  readonly #changed: () => void;
  #current = -1;
  #isSettling = false;

  constructor(changed: () => void) {
    this.#changed = changed;
  }

  add(block: Block): () => void {
    this.#blocks.add(block);
    this.#settleSoon();
    return () => {
      this.#blocks.delete(block);
      this.#settleSoon();
    };
  }

  /** A block holds more or fewer places now. */
  counted(block: Block, count: number): void {
    if (block.count === count) return;
    block.count = count;
    this.#settleSoon();
  }

  get total(): number {
    return [...this.#blocks].reduce((sum, { count }) => sum + count, 0);
  }

  /** From 0; -1 before anybody went to one. */
  get current(): number {
    return this.#current;
  }

  /** Begins anew, as when other words are looked for. */
  reset(): void {
    this.#current = -1;
    this.#settle();
  }

  /** To the next place (or back), round the end. */
  move(by: 1 | -1): void {
    const { total } = this;
    if (total === 0) return;
    const from = this.#current < 0 && by < 0 ? 0 : this.#current;
    this.#current = (from + by + total) % total;
    this.#settle();
  }

  /** Many blocks come and go at once. */
  #settleSoon(): void {
    if (this.#isSettling) return;
    this.#isSettling = true;
    queueMicrotask(() => {
      this.#isSettling = false;
      this.#settle();
    });
  }

  #settle(): void {
    const { total } = this;
    if (this.#current >= total) this.#current = total - 1;
    let before = 0;
    for (const block of this.#inOrder()) {
      const local = this.#current - before;
      block.setCurrent(local >= 0 && local < block.count ? local : null);
      before += block.count;
    }
    this.#changed();
  }

  #inOrder(): Block[] {
    return [...this.#blocks].sort((a, b) => {
      const [first, second] = [a.element(), b.element()];
      if (first === null || second === null) return 0;
      return first.compareDocumentPosition(second) & Node.DOCUMENT_POSITION_FOLLOWING ? -1 : 1;
    });
  }
}

export interface Finding {
  query: string;
  book: FindBook;
}

export const FindContext = createContext<Finding | null>(null);

/** What a block is to mark, and the place in it where the person is. `hitsOf` must keep its identity between renders. */
export function useFind<Hit>(
  element: { current: Element | null },
  hitsOf: (needle: string) => readonly Hit[],
): { needle: string | null; hits: readonly Hit[]; hit: Hit | null } {
  const finding = useContext(FindContext);
  const [current, setCurrent] = useState<number | null>(null);
  const block = useRef<Block>({ element: () => element.current, count: 0, setCurrent });
  const book = finding?.book;
  const query = finding?.query ?? "";
  const needle = useMemo(() => needleOf(query), [query]);
  const hits = useMemo(() => (needle === null ? [] : hitsOf(needle)), [needle, hitsOf]);
  useEffect(() => book?.add(block.current), [book]);
  useEffect(() => book?.counted(block.current, hits.length), [book, hits]);
  return { needle, hits, hit: current === null ? null : (hits[current] ?? null) };
}
