import type { TailFile } from "../../src/hooks/transcript-reader.ts";
import type { OpenFile } from "../../src/kit/file-tail.ts";

/** A file in memory that a test changes while it is being followed. */
export class FakeFile implements TailFile {
  bytes: Uint8Array | null;
  identity = "1";
  /** Bytes that one read gives at most. */
  mostAtOnce = Number.POSITIVE_INFINITY;
  /** Called before each read, while the file is open. */
  onRead: () => void = () => undefined;
  openCount = 0;
  readBytes = 0;

  constructor(text: string | null = "") {
    this.bytes = text === null ? null : Buffer.from(text);
  }

  append(text: string | Uint8Array): void {
    this.bytes = Buffer.concat([this.bytes ?? new Uint8Array(0), Buffer.from(text)]);
  }

  write(text: string): void {
    this.bytes = Buffer.from(text);
  }

  open(): OpenFile | null {
    if (this.bytes === null) return null;
    this.openCount++;
    return {
      identity: this.identity,
      sizeBytes: this.bytes.length,
      read: (offset, into) => {
        this.onRead();
        const piece = (this.bytes ?? new Uint8Array(0)).subarray(
          offset,
          offset + Math.min(into.length, this.mostAtOnce),
        );
        into.set(piece);
        this.readBytes += piece.length;
        return piece.length;
      },
      close: () => {
        this.openCount--;
      },
    };
  }
}

/** A prompt's row; `id` is its text too. */
export function promptRow(id: string, more: Record<string, unknown> = {}): string {
  return `${JSON.stringify({ type: "user", message: { role: "user", content: id }, uuid: id, ...more })}\n`;
}
