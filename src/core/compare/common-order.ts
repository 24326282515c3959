/**
 * The longest common subsequence of two lists of numbers: what both hold in the same order. Bits of a word are 32 cells of the
 * usual table at once, so that 5,000 against 5,000 take less than a million steps and 3 MB; longer lists are taken window by
 * window, which may miss what moved farther than half a window. Pure.
 */

/** Positions on the left and on the right of one thing that both have. */
export type Pair = readonly [left: number, right: number];

const WINDOW = 12_000;

/** Pairs of equal numbers, rising on both sides; as many as there can be for lists up to 12,000. */
export function commonOrder(left: readonly number[], right: readonly number[]): Pair[] {
  const pairs: Pair[] = [];
  let start = 0;
  while (start < left.length && start < right.length && left[start] === right[start]) pairs.push([start, start++]);
  let behind = 0;
  const most = Math.min(left.length, right.length) - start;
  while (behind < most && left[left.length - 1 - behind] === right[right.length - 1 - behind]) behind++;
  middlePairs(left.slice(start, left.length - behind), right.slice(start, right.length - behind), start, pairs);
  for (let index = behind; index > 0; index--) pairs.push([left.length - index, right.length - index]);
  return pairs;
}

function middlePairs(left: readonly number[], right: readonly number[], offset: number, pairs: Pair[]): void {
  let l = 0;
  let r = 0;
  while (l < left.length && r < right.length) {
    const isLastLeft = left.length - l <= WINDOW;
    const isLastRight = right.length - r <= WINDOW;
    // Near the end of a window what fits best may stand behind it.
    const limitLeft = isLastLeft ? WINDOW : WINDOW / 2;
    const limitRight = isLastRight ? WINDOW : WINDOW / 2;
    let last: Pair | null = null;
    for (const [i, j] of windowPairs(left.slice(l, l + WINDOW), right.slice(r, r + WINDOW))) {
      if (i >= limitLeft || j >= limitRight) break;
      last = [l + i, r + j];
      pairs.push([offset + last[0], offset + last[1]]);
    }
    if (isLastLeft && isLastRight) return;
    if (last !== null) [l, r] = [last[0] + 1, last[1] + 1];
    else {
      if (!isLastLeft) l += limitLeft;
      if (!isLastRight) r += limitRight;
    }
  }
}

/**
 * M. Crochemore et al., "A fast and practical bit-vector algorithm for the longest common subsequence problem" (2001): after a
 * row, a bit of `row` is 0 where one more of `left` makes the common part longer.
 */
function windowPairs(left: readonly number[], right: readonly number[]): Pair[] {
  const words = (left.length + 31) >>> 5;
  const places = new Map<number, Uint32Array>();
  for (const [index, value] of left.entries()) {
    const bits = places.get(value) ?? new Uint32Array(words);
    places.set(value, bits);
    bits[index >>> 5] = (bits[index >>> 5] ?? 0) | (1 << (index & 31));
  }
  const rows: Uint32Array[] = [];
  let row = new Uint32Array(words).fill(0xffffffff);
  for (const value of right) {
    const bits = places.get(value);
    if (bits !== undefined) row = nextRow(row, bits);
    rows.push(row);
  }
  return traced(rows, left.length, right.length);
}

function nextRow(row: Uint32Array, bits: Uint32Array): Uint32Array<ArrayBuffer> {
  const next = new Uint32Array(row.length);
  let carry = 0;
  for (let word = 0; word < row.length; word++) {
    const before = row[word] ?? 0;
    const found = bits[word] ?? 0;
    const sum = before + ((before & found) >>> 0) + carry;
    carry = sum > 0xffffffff ? 1 : 0;
    next[word] = sum | (before & ~found);
  }
  return next;
}

function traced(rows: readonly Uint32Array[], leftLength: number, rightLength: number): Pair[] {
  const isSet = (row: number, bit: number) => (((rows[row]?.[bit >>> 5] ?? 0) >>> (bit & 31)) & 1) === 1;
  const pairs: Pair[] = [];
  let l = leftLength;
  let r = rightLength;
  while (l > 0 && r > 0) {
    if (isSet(r - 1, l - 1)) l--;
    else {
      r--;
      if (r === 0 || isSet(r - 1, l - 1)) pairs.push([--l, r]);
    }
  }
  return pairs.reverse();
}
