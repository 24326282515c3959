/**
 * `test` with a home of its own, the built executable's service over it, and a page that is signed in: `test("…", async ({ box,
 * service, watched }) => …)`. A misstep of the page fails the test; so does a process that is left.
 */

import type { Browser, BrowserContextOptions } from "playwright-core";
import { expect } from "vitest";
import { test as processTest } from "../harness/process-test.ts";
import { CHROMIUM, startBrowser } from "./browser.ts";
import { Service } from "./service.ts";
import { openPage, type WatchedPage } from "./watched-page.ts";

/** Opens a signed-in page; closed with the test. */
export type Open = (options?: BrowserContextOptions) => Promise<WatchedPage>;

interface Fixtures {
  service: Service;
  open: Open;
}

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

export const test = processTest.extend<Fixtures>({
  service: async ({ box }, use) => {
    const service = await Service.start(box);
    await use(service);
    await service.stop();
  },
  open: async ({ service }, use) => {
    const opened: WatchedPage[] = [];
    await use(async (options) => {
      const watched = await openPage(await browser(), options);
      opened.push(watched);
      await watched.page.goto(await service.link());
      return watched;
    });
    for (const { context } of opened) await context.close();
    expect(opened.flatMap(({ missteps }) => missteps)).toEqual([]);
  },
});
