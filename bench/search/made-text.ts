/** Text as agents' tools give it, made up from a seed: words as frequent as in a language, paths, ids and numbers. */

/** Words that are common in what agents and tools say; the first are the most frequent. */
const COMMON =
  `the to of a in file is and for error path from content with type name this function import return not test value
   src line data config string read write code user number list result command output message true false null index
   server request response status update create delete search query build run node module class const export package
   version install failed found warning directory memory process thread table column row select insert commit branch
   merge review issue comment label title body header token session client key object array boolean default option
   argument parameter variable method property interface schema field record event handler listener callback promise
   async await timeout retry cache buffer stream socket connection database transaction lock wait signal exit spawn
   weather temperature paris london forecast degrees rain wind cloud invoice payment customer order product price
   shipping address email phone calendar meeting schedule reminder document report summary chapter section figure`
    .split(/\s+/)
    .filter(Boolean);

const SYLLABLES = "ba co di fu ge ha in jo ka le mi no or pa qui ro sa te un va wi xe yo zu st tr pl gr sh ch".split(
  " ",
);

const VOCABULARY = 40_000;
/** Draws are looked up here: the table holds every word as often as it is frequent. */
const DRAWS = 1 << 17;

export class MadeText {
  readonly #words: string[];
  readonly #draws = new Uint16Array(DRAWS);
  #state: number;

  constructor(seed: number) {
    this.#state = seed;
    const words = new Set(COMMON);
    while (words.size < VOCABULARY) words.add(this.#syllables(2 + this.below(3)));
    this.#words = [...words];
    const weights = this.#words.map((_, rank) => 1 / (rank + 8));
    const whole = weights.reduce((a, b) => a + b, 0);
    let filled = 0;
    let sum = 0;
    for (const [rank, weight] of weights.entries()) {
      sum += weight;
      const until = Math.round((sum / whole) * DRAWS);
      this.#draws.fill(rank, filled, until);
      filled = until;
    }
  }

  /** The vocabulary, most frequent first. */
  get words(): readonly string[] {
    return this.#words;
  }

  /** A whole number from 0 on, below `limit`. */
  below(limit: number): number {
    // mulberry32
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let t = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) % limit;
  }

  word(): string {
    return this.#words[this.#draws[this.below(DRAWS)] ?? 0] ?? "";
  }

  sentence(words: number): string {
    let text = this.word();
    for (let n = 1; n < words; n++) text += ` ${this.word()}`;
    return text;
  }

  path(): string {
    return `/home/ada/${this.word()}/${this.word()}/${this.word()}_${this.word()}.ts`;
  }

  /** An id that is in no other place. */
  id(): string {
    return `${this.#hex()}-${this.#hex()}`;
  }

  #hex(): string {
    return this.below(0xffffffff).toString(16).padStart(8, "0");
  }

  #syllables(count: number): string {
    let text = "";
    for (let n = 0; n < count; n++) text += SYLLABLES[this.below(SYLLABLES.length)];
    return text;
  }
}
