/** Which lines of a text are others in a second one: the shortest way from one to the other (Myers 1986). Pure. */

/** Lines `oldStart` up to `oldEnd` are replaced by `newStart` up to `newEnd`; either part may be empty. */
export interface LineChange {
  oldStart: number;
  oldEnd: number;
  newStart: number;
  newEnd: number;
}

/** Beyond so many changed lines the rest counts as one change: nobody reads them one by one. */
const MOST_STEPS = 1000;

export function lineChanges(old: readonly string[], fresh: readonly string[]): LineChange[] {
  let start = 0;
  while (start < old.length && start < fresh.length && old[start] === fresh[start]) start++;
  let oldEnd = old.length;
  let newEnd = fresh.length;
  while (oldEnd > start && newEnd > start && old[oldEnd - 1] === fresh[newEnd - 1]) {
    oldEnd--;
    newEnd--;
  }
  if (oldEnd === start && newEnd === start) return [];
  const steps = shortestWay(old.slice(start, oldEnd), fresh.slice(start, newEnd));
  if (steps === null) return [{ oldStart: start, oldEnd, newStart: start, newEnd }];
  return grouped(steps, start);
}

type Step = { x: number; y: number; isOld: boolean };

/** Each line that goes or comes, with the lines already passed on both sides; null when there are too many. */
function shortestWay(a: readonly string[], b: readonly string[]): Step[] | null {
  const most = Math.min(a.length + b.length, MOST_STEPS);
  let furthest = new Map<number, number>([[1, 0]]);
  const history: Map<number, number>[] = [];
  for (let d = 0; d <= most; d++) {
    history.push(new Map(furthest));
    for (let k = -d; k <= d; k += 2) {
      let x = goesDown(furthest, k, d) ? (furthest.get(k + 1) ?? 0) : (furthest.get(k - 1) ?? 0) + 1;
      while (x < a.length && x - k < b.length && a[x] === b[x - k]) x++;
      furthest.set(k, x);
      if (x >= a.length && x - k >= b.length) return wayBack(history, a.length, b.length);
    }
    furthest = new Map(furthest);
  }
  return null;
}

function goesDown(furthest: ReadonlyMap<number, number>, k: number, d: number): boolean {
  return k === -d || (k !== d && (furthest.get(k - 1) ?? -1) < (furthest.get(k + 1) ?? -1));
}

function wayBack(history: readonly ReadonlyMap<number, number>[], endX: number, endY: number): Step[] {
  const steps: Step[] = [];
  let x = endX;
  let y = endY;
  for (let d = history.length - 1; d > 0; d--) {
    const furthest = history[d] ?? new Map<number, number>();
    const k = x - y;
    const isDown = goesDown(furthest, k, d);
    const fromK = isDown ? k + 1 : k - 1;
    const fromX = furthest.get(fromK) ?? 0;
    const fromY = fromX - fromK;
    steps.push({ x: fromX, y: fromY, isOld: !isDown });
    x = fromX;
    y = fromY;
  }
  return steps.reverse();
}

function grouped(steps: readonly Step[], shift: number): LineChange[] {
  const changes: LineChange[] = [];
  for (const { x, y, isOld } of steps) {
    const last = changes.at(-1);
    const change =
      last !== undefined && last.oldEnd === x + shift && last.newEnd === y + shift
        ? last
        : { oldStart: x + shift, oldEnd: x + shift, newStart: y + shift, newEnd: y + shift };
    if (change !== last) changes.push(change);
    if (isOld) change.oldEnd++;
    else change.newEnd++;
  }
  return changes;
}
