/**
 * Where each row of a long list stands: heights by key, measured or estimated, and their sums in a tree, so that a change and
 * a question both cost the logarithm of the length. Pure.
 */
export class RowHeights {
  readonly #estimated: number;
  readonly #measured = new Map<string, number>();
  #keys: readonly string[] = [];
  #indexOf = new Map<string, number>();
  /** A Fenwick tree over the rows' heights; index 0 is not used. */
  #sums = new Float64Array(1);

  constructor(estimatedPx: number) {
    this.#estimated = estimatedPx;
  }

  /** The rows there are now. Rows that only came behind the known ones cost no more than themselves. */
  setKeys(keys: readonly string[]): void {
    if (keys === this.#keys) return;
    const old = this.#keys;
    const isLonger = keys.length >= old.length && old.every((key, index) => keys[index] === key);
    this.#keys = keys;
    if (!isLonger) this.#indexOf = new Map();
    for (let index = isLonger ? old.length : 0; index < keys.length; index++)
      this.#indexOf.set(keys[index] ?? "", index);
    this.#rebuild();
  }

  /** Takes a measured height (px); false where it was known. */
  measure(key: string, height: number): boolean {
    const index = this.#indexOf.get(key);
    const before = this.#measured.get(key) ?? this.#estimated;
    this.#measured.set(key, height);
    if (index === undefined || before === height) return false;
    for (let at = index + 1; at < this.#sums.length; at += at & -at) {
      this.#sums[at] = (this.#sums[at] ?? 0) + height - before;
    }
    return true;
  }

  /** Where a row stands among the others; undefined when it is not there. */
  indexOf(key: string): number | undefined {
    return this.#indexOf.get(key);
  }

  keyAt(index: number): string | undefined {
    return this.#keys[index];
  }

  /** Where a row begins, px; where all of them end for an index behind the last. */
  topOf(index: number): number {
    let sum = 0;
    for (let at = Math.min(index, this.#keys.length); at > 0; at -= at & -at) sum += this.#sums[at] ?? 0;
    return sum;
  }

  /** The row at a height (px); the first above all of them, the last below. */
  indexAt(top: number): number {
    let index = 0;
    let rest = top;
    for (let step = highestBit(this.#keys.length); step > 0; step >>= 1) {
      const next = index + step;
      const sum = this.#sums[next];
      if (next <= this.#keys.length && sum !== undefined && sum <= rest) {
        index = next;
        rest -= sum;
      }
    }
    return Math.max(0, Math.min(index, this.#keys.length - 1));
  }

  total(): number {
    return this.topOf(this.#keys.length);
  }

  #rebuild(): void {
    const sums = new Float64Array(this.#keys.length + 1);
    for (const [index, key] of this.#keys.entries()) sums[index + 1] = this.#measured.get(key) ?? this.#estimated;
    for (let at = 1; at < sums.length; at++) {
      const parent = at + (at & -at);
      if (parent < sums.length) sums[parent] = (sums[parent] ?? 0) + (sums[at] ?? 0);
    }
    this.#sums = sums;
  }
}

function highestBit(value: number): number {
  return value === 0 ? 0 : 1 << (31 - Math.clz32(value));
}
