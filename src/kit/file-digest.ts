import { closeSync, openSync, readSync } from "node:fs";

/** The SHA-256 of a file, read piece by piece. */

const PIECE_BYTES = 1024 * 1024;

/** In hex, small letters. Throws what the system says when the file cannot be read. */
export function fileSha256(path: string): string {
  const hasher = new Bun.CryptoHasher("sha256");
  const piece = new Uint8Array(PIECE_BYTES);
  const file = openSync(path, "r");
  try {
    for (let count = readSync(file, piece); count > 0; count = readSync(file, piece)) {
      hasher.update(piece.subarray(0, count));
    }
  } finally {
    closeSync(file);
  }
  return hasher.digest("hex");
}
