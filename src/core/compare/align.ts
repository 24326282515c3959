import { areParallel, type Call, likeness } from "./call.ts";
import { commonOrder, type Pair } from "./common-order.ts";

/**
 * Which call of one list is which of another: first those with the same arguments in the same order, then those that only
 * changed places with calls that were under way at the same time, then, between these, calls of the same tool, the most alike.
 * Pure; the work is bounded for lists of any length.
 */

/** Cells of all tables of likeness together; what is beyond them is paired by the order of tools alone. */
const LIKENESS_CELLS = 400_000;
/** Pairs that one which changed places may cross. */
const CROSSED = 100;
/** Calls that changed places, of two runs. */
const SWAPPED = 2_000;

/** Pairs, rising on the left; on the right too but for calls that changed places with others under way. */
export function alignCalls(left: readonly Call[], right: readonly Call[]): Pair[] {
  const { anchors, moved } = sameCalls(left, right);
  const crossings = new Crossings(left, right, anchors, moved);
  for (const pair of swapped(left, right, [...anchors, ...moved])) {
    if (crossings.moved.length < SWAPPED && crossings.mayHold(pair)) crossings.moved.push(pair);
  }
  const same = [...anchors, ...crossings.moved];
  // These rise from pair to pair, and cross none but those that changed places.
  const others = [...changed(left, right, same, anchors)].filter((pair) => crossings.mayHold(pair));
  return [...same, ...others].sort((a, b) => a[0] - b[0]);
}

/** Calls with the same arguments: those that rise on both sides, and those that changed places within calls that ran together. */
function sameCalls(left: readonly Call[], right: readonly Call[]): { anchors: Pair[]; moved: Pair[] } {
  const exact = (calls: readonly Call[], order: readonly number[]) => order.map((index) => calls[index]?.exact ?? 0);
  const inOrder = commonOrder(exact(left, [...left.keys()]), exact(right, [...right.keys()]));
  const [orderLeft, orderRight] = [togetherSorted(left), togetherSorted(right)];
  if (orderLeft === null && orderRight === null) return { anchors: inOrder, moved: [] };
  const [l, r] = [orderLeft ?? [...left.keys()], orderRight ?? [...right.keys()]];
  const anyOrder = commonOrder(exact(left, l), exact(right, r)).map(([i, j]): Pair => [l[i] ?? 0, r[j] ?? 0]);
  return anyOrder.length > inOrder.length ? rising(anyOrder) : { anchors: inOrder, moved: [] };
}

/** The calls' positions, those that all ran together in an order that does not depend on which began first; null where none did. */
function togetherSorted(calls: readonly Call[]): number[] | null {
  const order: number[] = [];
  let hasTogether = false;
  for (let index = 0; index < calls.length; ) {
    const group: number[] = [];
    let end = Number.POSITIVE_INFINITY;
    for (let call = calls[index]; call !== undefined && (group.length === 0 || call.from < end); call = calls[index]) {
      group.push(index++);
      end = Math.min(end, call.until);
    }
    if (group.length > 1) {
      hasTogether = true;
      group.sort((a, b) => (calls[a]?.exact ?? 0) - (calls[b]?.exact ?? 0) || a - b);
    }
    order.push(...group);
  }
  return hasTogether ? order : null;
}

/** As many of the pairs as rise on both sides, and the others. */
function rising(pairs: readonly Pair[]): { anchors: Pair[]; moved: Pair[] } {
  const sorted = pairs.toSorted((a, b) => a[0] - b[0]);
  // ends[n]: the pair that ends the best of n + 1 that rise; before: the one before it there.
  const ends: number[] = [];
  const before = sorted.map(() => -1);
  for (const [index, [, right]] of sorted.entries()) {
    let low = 0;
    let high = ends.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((sorted[ends[middle] ?? -1]?.[1] ?? 0) < right) low = middle + 1;
      else high = middle;
    }
    before[index] = ends[low - 1] ?? -1;
    ends[low] = index;
  }
  const kept = new Set<number>();
  for (let index = ends.at(-1) ?? -1; index >= 0; index = before[index] ?? -1) kept.add(index);
  return {
    anchors: sorted.filter((_, index) => kept.has(index)),
    moved: sorted.filter((_, index) => !kept.has(index)),
  };
}

/** Pairs that are held already, and whether one more fits to them. */
class Crossings {
  readonly moved: Pair[];
  readonly #left: readonly Call[];
  readonly #right: readonly Call[];
  readonly #anchors: readonly Pair[];

  constructor(left: readonly Call[], right: readonly Call[], anchors: readonly Pair[], moved: readonly Pair[]) {
    this.moved = [...moved];
    this.#left = left;
    this.#right = right;
    this.#anchors = anchors;
  }

  /** True when each pair that it crosses is of calls that were under way at the same time as its own, on one side at least. */
  mayHold(pair: Pair): boolean {
    const [low, high] = [countBelow(this.#anchors, 0, pair[0]), countBelow(this.#anchors, 1, pair[1])].sort(
      (a, b) => a - b,
    );
    const crossed = this.#anchors.slice(low, high);
    if (crossed.length > CROSSED) return false;
    return [...crossed, ...this.moved].every(
      (other) => pair[0] < other[0] === pair[1] < other[1] || this.#areParallel(pair, other),
    );
  }

  #areParallel(pair: Pair, other: Pair): boolean {
    return bothParallel(this.#left, pair[0], other[0]) || bothParallel(this.#right, pair[1], other[1]);
  }
}

function bothParallel(calls: readonly Call[], a: number, b: number): boolean {
  const [one, other] = [calls[a], calls[b]];
  return one !== undefined && other !== undefined && areParallel(one, other);
}

/** How many pairs begin below a position on one side; both sides rise. */
function countBelow(pairs: readonly Pair[], side: 0 | 1, position: number): number {
  let low = 0;
  let high = pairs.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((pairs[middle]?.[side] ?? 0) < position) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Calls with the same arguments that are left over on both sides, each with the nearest that is not taken yet. */
function swapped(left: readonly Call[], right: readonly Call[], anchors: readonly Pair[]): Pair[] {
  const places = new Map<number, number[]>();
  for (const r of unpaired(right, anchors, 1)) {
    const key = right[r]?.exact ?? 0;
    const known = places.get(key);
    if (known === undefined) places.set(key, [r]);
    else known.push(r);
  }
  return unpaired(left, anchors, 0).flatMap((l): Pair[] => {
    const candidates = places.get(left[l]?.exact ?? -1);
    if (candidates === undefined || candidates.length === 0) return [];
    const nearest = candidates.reduce((best, r) => (Math.abs(r - l) < Math.abs(best - l) ? r : best));
    candidates.splice(candidates.indexOf(nearest), 1);
    return [[l, nearest]];
  });
}

function unpaired(calls: readonly Call[], pairs: readonly Pair[], side: 0 | 1): number[] {
  const isPaired = new Set(pairs.map((pair) => pair[side]));
  return [...calls.keys()].filter((index) => !isPaired.has(index));
}

/** Calls of the same tool that stand between the same two anchors. */
function* changed(
  left: readonly Call[],
  right: readonly Call[],
  same: readonly Pair[],
  anchors: readonly Pair[],
): Iterable<Pair> {
  const freeLeft = unpaired(left, same, 0);
  const freeRight = unpaired(right, same, 1);
  let cells = LIKENESS_CELLS;
  let i = 0;
  let j = 0;
  for (const [endLeft, endRight] of [...anchors, [left.length, right.length] as const]) {
    const gapLeft: number[] = [];
    const gapRight: number[] = [];
    for (let l = freeLeft[i]; l !== undefined && l < endLeft; l = freeLeft[++i]) gapLeft.push(l);
    for (let r = freeRight[j]; r !== undefined && r < endRight; r = freeRight[++j]) gapRight.push(r);
    if (gapLeft.length === 0 || gapRight.length === 0) continue;
    const needed = gapLeft.length * gapRight.length;
    if (needed <= cells) {
      cells -= needed;
      yield* mostAlike(left, right, gapLeft, gapRight);
    } else {
      const tools = (calls: readonly Call[], gap: readonly number[]) => gap.map((index) => calls[index]?.tool ?? 0);
      for (const [l, r] of commonOrder(tools(left, gapLeft), tools(right, gapRight))) {
        yield [gapLeft[l] ?? 0, gapRight[r] ?? 0];
      }
    }
  }
}

/** Pairs of the same tool that rise on both sides and are, all together, most alike; a pair more counts as much as a quarter. */
function mostAlike(
  left: readonly Call[],
  right: readonly Call[],
  gapLeft: readonly number[],
  gapRight: readonly number[],
): Pair[] {
  const columns = gapRight.length + 1;
  // best[i][j]: of what stands from i and from j on.
  const best = new Float64Array((gapLeft.length + 1) * columns);
  const worth = new Float64Array(gapLeft.length * columns);
  for (let i = gapLeft.length - 1; i >= 0; i--) {
    for (let j = gapRight.length - 1; j >= 0; j--) {
      const [a, b] = [left[gapLeft[i] ?? -1], right[gapRight[j] ?? -1]];
      const here = i * columns + j;
      const pair = a !== undefined && b !== undefined && a.tool === b.tool ? 0.25 + likeness(a, b) : 0;
      worth[here] = pair;
      const skipped = Math.max(best[here + columns] ?? 0, best[here + 1] ?? 0);
      best[here] = pair === 0 ? skipped : Math.max(skipped, pair + (best[here + columns + 1] ?? 0));
    }
  }
  const pairs: Pair[] = [];
  for (let i = 0, j = 0; i < gapLeft.length && j < gapRight.length; ) {
    const here = i * columns + j;
    const pair = worth[here] ?? 0;
    if (pair > 0 && best[here] === pair + (best[here + columns + 1] ?? 0))
      pairs.push([gapLeft[i++] ?? 0, gapRight[j++] ?? 0]);
    else if ((best[here + columns] ?? 0) >= (best[here + 1] ?? 0)) i++;
    else j++;
  }
  return pairs;
}
