/**
 * The modes of the fake upstream that know nothing of MCP: a list of reads and writes, and an echo of bytes.
 * Every step is done before the next begins. A read that meets EOF too early ends the program with 98.
 */

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { readChunk, say, writeBytes } from "./wire-io.ts";

export type Step =
  /** Wait until that many bytes have arrived. */
  | { read: number }
  /** The same for any amount: nothing is kept, their SHA-256 in hex is written as one line. */
  | { digest: number }
  /** Wait for EOF. */
  | { readToEof: true }
  /** Read a line, byte by byte. */
  | { readLine: true }
  /** Write these bytes with one write; in text, `<id>` becomes the id in the line that was read last. */
  | { write: string; encoding?: "base64" | "utf8" }
  /** Write `text` (one byte) that many times. */
  | { fill: number; text: string }
  | { stderr: string }
  | { exit: number };

const PIECE_BYTES = 1 << 16;

/** Runs the steps, then waits for EOF and exits with 0. */
export function runScript(path: string): never {
  let line = "{}";
  for (const step of JSON.parse(readFileSync(path, "utf8")) as Step[]) {
    if ("read" in step) readExactly(step.read, () => {});
    else if ("digest" in step) {
      const hash = createHash("sha256");
      readExactly(step.digest, (chunk) => hash.update(chunk));
      writeBytes(1, `${hash.digest("hex")}\n`);
    } else if ("readToEof" in step) readToEof();
    else if ("readLine" in step) line = readLine();
    else if ("write" in step) {
      const text = step.encoding === "utf8";
      writeBytes(1, text ? step.write.replaceAll("<id>", () => idOf(line)) : Buffer.from(step.write, "base64"));
    } else if ("fill" in step) fill(step.fill, step.text);
    else if ("stderr" in step) writeBytes(2, step.stderr);
    else process.exit(step.exit);
  }
  readToEof();
  process.exit(0);
}

export function catBytes(): never {
  for (;;) {
    const chunk = readChunk();
    if (chunk.length === 0) process.exit(0);
    writeBytes(1, chunk);
  }
}

function readExactly(bytes: number, use: (chunk: Buffer) => void): void {
  for (let left = bytes; left > 0; ) {
    const chunk = readChunk(Math.min(left, PIECE_BYTES * 4));
    if (chunk.length === 0) {
      say(`EOF with ${left} of ${bytes} bytes still to come`);
      process.exit(98);
    }
    use(chunk);
    left -= chunk.length;
  }
}

function readLine(): string {
  let line = "";
  while (!line.endsWith("\n"))
    readExactly(1, (chunk) => {
      line += chunk.toString("latin1");
    });
  return line;
}

function idOf(line: string): string {
  return JSON.stringify((JSON.parse(line) as { id?: unknown }).id) ?? "null";
}

function readToEof(): void {
  while (readChunk().length > 0);
}

function fill(bytes: number, text: string): void {
  const piece = Buffer.alloc(Math.min(bytes, PIECE_BYTES), text);
  for (let left = bytes; left > 0; left -= piece.length) writeBytes(1, piece.subarray(0, Math.min(left, piece.length)));
}
