/**
 * A page of which every misstep is noticed: an error or a warning in its console, an exception that nobody caught, a request that
 * leaves this machine, a breach of its own security policy. Owns the watching; what is looked at is the test's.
 */

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Browser, BrowserContext, BrowserContextOptions, Page } from "playwright-core";

const require = createRequire(import.meta.url);
const AXE = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");

export interface WatchedPage {
  page: Page;
  context: BrowserContext;
  /** What went wrong so far, in words; empty when nothing did. */
  missteps: string[];
}

/** A page in a profile of its own. */
export async function openPage(browser: Browser, options: BrowserContextOptions = {}): Promise<WatchedPage> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, locale: "en-US", ...options });
  const missteps: string[] = [];
  return { page: await watchedTab(context, missteps), context, missteps };
}

/** One more tab of the same profile, watched in the same way. */
export async function watchedTab(context: BrowserContext, missteps: string[]): Promise<Page> {
  const page = await context.newPage();
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) missteps.push(`console: ${message.text()}`);
  });
  page.on("pageerror", (error) => missteps.push(`uncaught: ${error.message}`));
  page.on("request", (request) => {
    const url = new URL(request.url());
    const isOwn = ["127.0.0.1", "localhost", "[::1]"].includes(url.hostname);
    if (!isOwn && !["data:", "blob:", "file:"].includes(url.protocol)) missteps.push(`request to ${url.href}`);
  });
  return page;
}

/** What axe finds wrong with the page as it is, one line a finding; empty when nothing is. */
export async function axeFindings(page: Page): Promise<string[]> {
  // Through the debugger: the page's policy allows no script but its own.
  await page.evaluate(AXE);
  return await page.evaluate(async () => {
    const { axe } = window as unknown as { axe: { run(options: object): Promise<AxeResult> } };
    const { violations } = await axe.run({ resultTypes: ["violations"] });
    return violations.map(({ id, help, nodes }) =>
      `${id}: ${help} (${nodes.map(({ target }) => target.join(" ")).join("; ")})`.slice(0, 600),
    );
  });
}

interface AxeResult {
  violations: { id: string; help: string; nodes: { target: string[] }[] }[];
}
