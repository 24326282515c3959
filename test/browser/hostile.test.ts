/** Recorded text that wants to be more than text, in every view: nothing of it runs, nothing of it hides. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { fileNeeds } from "../harness/requirement.ts";
import { press, untilCount, untilText } from "./looking.ts";
import { BROWSER_NEED } from "./page-test.ts";
import { PROMPT, recordSessions } from "./recordings.ts";
import type { WatchedPage } from "./watched-page.ts";
import { world } from "./world.ts";

const FIRST_LINE = "<script>window.harmed=1</script>";
/** What turns, hides or obeys must never stand in a page as it is. */
const UNSEEN = /[\p{Cc}\u202a-\u202e\u2066-\u2069\p{Cs}]/u;

/** Elements and attributes that load, run or send; the page has none of them. */
const FORBIDDEN =
  "img, iframe, object, embed, video, audio, base, form, [href^='javascript:' i], [onerror], [onclick], [style*='url(']";

describe.runIf(fileNeeds(...BROWSER_NEED))("hostile content", () => {
  const here = world(recordSessions);
  const run = () => here.run(FIRST_LINE);

  /** Opens a place; a dialog or a frame, whoever opened it, is a misstep. */
  async function open(place: string): Promise<WatchedPage> {
    const watched = await here.open(place);
    watch(watched);
    return watched;
  }

  function watch({ page, context, missteps }: WatchedPage): void {
    page.on("dialog", (dialog) => {
      missteps.push(`dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
    context.on("page", () => missteps.push("a page was opened"));
    page.on("frameattached", () => missteps.push("a frame was attached"));
  }

  test("is text in the list, its suggestions and its hits", async () => {
    const { page } = await open("#/");
    await untilText(page.locator(".list-title").first(), FIRST_LINE);
    await harmless(page);
    await page.getByRole("combobox").fill("harmed");
    await page.locator("a.hit").first().waitFor();
    await harmless(page);
    await page.getByRole("combobox").fill(`"window.harmed=2" <script>window.harmed=9</script>`);
    await untilText(page.locator(".state, .panes"), /./);
    await harmless(page);
    await page.locator("body").press("Escape");
    await page.locator(".list-run").first().hover();
    await page
      .locator(".list-run")
      .first()
      .getByRole("button", { name: /^Actions/ })
      .click();
    await page.getByRole("menuitem", { name: "Delete" }).click();
    await untilText(page.locator(".toast"), `Deleted “${FIRST_LINE}”.`);
    await harmless(page);
    await page.getByRole("button", { name: "Undo" }).click();
    await untilText(page.locator(".list-title").first(), FIRST_LINE);
  });

  test("is text in its run, and in the inspector of each part in each of its forms", async () => {
    const { page } = await open(`#/run/${run()}`);
    await page.locator(".story-end").waitFor();
    expect(await page.title()).toBe(`${FIRST_LINE} · bir`);
    await harmless(page);
    await lookAtAll(page);
    await page.goto(here.url(`#/run/${run()}?raw`));
    await page.locator(".raw-run").waitFor();
    await harmless(page);
    await page.goto(here.url(`#/run/${run()}?filter=${encodeURIComponent(FIRST_LINE)}`));
    await page.locator(".filter-count").waitFor();
    await harmless(page);
  });

  test("is text where it is compared, with itself and with another", async () => {
    for (const other of [run(), here.run(PROMPT.slice(0, 20))]) {
      const { page } = await open(`#/compare/${run()}/${other}`);
      await page.locator(".compare-counts").waitFor();
      await harmless(page);
      await press(page, "=");
      const folded = page.locator('.compare-text-head[aria-expanded="false"]');
      while ((await folded.count()) > 0) await folded.first().click();
      const count = await page.locator(".compare-call").count();
      for (let n = 0; n < count; n++) {
        await page.locator(".compare-call").nth(n).click();
        await page.locator(".compare-detail h2").waitFor();
        await untilCount(page.getByText("Reading…"), 0);
        await harmless(page);
      }
    }
  });

  test("is text in a saved file", async () => {
    const path = join(here.box.directory, "hostile.html");
    await here.box.bir(["run", "export", run(), "--format", "html", "--output", path]);
    expect(readFileSync(path, "utf8").match(/<\/script/gi)).toHaveLength(2);
    const watched = await here.stranger();
    watch(watched);
    await watched.context.setOffline(true);
    await watched.page.goto(pathToFileURL(path).href);
    await watched.page.locator(".story-end").waitFor();
    expect(await watched.page.title()).toBe(`${FIRST_LINE} · bir`);
    await harmless(watched.page);
    await lookAtAll(watched.page);
  });

  test("is text in the address, the search and the title", async () => {
    for (const place of [
      `#/?q=${encodeURIComponent('"><img src=x onerror=window.harmed=1>\u202e')}`,
      `#/run/${encodeURIComponent("<img src=x onerror=window.harmed=1>")}`,
      `#/run/${run()}?step=${encodeURIComponent('"]<script>window.harmed=1</script>')}`,
      `#/compare/${run()}/%3Cscript%3E`,
      "#/open/<script>window.harmed=1</script>/run/__proto__",
      "#/constructor/__proto__?__proto__=1",
      `#/run/${run()}?step=__proto__`,
    ]) {
      const watched = await open(place);
      here.allow(watched, /status of 40[014]/);
      const { page } = watched;
      await page.locator("h1, h2, .detail-missing").first().waitFor();
      await harmless(page);
    }
  });

  async function lookAtAll(page: Page): Promise<void> {
    const parts = await page
      .locator(".story [data-part]")
      .evaluateAll((all) => all.map((each) => each.getAttribute("data-part") ?? ""));
    expect(parts).toHaveLength(6);
    for (const part of parts) {
      await page.locator(`.story [data-part="${part}"]`).click();
      await page.locator(".inspector-title").waitFor();
      await untilCount(page.locator(".inspector").getByText("loading the rest"), 0);
      for (const form of ["View", "Tree", "Raw"]) {
        for (const button of await page
          .locator(".inspector .switch")
          .getByRole("button", { name: form, exact: true })
          .all())
          await button.click();
        await harmless(page);
      }
      for (const button of await page.locator(".inspector .fold, .inspector .section-title[aria-expanded=false]").all())
        await button.click();
      await harmless(page);
      await press(page, "r");
      await harmless(page);
      await press(page, "r");
    }
  }
});

/** Nothing ran, nothing was loaded, no element was made of text, and what cannot be seen is shown as an escape. */
async function harmless(page: Page): Promise<void> {
  const found = await page.evaluate(
    ({ elements }) => ({
      harmed: Reflect.get(window, "harmed") ?? Reflect.get({}, "harmed") ?? null,
      elements: document.querySelectorAll(elements).length,
      scripts: document.body.querySelectorAll("script").length,
      texts: [
        document.title,
        ...[...document.querySelectorAll("body, [aria-label], [title]")].flatMap((each) => [
          each.getAttribute("aria-label") ?? "",
          each.getAttribute("title") ?? "",
        ]),
        // What somebody types stands behind the box as it was typed.
        ...[...document.querySelectorAll("body *:not(script, .search-paint, .search-paint *)")].flatMap((each) =>
          [...each.childNodes].filter((node) => node.nodeType === Node.TEXT_NODE).map((node) => node.textContent ?? ""),
        ),
      ],
      isFile: location.protocol === "file:",
    }),
    { elements: FORBIDDEN },
  );
  expect({ harmed: found.harmed, elements: found.elements, scripts: found.scripts }).toEqual({
    harmed: null,
    elements: 0,
    scripts: found.isFile ? 2 : 0,
  });
  expect(found.texts.filter((each) => UNSEEN.test(each.replace(/[\n\r\t]/g, " ")))).toEqual([]);
  expect(found.texts.length).toBeGreaterThan(10);
}
