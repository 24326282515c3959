/** The browser of a test file: started when first asked for, ended with the file, and whether there is one at all. */

import type { Browser } from "playwright-core";
import { CHROMIUM, startBrowser } from "./browser.ts";

let shared: Promise<Browser> | undefined;

/** The browser of this test file. */
export function browser(): Promise<Browser> {
  shared ??= startBrowser();
  return shared;
}

/** Ends the browser of this test file: for `afterAll`. */
export async function endBrowser(): Promise<void> {
  const running = shared;
  shared = undefined;
  await (await running)?.close();
}

/** Whether there is a browser, and what is missing where there is none: for `fileNeeds`. */
export const BROWSER_NEED = [CHROMIUM !== undefined, "no chromium on this machine"] as const;
