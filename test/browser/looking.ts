/** What tests read off a page: texts as they are seen, where the page is, what it says of its keys. Changes nothing. */

import type { Locator, Page } from "playwright-core";
import { expect } from "vitest";

/** How long tests wait for what a page is about to show. */
export const WAIT = { timeout: 10_000, interval: 20 };

/** The texts of all elements, white space made single. */
export async function texts(locator: Locator): Promise<string[]> {
  return (await locator.allInnerTexts()).map(single);
}

/** The text of one element, empty where it is not there. */
export async function text(locator: Locator): Promise<string> {
  const [whole = ""] = await locator.allInnerTexts();
  return single(whole);
}

/** Waits until all elements read as expected. */
export async function untilTexts(locator: Locator, expected: readonly unknown[]): Promise<void> {
  await expect.poll(() => texts(locator), WAIT).toEqual(expected);
}

/** Waits until one element's text holds (or is) what is expected. */
export async function untilText(locator: Locator, expected: string | RegExp): Promise<void> {
  const wanted = typeof expected === "string" ? expect.stringContaining(expected) : expect.stringMatching(expected);
  await expect.poll(async () => single((await locator.allInnerTexts()).join(" ")), WAIT).toEqual(wanted);
}

/** Waits until there are so many. */
export async function untilCount(locator: Locator, count: number): Promise<void> {
  await expect.poll(() => locator.count(), WAIT).toBe(count);
}

/** The fragment of the page's address. */
export function fragment(page: Page): string {
  return new URL(page.url()).hash;
}

/** Waits until the fragment is (or fits) what is expected. */
export async function untilAt(page: Page, expected: string | RegExp): Promise<void> {
  const wanted = typeof expected === "string" ? expected : expect.stringMatching(expected);
  await expect.poll(() => fragment(page), WAIT).toEqual(wanted);
}

/** The element that has the focus, by a selector: waits until it has. */
export async function untilFocused(page: Page, selector: string): Promise<void> {
  await expect
    .poll(
      () =>
        page.evaluate(
          (wanted) =>
            document.activeElement?.matches(wanted) === true || document.activeElement?.outerHTML.slice(0, 200),
          selector,
        ),
      WAIT,
    )
    .toBe(true);
}

/** What `?` says of the keys that work here, a group at a time: `j ↓: Next run`. */
export async function keysTold(page: Page): Promise<Record<string, string[]>> {
  await page.keyboard.press("?");
  const help = page.locator("dialog.help[open]");
  await help.waitFor();
  const told = await help.locator(".help-columns section").evaluateAll((sections) =>
    sections.map((section) => [
      section.querySelector("h3")?.textContent ?? "",
      [...section.querySelectorAll("dl > div")].map((row) => {
        const keys = [...row.querySelectorAll("kbd")].map((key) => key.textContent);
        return `${keys.join(" ")}: ${row.querySelector("dd")?.textContent}`;
      }),
    ]),
  );
  await page.keyboard.press("Escape");
  await help.waitFor({ state: "hidden" });
  return Object.fromEntries(told);
}

/** Presses one key after the other. */
export async function press(page: Page, ...keys: readonly string[]): Promise<void> {
  for (const key of keys) await page.keyboard.press(key);
}

function single(value: string): string {
  return value.replace(/\s+/g, " ").trim();
}
