/** Which of two versions is the later one, by the rules of semver.org. Pure. */

/** Below 0 when `a` comes before `b`, above 0 when after, 0 when neither; what stands behind a `+` does not count. */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [parts(a), parts(b)];
  return compareLists(left.numbers, right.numbers) || comparePreReleases(left.preRelease, right.preRelease);
}

function parts(version: string): { numbers: string[]; preRelease: string[] } {
  const [core = ""] = version.split("+");
  const dash = core.indexOf("-");
  return {
    numbers: (dash < 0 ? core : core.slice(0, dash)).split("."),
    preRelease: dash < 0 ? [] : core.slice(dash + 1).split("."),
  };
}

/** One without comes after all with one. */
function comparePreReleases(a: readonly string[], b: readonly string[]): number {
  if (a.length === 0 || b.length === 0) return b.length - a.length;
  return compareLists(a, b);
}

function compareLists(a: readonly string[], b: readonly string[]): number {
  for (let at = 0; at < Math.max(a.length, b.length); at++) {
    const [left, right] = [a[at], b[at]];
    if (left === undefined || right === undefined) return left === undefined ? -1 : 1;
    const order = compareParts(left, right);
    if (order !== 0) return order;
  }
  return 0;
}

/** Numbers by their size and before words; words by their letters. */
function compareParts(a: string, b: string): number {
  const areNumbers = [a, b].map((part) => /^\d+$/.test(part));
  if (areNumbers[0] && areNumbers[1]) return Number(a) - Number(b);
  if (areNumbers[0] !== areNumbers[1]) return areNumbers[0] ? -1 : 1;
  return a < b ? -1 : a > b ? 1 : 0;
}
