/** The search over all runs, by use: a real service and its index, real recordings, and older runs for the list to be long. */

import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { fileNeeds } from "../harness/requirement.ts";
import { fillLong } from "./long-list.ts";
import {
  fragment,
  keysTold,
  press,
  text,
  texts,
  untilAt,
  untilCount,
  untilFocused,
  untilText,
  untilTexts,
} from "./looking.ts";
import { BROWSER_NEED } from "./page-test.ts";
import { ASKED } from "./recordings.ts";
import { world } from "./world.ts";

const HARM = "<script>window.harmed=1</script>";

/** What is searched for, in words and as it is typed, and the runs that are found. */
const SEARCHES = [
  ["a word", "parser", [ASKED, ASKED]],
  ["the beginning of a word, in any case", "REJ", [ASKED, ASKED]],
  ["words of a call and of its result", "subagent callers", [ASKED, ASKED]],
  ["a phrase", '"empty input"', [ASKED, ASKED]],
  ["no phrase where the words stand apart", '"input empty"', []],
  ["a tool", "tool:get-sum", [ASKED, ASKED]],
  ["a server", "server:everything", [ASKED, ASKED]],
  ["two servers", "server:everything server:fake is:error", [HARM, ASKED, ASKED]],
  ["a host and an age", "host:claude-code after:1h", [HARM, ASKED, ASKED]],
  ["what failed, of a tool", "is:error tool:read_file after:1h", []],
  ["an error long ago", "is:error before:1d", ["Task 7: look into the failing build of module 7"]],
  ["what is incomplete", "is:lossy", []],
  ["what is under way", "is:running", []],
  ["a state", "status:interrupted", []],
] as const;

describe.runIf(fileNeeds(...BROWSER_NEED))("the search", () => {
  const here = world(fillLong);
  const rows = (page: Page) => page.locator(".list-run");
  const titles = (page: Page) => page.locator(".list-title");
  const search = (page: Page) => page.getByRole("combobox", { name: "Search runs" });
  const active = (page: Page) => page.locator(".list-run.active .list-title");

  async function atList(place = "#/", options = {}) {
    const watched = await here.open(place, options);
    await rows(watched.page).first().waitFor();
    return watched;
  }

  test("finds by words, phrases and each key of the language", async () => {
    const { page } = await atList();
    for (const [what, query, found] of SEARCHES) {
      await search(page).fill(query);
      await untilAt(page, `#/?${new URLSearchParams({ q: query })}`);
      const told = async () => [what, (await page.locator(".state").isVisible()) ? [] : await texts(titles(page))];
      await expect.poll(told, { timeout: 10_000 }).toEqual([what, found]);
    }
    await untilText(page.locator(".state"), `No matching runs Nothing is found for ${SEARCHES.at(-1)?.[1]}.`);
    await page.getByRole("button", { name: "Clear the search" }).last().click();
    await untilAt(page, "#/");
  });

  test("says in words what of a search it cannot understand, and searches for the rest", async () => {
    const { page } = await here.open();
    await search(page).fill("parser is:sleepy after:someday");
    await untilTexts(titles(page), [ASKED, ASKED]);
    const issues = page.locator(".issue");
    await untilCount(issues, 2);
    expect(await texts(issues)).toEqual([
      expect.stringMatching(/^is:sleepy is left out: .*error, incomplete, running/),
      expect.stringMatching(/^after:someday is left out: ./),
    ]);
    expect(await texts(page.locator(".search-paint .part-issue"))).toEqual(["is:sleepy", "after:someday"]);
  });

  test("suggests what can be searched for, by keyboard alone", async () => {
    const { page } = await atList();
    await press(page, "/");
    await page.keyboard.type("se");
    const options = page.getByRole("option");
    await untilText(options.first(), "server: runs that called a server");
    await press(page, "ArrowDown", "Enter");
    await expect.poll(() => search(page).inputValue()).toBe("server:");
    await untilText(options.first(), /^server:\w+ \d+ runs$/);
    await page.keyboard.type("ever");
    await untilTexts(options, ["server:everything 2 runs"]);
    await press(page, "ArrowDown");
    expect(await search(page).getAttribute("aria-activedescendant")).toBe(await options.first().getAttribute("id"));
    await press(page, "Tab");
    await expect.poll(() => search(page).inputValue()).toBe("server:everything ");
    await untilTexts(titles(page), [ASKED, ASKED]);
    await press(page, "Enter");
    await untilFocused(page, ".list-run .list-title");
    await press(page, "Enter");
    await untilAt(page, `#/run/${here.runs(ASKED)[1]}`);
  });

  test("leads from where the words stand to that very call", async () => {
    const { page } = await atList();
    await search(page).fill("hello agent");
    const hits = page.locator("a.hit");
    await untilCount(hits, 2);
    await untilText(hits.first(), /^#2 everything › echo (arguments|result)/);
    expect(await texts(hits.first().locator("mark"))).toEqual(["hello", "agent"]);
    await hits.first().click();
    const call = page.locator('.call-row[aria-current="true"]');
    await untilText(call, "everything › echo");
    await untilText(page.locator(".inspector-title"), /^everything ?› ?echo$/);
    await page.goBack();
    await untilCount(hits, 2);
    expect(await search(page).inputValue()).toBe("hello agent");
  });

  test("opens a link with a search in a second tab, and comes back to search and place", async () => {
    const watched = await atList("#/?q=look+module");
    const { page } = watched;
    await untilText(page.locator(".runs-count"), "160 runs");
    const list = page.locator(".pane-runs .virtual");
    await list.evaluate((box) => box.scrollTo({ top: 3000 }));
    const inSight = () =>
      list.evaluate((box) => {
        const { top, bottom } = box.getBoundingClientRect();
        const isSeen = (row: Element) =>
          row.getBoundingClientRect().top >= top && row.getBoundingClientRect().bottom <= bottom;
        return [...box.querySelectorAll(".list-run")].filter(isSeen).map((row) => row.textContent);
      });
    await expect.poll(async () => (await inSight()).length).toBeGreaterThan(5);
    const link = titles(page).nth(12);
    await link.focus();
    const before = await inSight();
    const title = await text(link);
    await link.click();
    await untilText(page.locator("h1"), title);
    await page.goBack();
    await untilText(active(page), title);
    await untilFocused(page, ".list-run.active .list-title");
    expect(await inSight()).toEqual(before);
    expect(await search(page).inputValue()).toBe("look module");

    const second = await here.tab(watched, "#/?q=tool%3Aget-sum");
    await untilTexts(titles(second), [ASKED, ASKED]);
    expect(await search(second).inputValue()).toBe("tool:get-sum");
    expect(await second.title()).toBe("tool:get-sum · Runs · bir");
  });

  test("goes by key between the runs and the places where the words stand", async () => {
    const { page } = await atList("#/?q=hello+agent");
    await untilCount(page.locator("a.hit"), 2);
    expect((await keysTold(page)).Matches).toEqual([
      "j ↓: Next match",
      "k ↑: Previous match",
      "l →: From the runs to the matches",
      "h ←: Back to the runs",
    ]);
    const at = () =>
      page.evaluate(() => [...document.querySelectorAll("a.hit")].indexOf(document.activeElement ?? document.body));
    await press(page, "g", "l");
    await expect.poll(at).toBe(0);
    await press(page, "j");
    expect(await at()).toBe(1);
    await press(page, "k", "ArrowDown", "ArrowUp");
    expect(await at()).toBe(0);
    await press(page, "ArrowLeft");
    await untilFocused(page, ".list-title");
    await press(page, "ArrowRight", "h");
    await untilFocused(page, ".list-title");
    await press(page, "Escape");
    await untilAt(page, "#/");
    expect(fragment(page)).toBe("#/");
  });
});
