/** Versions of host applications: read from what they print, and compared. Pure. */

/** Major, minor, patch. */
export type HostVersion = readonly [number, number, number];

/** The version in what `claude --version` prints, or in the version itself; null where there is none. */
export function readHostVersion(text: string): HostVersion | null {
  const [, major, minor, patch] = /^\s*v?(\d{1,6})\.(\d{1,6})\.(\d{1,6})(?![\d.])/.exec(text) ?? [];
  return patch === undefined ? null : [Number(major), Number(minor), Number(patch)];
}

export function isOlder(version: HostVersion, than: HostVersion): boolean {
  const at = version.findIndex((part, i) => part !== than[i]);
  return at >= 0 && (version[at] ?? 0) < (than[at] ?? 0);
}
