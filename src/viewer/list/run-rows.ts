import type { RunItem } from "../../core/service-wire.ts";
import { dayName, startOfDay } from "../ui/time.ts";

/** The rows of the list: runs under the name of their day, those under way above all others. Pure. */

export type ListRow = { kind: "group"; key: string; name: string } | { kind: "run"; key: string; run: RunItem };

/** `live`: ids of runs that stand on top, also where they have just ended. `runs` are newest first. */
export function listRows(runs: readonly RunItem[], live: ReadonlySet<string>, today: number): ListRow[] {
  const rows: ListRow[] = [];
  const onTop = runs.filter(({ id }) => live.has(id));
  if (onTop.length > 0) rows.push({ kind: "group", key: "group-now", name: "Now" });
  for (const run of onTop) rows.push({ kind: "run", key: run.id, run });
  let day: number | null = null;
  for (const run of runs) {
    if (live.has(run.id)) continue;
    const startsDay = startOfDay(run.startedAt);
    if (startsDay !== day) {
      rows.push({ kind: "group", key: `group-${startsDay}`, name: dayName(run.startedAt, today) });
      day = startsDay;
    }
    rows.push({ kind: "run", key: run.id, run });
  }
  return rows;
}

/** Newest first, as the service orders them. */
export function isNewer(a: RunItem, b: RunItem): boolean {
  return a.startedAt > b.startedAt || (a.startedAt === b.startedAt && a.id > b.id);
}

/**
 * Runs with changed ones in their places and new ones where they belong; what is older than the last of an unfinished list
 * is left out: its page has not come yet.
 */
export function withChanged(runs: readonly RunItem[], changed: readonly RunItem[], isWhole: boolean): RunItem[] {
  const result = [...runs];
  const indexOf = new Map(runs.map(({ id }, index) => [id, index]));
  const added: RunItem[] = [];
  for (const run of changed) {
    const index = indexOf.get(run.id);
    if (index === undefined) added.push(run);
    else result[index] = run;
  }
  for (const run of added) {
    const last = result.at(-1);
    if (!isWhole && (last === undefined || isNewer(last, run))) continue;
    const at = result.findIndex((other) => isNewer(run, other));
    result.splice(at < 0 ? result.length : at, 0, run);
  }
  return result;
}

/** Runs with their beginning as a first page that was asked for anew has it. */
export function withFirstPage(runs: readonly RunItem[], page: readonly RunItem[], isWhole: boolean): RunItem[] {
  const last = page.at(-1);
  if (isWhole || last === undefined) return [...page];
  const known = new Set(page.map(({ id }) => id));
  return [...page, ...runs.filter((run) => isNewer(last, run) && !known.has(run.id))];
}
