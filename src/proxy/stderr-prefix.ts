import { ByteSink } from "../kit/byte-sink.ts";

/**
 * Passes a server's stderr on to ours with its name before each line, as it comes: a line is not waited for. Never
 * touches stdout, never records.
 */

const NEWLINE = 0x0a;

/** Resolves when the stream has ended. Where nobody reads our stderr, the server's is read all the same: it must not block. */
export async function passStderr(stream: ReadableStream<Uint8Array>, serverName: string): Promise<void> {
  const prefix = Buffer.from(`[${serverName}] `);
  const sink = new ByteSink(Bun.stderr.writer());
  const reader = stream.getReader();
  let atLineStart = true;
  for (;;) {
    const { value, done } = await reader.read().catch(() => ({ value: undefined, done: true }) as const);
    if (done || value === undefined) return;
    const pieces: Uint8Array[] = [];
    for (let from = 0; from < value.length; ) {
      const newline = value.indexOf(NEWLINE, from);
      const to = newline < 0 ? value.length : newline + 1;
      if (atLineStart) pieces.push(prefix);
      pieces.push(value.subarray(from, to));
      atLineStart = newline >= 0;
      from = to;
    }
    await sink.write(...pieces);
  }
}
