/**
 * A real browser for tests, driven from outside: one process a test file, a fresh profile for each page opened with `newContext`.
 * Owns where it is found and how it is started; knows nothing of the page that it shows.
 */

import { existsSync } from "node:fs";
import { type Browser, chromium } from "playwright-core";

const PLACES = [
  process.env.BIR_TEST_CHROMIUM,
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
];

/** The browser's executable; undefined where this machine has none. */
export const CHROMIUM = PLACES.find((path) => path !== undefined && existsSync(path));

/** Starts it without a window. Nothing of it goes to the network by itself. */
export async function startBrowser(): Promise<Browser> {
  if (CHROMIUM === undefined) throw new Error("no chromium on this machine");
  return await chromium.launch({
    executablePath: CHROMIUM,
    // A container has no user namespaces for its sandbox, and little shared memory.
    args: ["--no-sandbox", "--disable-dev-shm-usage", "--disable-background-networking", "--disable-component-update"],
  });
}
