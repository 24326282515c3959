/**
 * Raw, blocking stdio for the fakes: what is written is on its way when the call returns, in exactly these pieces.
 * Owns the log of received bytes. Never buffers, never decodes.
 */

import { appendFileSync, closeSync, readSync, writeSync } from "node:fs";

let logFile: string | undefined;

/** From now on every byte passed to `received` is appended to this file. */
export function logReceivedTo(path: string): void {
  logFile = path;
  appendFileSync(path, "");
}

export function received(bytes: Uint8Array): void {
  if (logFile !== undefined && bytes.length > 0) appendFileSync(logFile, bytes);
}

let deaf = false;

/** Closes stdin for good; what was not read yet is lost. */
export function closeStdin(): void {
  deaf = true;
  closeSync(0);
}

/** True when the end of stdin was our own doing. */
export const closedStdin = () => deaf;

/** Writes all of it; false when the reader is gone. */
export function writeBytes(fd: 1 | 2, data: string | Uint8Array): boolean {
  const bytes = typeof data === "string" ? Buffer.from(data) : data;
  for (let from = 0; from < bytes.length; ) {
    try {
      from += writeSync(fd, bytes, from);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === "EAGAIN") Bun.sleepSync(1);
      else if (code === "EPIPE" || code === "ECONNRESET") return false;
      else throw error;
    }
  }
  return true;
}

/** One line for the test on stderr. */
export function say(text: string): void {
  writeBytes(2, `${text}\n`);
}

/** One blocking read of stdin, logged; empty at EOF. */
export function readChunk(atMostBytes = 1 << 18): Buffer {
  const chunk = Buffer.allocUnsafe(atMostBytes);
  for (;;) {
    try {
      const bytes = chunk.subarray(0, readSync(0, chunk, 0, atMostBytes, null));
      received(bytes);
      return bytes;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === "EAGAIN") Bun.sleepSync(1);
      else if (code === "EOF" || code === "ECONNRESET") return Buffer.alloc(0);
      else throw error;
    }
  }
}
