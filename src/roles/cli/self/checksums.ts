/** The list of checksums of a release, as `sha256sum` writes it. Pure. */

/** The SHA-256 of one file in it; null when it is not named, or not by a whole checksum. */
export function sumOf(sums: string, file: string): string | null {
  for (const line of sums.split("\n")) {
    const [, sum, name] = /^([0-9a-f]{64}) [ *](.+?)\r?$/.exec(line) ?? [];
    if (sum !== undefined && name === file) return sum;
  }
  return null;
}
