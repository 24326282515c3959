/** Each view for those who see little, use no mouse, want no motion, or have a small page: axe, sizes, focus, colours. */

import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { fileNeeds } from "../harness/requirement.ts";
import { press, untilCount, untilFocused, untilText } from "./looking.ts";
import { BROWSER_NEED } from "./page-test.ts";
import { againRun } from "./preview/runs/again.ts";
import { richRun } from "./preview/runs/rich.ts";
import { ASKED, recordSessions } from "./recordings.ts";
import { axeFindings } from "./watched-page.ts";
import { world } from "./world.ts";
import { writeRuns } from "./written-runs.ts";

describe.runIf(fileNeeds(...BROWSER_NEED))("every view", () => {
  const here = world(async (box) => {
    await box.bir(["up"]);
    const now = Date.now();
    writeRuns(join(box.birHome, "recordings.db"), [richRun(now - 7_200_000), againRun(now - 3_600_000)]);
    await recordSessions(box);
  });

  /** How each view is come to, and what is there then. */
  const VIEWS: [name: string, place: string, arrive: (page: Page) => Promise<unknown>][] = [
    ["list", "#/", (page) => page.locator(".list-run").first().waitFor()],
    ["search", "#/?q=is:error+forecast+is:sleepy", (page) => page.locator("a.hit, .list-run").first().waitFor()],
    ["nothing found", "#/?q=nothinglikeit", (page) => page.locator(".state").waitFor()],
    [
      "suggestions",
      "#/",
      async (page) => {
        await page.locator(".list-run").first().waitFor();
        await press(page, "/");
        await page.keyboard.type("t");
        await press(page, "ArrowDown");
        await page.getByRole("option").first().waitFor();
      },
    ],
    [
      "help",
      "#/",
      async (page) => {
        await page.locator(".list-run").first().waitFor();
        await press(page, "?");
        await page.locator("dialog[open]").waitFor();
      },
    ],
    [
      "menu and message",
      "#/",
      async (page) => {
        await page.locator(".list-run").first().hover();
        await press(page, "g", "x", "c");
        await page.locator(".toast").waitFor();
        await page.locator(".row-menu").first().click();
        await page.getByRole("menuitem").first().waitFor();
      },
    ],
    ["run", "#/run/run_rich", (page) => page.locator(".call-row").first().waitFor()],
    [
      "inspector",
      "#/run/run_rich?step=run_rich-step-4",
      async (page) => {
        await page.locator(".inspector .section-head").first().waitFor();
        await untilCount(page.getByText("loading the rest"), 0);
      },
    ],
    ["raw", "#/run/run_rich?raw", (page) => page.locator(".raw-run").waitFor()],
    ["filter", "#/run/run_rich?filter=read", (page) => page.locator(".filter-count").waitFor()],
    ["compare", "#/compare/run_rich/run_again?row=2", (page) => page.locator(".compare-detail h2").waitFor()],
    ["no such run", "#/run/run_none", (page) => page.locator(".state").waitFor()],
  ];
  const ALIKE = ["nothing found", "raw", "filter", "no such run", "menu and message"];
  const THEMES = [
    { colorScheme: "light", viewport: { width: 1280, height: 800 } },
    { colorScheme: "dark", viewport: { width: 1280, height: 800 } },
    { colorScheme: "light", viewport: { width: 390, height: 800 } },
    { colorScheme: "dark", viewport: { width: 390, height: 800 } },
  ] as const;

  /** Goes through all views in one page. */
  async function through(
    options: object,
    views: typeof VIEWS,
    look: (page: Page, name: string) => Promise<void>,
  ): Promise<void> {
    const watched = await here.open("#/", options);
    here.allow(watched, /status of 404/);
    const { page } = watched;
    for (const [name, place, arrive] of views) {
      await page.goto("about:blank");
      await page.goto(here.url(place));
      await arrive(page);
      await look(page, name);
    }
  }

  test.each(THEMES)("is without a finding of axe in $colorScheme at $viewport.width px", async (options) => {
    const findings: string[] = [];
    // What differs little from one to another is looked at in two of the four.
    const isBrief = (options.colorScheme === "dark") === (options.viewport.width === 1280);
    const views = isBrief ? VIEWS.filter(([name]) => !ALIKE.includes(name)) : VIEWS;
    await through({ ...options, reducedMotion: "reduce" }, views, async (page, name) => {
      for (const finding of await axeFindings(page)) findings.push(`${name}: ${finding}`);
      const moving = await page.evaluate(
        () => document.getAnimations().filter(({ playState }) => playState === "running").length,
      );
      if (moving > 0) findings.push(`${name}: ${moving} animations though none are wanted`);
    });
    expect(findings).toEqual([]);
  });

  test.each(THEMES)(
    "so is a saved file, and what a stranger sees, in $colorScheme at $viewport.width px",
    async (options) => {
      const path = join(here.box.directory, `saved-${options.colorScheme}-${options.viewport.width}.html`);
      await here.box.bir(["run", "export", "run_rich", "--format", "html", "--output", path]);
      const saved = await here.stranger(options);
      await saved.page.goto(pathToFileURL(path).href);
      await saved.page.locator(".call-row").first().waitFor();
      await press(saved.page, "e", "o");
      await saved.page.locator(".inspector .section-head").first().waitFor();
      expect(await axeFindings(saved.page)).toEqual([]);
      const stranger = await here.stranger(options);
      here.allow(stranger, /status of 401/);
      const { page } = stranger;
      await page.goto(here.url("#/"));
      await untilText(page.locator("h1"), "Open this page");
      expect(await axeFindings(page)).toEqual([]);
    },
  );

  test.each([
    ["at twice the size", { viewport: { width: 640, height: 400 }, deviceScaleFactor: 2 }],
    ["at 360 px", { viewport: { width: 360, height: 740 } }],
    ["at 320 px", { viewport: { width: 320, height: 568 } }],
    ["in forced colours", { viewport: { width: 1280, height: 800 }, forcedColors: "active" }],
  ])("needs no scrolling sideways %s", async (_, options) => {
    const wide: string[] = [];
    await through(options, VIEWS, async (page, name) => {
      const over = await page.evaluate(() => {
        const { scrollWidth, clientWidth } = document.documentElement;
        const isHeld = (element: Element | null): boolean =>
          element !== null &&
          (/auto|scroll|hidden|clip/.test(getComputedStyle(element).overflowX) || isHeld(element.parentElement));
        const beyond = [...document.querySelectorAll("main button, main a, main input, header button")].find(
          (element) => {
            const { right, width } = element.getBoundingClientRect();
            return width > 0 && right > clientWidth + 1 && !isHeld(element.parentElement);
          },
        );
        return scrollWidth > clientWidth ? `${scrollWidth} of ${clientWidth}` : (beyond?.outerHTML.slice(0, 120) ?? "");
      });
      if (over !== "") wide.push(`${name}: ${over}`);
    });
    expect(wide).toEqual([]);
  });

  test("shows where the focus is, everywhere that Tab leads", async () => {
    for (const [place, arrive] of [
      ["#/?q=forecast", ".list-run"],
      ["#/run/run_rich?step=run_rich-step-4", ".inspector .section-head"],
      ["#/compare/run_rich/run_again", ".compare-call"],
    ] as const) {
      const { page } = await here.open(place);
      await page.locator(arrive).first().waitFor();
      const seen: string[] = [];
      for (let n = 0; n < 25; n++) {
        await press(page, "Tab");
        const unseen = await page.evaluate(() => {
          const element = document.activeElement;
          if (element === null || element === document.body) return "nothing";
          const ring = (at: Element | null, depth: number): boolean => {
            if (at === null || depth > 3) return false;
            const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(at);
            return (
              (outlineStyle !== "none" && Number.parseFloat(outlineWidth) >= 1) ||
              boxShadow !== "none" ||
              ring(at.parentElement, depth + 1)
            );
          };
          const { width, height, top, bottom } = element.getBoundingClientRect();
          const isInSight = width > 0 && height > 0 && bottom > 0 && top < innerHeight;
          return ring(element, 0) && isInSight ? "" : element.outerHTML.slice(0, 120);
        });
        if (unseen !== "") seen.push(unseen);
      }
      expect(seen.filter((each) => each !== "nothing")).toEqual([]);
    }
  });

  test("gives the focus back where it was once help, a menu or the detail is closed", async () => {
    const { page } = await here.open("#/");
    await page.locator(".list-run").first().waitFor();
    await press(page, "g");
    await untilFocused(page, ".list-run .list-title");
    await press(page, "?");
    await page.locator("dialog[open]").waitFor();
    await press(page, "Escape");
    await untilFocused(page, ".list-run .list-title");
    const menu = page.locator(".list-run.active .row-menu");
    await menu.focus();
    await press(page, "Enter");
    await untilFocused(page, "[role=menuitem]");
    await press(page, "ArrowDown", "Escape");
    await untilFocused(page, ".list-run.active .row-menu");
    await press(page, "j", "Enter");

    for (const viewport of [
      { width: 1280, height: 800 },
      { width: 390, height: 800 },
    ]) {
      const run = await here.open(`#/run/${here.run(ASKED)}`, { viewport });
      await run.page.locator(".call-row").first().waitFor();
      await press(run.page, "e");
      await untilFocused(run.page, '.call-row[aria-current="true"]');
      await press(run.page, "o");
      await run.page.locator(".inspector").waitFor();
      // Over the list the detail takes the focus as it opens, a frame or two later.
      await expect
        .poll(async () => {
          await press(run.page, "i");
          return await run.page.evaluate(() => document.activeElement?.matches(".inspector-pane"));
        })
        .toBe(true);
      await press(run.page, "Escape");
      await untilCount(run.page.locator(".inspector"), 0);
      await untilFocused(run.page, '.call-row[aria-current="true"]');
    }
  });
});
