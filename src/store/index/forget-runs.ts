import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { searchIndexPath } from "../../kit/paths.ts";
import { storeError } from "../store-error.ts";
import { discardIndex, openExistingIndex } from "./index-file.ts";
import { IndexTables } from "./index-tables.ts";
import { purge, removeRuns } from "./removal.ts";

/**
 * What becomes of the index when runs are removed from the store beside it. It never makes one, and one that cannot be
 * read is thrown away: it can be made anew, and must not go on holding what was deleted.
 */

/** How it went. `busy`: another process holds it; what is left goes when the index is used next. */
export type Forgetting = "done" | "unfinished" | "busy";

/** Removes runs from the index of the store at `storePath`, and wipes it until `until` (of performance.now()). Never throws. */
export function forgetRuns(storePath: string, ids: readonly string[], until: number): Forgetting {
  const path = searchIndexPath(dirname(storePath));
  let tables: IndexTables | null = null;
  try {
    if (!existsSync(path)) return "done";
    const db = openExistingIndex(path);
    if (db === null) {
      discardIndex(path);
      return "done";
    }
    tables = new IndexTables(db);
    if (ids.length > 0) removeRuns(tables, ids);
    return purge(tables, until, true) ? "done" : "unfinished";
  } catch (cause) {
    return afterFailure(cause, path);
  } finally {
    close(tables);
  }
}

function afterFailure(cause: unknown, path: string): Forgetting {
  if (storeError(cause).failure === "busy") return "busy";
  try {
    discardIndex(path);
    return "done";
  } catch {
    return "busy";
  }
}

function close(tables: IndexTables | null): void {
  try {
    tables?.close();
  } catch {
    // What was committed stays.
  }
}
