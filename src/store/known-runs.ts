import type { StoreReader } from "./reader.ts";

/**
 * Which runs there are, so that those which are removed can be told: nothing in the journal speaks of them. Counting them is
 * enough to see that none is missing; only then are all of them looked at.
 */
export class KnownRuns {
  #ids = new Set<string>();

  /** Takes note of runs that were told of, and answers which of the known ones are gone. Throws Problem. */
  update(reader: StoreReader, told: readonly string[]): string[] {
    for (const id of told) this.#ids.add(id);
    const [row] = reader.rows<{ runs: number }>("SELECT count(*) AS runs FROM runs");
    if ((row?.runs ?? 0) === this.#ids.size) return [];
    const present = new Set(Array.from(reader.rows<{ id: string }>("SELECT id FROM runs"), ({ id }) => id));
    const removed = [...this.#ids].filter((id) => !present.has(id));
    this.#ids = present;
    return removed;
  }
}
