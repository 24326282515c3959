import { signIn } from "../data/ask.ts";

/**
 * The link that `bir view` opens: `#/open/CODE`, and behind it the place that was meant. The code works once and is
 * taken out of the address, and so out of the browser's history, before anything else is done.
 */

const LINK = /^#\/open\/([^/?]+)(\/.*)?$/s;

/** Signs in where the address says so. Never throws: a link that was used before leads to the same place, signed in or not. */
export async function openLink(): Promise<void> {
  const [whole, code = "", rest = "/"] = LINK.exec(location.hash) ?? [];
  if (whole === undefined) return;
  history.replaceState(null, "", `#${rest}`);
  try {
    await signIn(decodeURIComponent(code));
  } catch {
    // Whatever is asked next is told whether the browser may ask.
  }
}
