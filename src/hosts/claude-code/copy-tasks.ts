import { Problem } from "../../core/problem.ts";
import type { Host, ServerList } from "../host.ts";
import type { FileTask } from "../plan/outcome.ts";
import { readSettled } from "../plan/settled-read.ts";
import { type CopyOptions, type CopySource, planCopies } from "./plan-copies.ts";
import type { ScopedList } from "./scopes.ts";

/** The tasks that copy shared servers, from the files as they are now. Writes nothing. */

export interface CopyTasks {
  tasks: FileTask[];
  /** Files that could not be read: nothing is done about what is in them, or what was copied from them. */
  problems: Problem[];
}

export async function copyTasks(host: Host, lists: readonly ScopedList[], options: CopyOptions): Promise<CopyTasks> {
  const problems: Problem[] = [];
  const targets: { target: ServerList; sources: CopySource[] }[] = [];
  for (const scoped of lists) {
    const { list, shadowIn } = scoped;
    if (shadowIn === null) continue;
    try {
      const { document } = await readSettled(list.file, list.format);
      const known = targets.find(({ target }) => target === shadowIn || Bun.deepEquals(target, shadowIn));
      if (known === undefined) targets.push({ target: shadowIn, sources: [{ scoped, document }] });
      else known.sources.push({ scoped, document });
    } catch (cause) {
      if (!(cause instanceof Problem)) throw cause;
      problems.push(cause);
    }
  }
  return { tasks: targets.map(({ target, sources }) => planCopies(host, target, sources, options)), problems };
}
