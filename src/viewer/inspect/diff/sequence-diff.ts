/**
 * What two sequences of numbers have in common, in order (E. Myers, "An O(ND) Difference Algorithm", 1986), with a bound on
 * the differences looked for: beyond it, only what is unique in both holds them together, and the rest counts as replaced.
 * Pure.
 */

/** A stretch that is the same in both. */
export interface Common {
  left: number;
  right: number;
  length: number;
}

/** Stretches in order. `most`: differences that are looked for within one part. */
export function commonParts(left: readonly number[], right: readonly number[], most: number): Common[] {
  const parts: Common[] = [];
  let start = 0;
  const shorter = Math.min(left.length, right.length);
  while (start < shorter && left[start] === right[start]) start += 1;
  let tail = 0;
  while (tail < shorter - start && left[left.length - 1 - tail] === right[right.length - 1 - tail]) tail += 1;
  add(parts, { left: 0, right: 0, length: start });
  const end = { left: left.length - tail, right: right.length - tail };
  let from = { left: start, right: start };
  for (const anchor of [...anchors(left, right, from, end), { ...end, length: 0 }]) {
    for (const part of myers(left, right, from, anchor, most)) add(parts, part);
    add(parts, anchor);
    from = { left: anchor.left + anchor.length, right: anchor.right + anchor.length };
  }
  add(parts, { ...end, length: tail });
  return parts;
}

interface Place {
  left: number;
  right: number;
}

function add(parts: Common[], part: Common): void {
  if (part.length === 0) return;
  const last = parts.at(-1);
  if (last !== undefined && last.left + last.length === part.left && last.right + last.length === part.right) {
    last.length += part.length;
  } else parts.push({ ...part });
}

/** Items that are there once in each, as far as they are in the same order: the longest such row of them. */
function anchors(left: readonly number[], right: readonly number[], from: Place, end: Place): Common[] {
  const counts = new Map<number, { lefts: number; rights: number; right: number }>();
  for (let index = from.left; index < end.left; index++) {
    const count = counts.get(left[index] ?? 0) ?? { lefts: 0, rights: 0, right: 0 };
    count.lefts += 1;
    counts.set(left[index] ?? 0, count);
  }
  for (let index = from.right; index < end.right; index++) {
    const count = counts.get(right[index] ?? 0);
    if (count === undefined) continue;
    count.rights += 1;
    count.right = index;
  }
  // Patience sorting; each pile's top knows the top of the pile before it.
  const piles: { left: number; right: number; before: number }[][] = [];
  for (let index = from.left; index < end.left; index++) {
    const count = counts.get(left[index] ?? 0);
    if (count === undefined || count.lefts !== 1 || count.rights !== 1) continue;
    let low = 0;
    let high = piles.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((piles[middle]?.at(-1)?.right ?? 0) < count.right) low = middle + 1;
      else high = middle;
    }
    const entry = { left: index, right: count.right, before: (piles[low - 1]?.length ?? 0) - 1 };
    const pile = piles[low];
    if (pile === undefined) piles.push([entry]);
    else pile.push(entry);
  }
  const result: Common[] = [];
  let at = (piles.at(-1)?.length ?? 0) - 1;
  for (let pile = piles.length - 1; pile >= 0; pile--) {
    const entry = piles[pile]?.[at];
    if (entry === undefined) break;
    result.push({ left: entry.left, right: entry.right, length: 1 });
    at = entry.before;
  }
  return result.reverse();
}

function myers(left: readonly number[], right: readonly number[], from: Place, end: Place, most: number): Common[] {
  const n = end.left - from.left;
  const m = end.right - from.right;
  if (n === 0 || m === 0) return [];
  const bound = Math.min(n + m, most);
  const furthest = new Int32Array(2 * bound + 3);
  const middle = bound + 1;
  const rounds: Int32Array[] = [];
  for (let d = 0; d <= bound; d++) {
    rounds.push(furthest.slice(middle - d - 1, middle + d + 2));
    for (let k = -d; k <= d; k += 2) {
      const isDown = k === -d || (k !== d && at(furthest, middle + k - 1) < at(furthest, middle + k + 1));
      let x = isDown ? at(furthest, middle + k + 1) : at(furthest, middle + k - 1) + 1;
      let y = x - k;
      while (x < n && y < m && left[from.left + x] === right[from.right + y]) {
        x += 1;
        y += 1;
      }
      furthest[middle + k] = x;
      if (x >= n && y >= m) return traced(rounds, { n, m }, from);
    }
  }
  return [];
}

/** The way back through the rounds, as what was the same on it. */
function traced(rounds: readonly Int32Array[], { n, m }: { n: number; m: number }, from: Place): Common[] {
  const parts: Common[] = [];
  let x = n;
  let y = m;
  for (let d = rounds.length - 1; d >= 0; d--) {
    const round = rounds[d];
    if (round === undefined) break;
    const k = x - y;
    // `round` holds the places of k from -d-1 to d+1 before this round.
    const place = (of: number) => at(round, of + d + 1);
    const isDown = k === -d || (k !== d && place(k - 1) < place(k + 1));
    const before = isDown ? k + 1 : k - 1;
    const startX = d === 0 ? 0 : place(before);
    const startY = startX - (d === 0 ? 0 : before);
    const enterX = d === 0 ? 0 : isDown ? startX : startX + 1;
    const length = x - enterX;
    if (length > 0) parts.push({ left: from.left + enterX, right: from.right + enterX - k, length });
    x = startX;
    y = startY;
  }
  return parts.reverse();
}

function at(numbers: Int32Array, index: number): number {
  return numbers[index] ?? 0;
}
