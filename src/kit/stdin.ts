/**
 * Standard input as a program reads it that cannot wait for its end. Takes nothing for granted: it may stay open for ever,
 * deliver nothing, or be closed. Never throws.
 */

/**
 * Hands over what comes until `take` has enough (true), the input ends, or `timeoutMs` are over. Resolves true only where
 * the input ended.
 */
export async function readStdin(take: (chunk: Uint8Array) => boolean, timeoutMs: number): Promise<boolean> {
  const { promise: late, resolve } = Promise.withResolvers<"late">();
  const timer = setTimeout(resolve, Math.max(0, timeoutMs), "late");
  try {
    const reader = Bun.stdin.stream().getReader();
    for (;;) {
      const read = await Promise.race([reader.read(), late]);
      if (read === "late") return false;
      if (read.done) return true;
      if (take(read.value)) return false;
    }
  } catch {
    return true;
  } finally {
    clearTimeout(timer);
  }
}

/** Longer input is none that is asked for. */
const MAX_SHORT_BYTES = 64 * 1024;
/** A person who types it ends it with Ctrl-D. */
const SHORT_INPUT_MS = 5 * 60_000;

/** All of a short input as text; what is longer is cut there. */
export async function readShortInput(): Promise<string> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  await readStdin((chunk) => {
    pieces.push(chunk);
    bytes += chunk.length;
    return bytes > MAX_SHORT_BYTES;
  }, SHORT_INPUT_MS);
  return new TextDecoder().decode(Buffer.concat(pieces).subarray(0, MAX_SHORT_BYTES));
}
