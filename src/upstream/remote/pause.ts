/** The longest that a timer takes. */
const LONGEST_MS = 2 ** 31 - 1;

/** Resolves after `ms`, or at once when `signal` says that nothing more is to be done. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, Math.min(ms, LONGEST_MS));
    signal.addEventListener("abort", done);
  });
}
