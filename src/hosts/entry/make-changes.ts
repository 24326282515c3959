import type { ConfigDocument, ConfigPath } from "../edit/config-text.ts";
import { formatOf } from "../edit/formats.ts";
import { type EntryChange, editsOf } from "./entry-change.ts";
import { Rewrite } from "./rewrite.ts";

/** Makes changes of several places of one text, as few readings of the text as they can be made in. Pure. */

export interface ChangeJob {
  /** What the changes' paths go on from. */
  at: ConfigPath;
  changes: readonly EntryChange[];
}

export interface Changed {
  rewrite: Rewrite;
  /** Of the text that has come out. */
  document: ConfigDocument;
}

/**
 * The first change of every job is made at once, then the second of every job, and so on: jobs never depend on one another,
 * the changes of one do. Gaps carry the job's index as their owner, counted from `firstOwner`. Throws `ConfigSyntaxError` or
 * `RangeError` where that cannot be done.
 */
export function makeChanges(
  document: ConfigDocument,
  jobs: readonly ChangeJob[],
  from?: Rewrite,
  firstOwner = 0,
): Changed {
  const format = formatOf(document.format);
  let rewrite = from ?? Rewrite.of(document.text);
  let now = document;
  const rounds = Math.max(0, ...jobs.map((job) => job.changes.length));
  for (let round = 0; round < rounds; round++) {
    const edits = jobs.flatMap(({ at, changes }, index) => {
      const change = changes[round];
      if (change === undefined) return [];
      return editsOf(format, now, at, change).map((edit) => ({ ...edit, owner: firstOwner + index }));
    });
    rewrite = rewrite.edited(edits);
    now = format.parse(rewrite.text);
  }
  return { rewrite, document: now };
}
