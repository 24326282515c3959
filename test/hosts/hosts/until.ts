const LOOK_AGAIN_MS = 20;
const LOOK_FOR_MS = 25_000;

/** Looks again and again until it is so; for what gives no sign of its own. Fails, saying `what`, when it never is. */
export async function until(what: string, isSo: () => boolean | Promise<boolean>): Promise<void> {
  const end = performance.now() + LOOK_FOR_MS;
  while (!(await isSo())) {
    if (performance.now() > end) throw new Error(`waited in vain until ${what}`);
    await Bun.sleep(LOOK_AGAIN_MS);
  }
}
