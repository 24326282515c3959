/** The list of runs and the search over it, by use: a real service, real recordings, and older runs for it to be long. */

import { join } from "node:path";
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { FilledStore } from "../harness/filled-store.ts";
import { listRuns } from "../harness/recorded-runs.ts";
import { fileNeeds } from "../harness/requirement.ts";
import type { Sandbox } from "../harness/sandbox.ts";
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
import { RecordedSession } from "./recorded-session.ts";
import { PROMPT, recordSessions } from "./recordings.ts";
import { world } from "./world.ts";

const DAY_MS = 86_400_000;
const OLD_DAYS = 4;
const OLD_RUNS = 160;
/** The first line of what was asked twice. */
const ASKED = PROMPT.split("\n")[0] ?? "";

/** Runs of the days before yesterday, then real sessions. */
async function fill(box: Sandbox): Promise<void> {
  await box.bir(["up"]);
  const store = new FilledStore(join(box.birHome, "recordings.db"));
  const today = new Date().setHours(12, 0, 0, 0);
  for (let n = 0; n < OLD_RUNS; n++) {
    const day = today - (2 + (n % OLD_DAYS)) * DAY_MS;
    store.add({ n, startedAt: day - 60_000 * Math.floor(n / OLD_DAYS), steps: n === 7 ? 60 : 2 });
  }
  store.close();
  await recordSessions(box);
}

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

describe.runIf(fileNeeds(...BROWSER_NEED))("the list of runs", () => {
  const here = world(fill);
  const rows = (page: Page) => page.locator(".list-run");
  const titles = (page: Page) => page.locator(".list-title");
  const search = (page: Page) => page.getByRole("combobox", { name: "Search runs" });
  const messages = (page: Page) => page.locator(".toast-text");
  const active = (page: Page) => page.locator(".list-run.active .list-title");

  async function atList(place = "#/", options = {}) {
    const watched = await here.open(place, options);
    await rows(watched.page).first().waitFor();
    return watched;
  }

  test("has the newest first, under the names of their days, with what was done and how it ended", async () => {
    const { page } = await atList();
    await untilText(page.locator(".runs-count"), "163 runs");
    const order = await page
      .locator(".pane-runs [role=listitem]")
      .evaluateAll((items) => items.map((item) => item.querySelector("time")?.dateTime ?? item.textContent ?? ""));
    const times = order.filter((each) => /^\d/.test(each));
    expect(times.length).toBeGreaterThan(8);
    expect(times).toEqual(times.toSorted().toReversed());
    const days = order.filter((each) => !/^\d/.test(each));
    expect(days.slice(0, 2)).toEqual(["Today", dayName(order[order.indexOf(days[1] ?? "") + 1] ?? "")]);

    const newest = await texts(rows(page).nth(1));
    expect(newest[0]).toMatch(
      /^\d\d:\d\d Why does the parser reject empty input\? claude-code 2\.1\.332 \S+\/project Read, everything › echo, everything › get-sum \+5 11 calls [\d.]+ m?s completed 2 errors$/,
    );
    // The other pages come as somebody goes on.
    const untilOldest = async () => {
      await page.keyboard.press("End");
      return dayName((await page.locator(".list-run time").last().getAttribute("datetime")) ?? 0);
    };
    await expect.poll(untilOldest, { timeout: 10_000 }).toBe(dayName(Date.now() - (1 + OLD_DAYS) * DAY_MS));
  });

  test("shows a run as it is recorded, and lets it go when it is deleted elsewhere", async () => {
    const { page } = await atList();
    await page.evaluate(() => Reflect.set(window, "notLoadedAgain", true));
    const session = new RecordedSession(here.box, 9);
    await session.start({ fake: here.box.fake("--quiet") });
    await session.prompt("Watch me work");
    const row = rows(page).filter({ hasText: "Watch me work" });
    await untilText(row, /0 calls .* running$/);
    expect((await texts(page.locator(".day")))[0]).toBe("Now");
    await session.call("fake", "echo", { text: "one" });
    await untilText(row, /fake › echo .*1 call /);
    await session.call("fake", "fail", { text: "two" });
    await untilText(row, /2 calls .* running 1 error$/);
    await untilText(page.locator(".runs-count"), "164 runs");
    await session.stop("It is done.");
    await untilText(row, / completed 1 error$/);
    await session.end();

    const [run] = (await listRuns(here.box)).filter(({ input }) => input === "Watch me work");
    await here.box.bir(["run", "delete", run?.id ?? "none", "--yes"]);
    await untilCount(row, 0);
    await untilText(page.locator(".runs-count"), "163 runs");
    expect(await page.evaluate(() => Reflect.get(window, "notLoadedAgain"))).toBe(true);
  });

  test("finds by words, phrases and each key of the language", async () => {
    const { page } = await atList();
    for (const [what, query, found] of SEARCHES) {
      await search(page).fill(query);
      await untilAt(page, `#/?${new URLSearchParams({ q: query })}`);
      const told = async () => [what, (await page.locator(".state").isVisible()) ? [] : await texts(titles(page))];
      await expect.poll(told, { timeout: 10_000 }).toEqual([what, found]);
    }
    await untilText(page.locator(".state"), `No run fits Nothing is found for ${SEARCHES.at(-1)?.[1]}.`);
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
      expect.stringMatching(/^is:sleepy is left out: .*error, lossy.*running/),
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

  test("chooses two runs with the mouse, and compares them in that order", async () => {
    const { page } = await atList("#/?q=parser");
    await untilCount(rows(page), 2);
    await rows(page).nth(1).hover();
    await rows(page).nth(1).locator(".choose").click();
    await untilText(page.locator(".selection-bar"), "1 run chosen");
    await rows(page).nth(0).locator(".choose").click();
    await page.getByRole("button", { name: /^Compare c/ }).click();
    const [older, newer] = here.runs(ASKED);
    await untilAt(page, `#/compare/${older}/${newer}`);
    await page.goBack();
    await untilCount(rows(page), 2);
    await untilCount(page.locator(".selection-bar"), 0);
  });

  test("deletes a run, and takes it back as long as that can be done", async () => {
    const { page } = await here.stranger();
    await page.clock.install();
    await page.goto(await here.service.link());
    await search(page).fill('"Task 159:"');
    await untilCount(rows(page), 1);
    await rows(page).hover();
    await rows(page)
      .getByRole("button", { name: /^Actions for/ })
      .click();
    await page.getByRole("menuitem", { name: "Delete" }).click();
    await untilText(page.locator(".state"), "No run fits");
    await untilText(messages(page), "Deleted “Task 159: look into the failing build of module 62”.");
    await page.getByRole("button", { name: "Undo" }).click();
    await untilCount(rows(page), 1);

    await titles(page).focus();
    await press(page, "Delete");
    await untilText(page.locator(".state"), "No run fits");
    await page.locator(".toast", { hasText: "Deleted" }).last().hover();
    await untilCount(page.getByRole("button", { name: "Undo" }), 1);
    await page.clock.fastForward(11_000);
    await untilCount(page.getByRole("button", { name: "Undo" }), 0);
    await untilText(messages(page).last(), "Deleted");
  });

  test("does with each key what its help says", async () => {
    const { page } = await atList("#/", { colorScheme: "light" });
    expect(await keysTold(page)).toEqual({
      Runs: [
        "j ↓: Next run",
        "k ↑: Previous run",
        "g Home: First run",
        "G End: Last run so far",
        "Enter: Open the run",
        "x: Choose for comparison",
        "c: Compare the chosen runs",
        "# Del: Delete, with undo",
      ],
      Search: ["/: Search"],
      Page: ["?: Show this help", "t: Next theme"],
    });
    const [second, first] = here.runs(ASKED);
    const isActive = (id: string | undefined) => untilFocused(page, `[data-run="${id}"] .list-title`);
    const [hostile] = here.runs("<script>");
    for (const [down, up, start, end] of [
      ["j", "k", "g", "G"],
      ["ArrowDown", "ArrowUp", "Home", "End"],
    ] as const) {
      await press(page, start);
      await isActive(hostile);
      await press(page, down, down);
      await isActive(second);
      await press(page, up);
      await isActive(first);
      await press(page, end);
      await untilText(active(page), /^Task \d+:/);
      await untilFocused(page, ".list-run.active .list-title");
      await press(page, start);
      await isActive(hostile);
    }
    await press(page, "j", "x");
    await untilText(page.locator(".selection-bar"), "1 run chosen");
    await press(page, "Escape");
    await untilCount(page.locator(".selection-bar"), 0);
    await press(page, "c");
    await untilText(messages(page).last(), "Choose two runs with x");
    await press(page, "x", "j", "c");
    await untilAt(page, `#/compare/${first}/${second}`);
    await page.goBack();
    await isActive(second);
    await press(page, "Enter");
    await untilAt(page, `#/run/${second}`);
    await page.goBack();
    await isActive(second);

    await press(page, "#");
    await untilText(messages(page).last(), `Deleted “${ASKED}”.`);
    await untilCount(rows(page).filter({ hasText: ASKED }), 1);
    await page.getByRole("button", { name: "Undo" }).click();
    await untilCount(rows(page).filter({ hasText: ASKED }), 2);

    await press(page, "/");
    await untilFocused(page, "[role=combobox]");
    await page.keyboard.type("parser j#");
    await untilAt(page, "#/?q=parser+j%23");
    await press(page, "Escape", "Escape");
    await untilAt(page, "#/");
    await press(page, "Escape");
    await untilFocused(page, "body");

    const theme = () => page.evaluate(() => document.documentElement.dataset.theme);
    await press(page, "t");
    expect(await theme()).toBe("light");
    await press(page, "t");
    expect(await theme()).toBe("dark");
    await press(page, "t");
    expect(await theme()).toBeUndefined();

    await press(page, "g");
    await isActive(hostile);
    await press(page, "?");
    await page.locator("dialog.help[open]").waitFor();
    await press(page, "j", "?");
    await page.locator("dialog.help").waitFor({ state: "hidden" });
    await isActive(hostile);
  });

  test("goes by key between the runs and the places where the words stand", async () => {
    const { page } = await atList("#/?q=hello+agent");
    await untilCount(page.locator("a.hit"), 2);
    expect((await keysTold(page))["Where it is found"]).toEqual([
      "j ↓: Next place",
      "k ↑: Previous place",
      "l →: From the runs to the places",
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

describe.runIf(BROWSER_NEED[0])("a list of nothing", () => {
  const here = world(async () => {});

  test("says how the first run is recorded, shows it when it is, and again once it is deleted", async () => {
    const { page } = await here.open("#/", { permissions: ["clipboard-read", "clipboard-write"] });
    await untilText(page.locator(".state"), "No run is recorded yet");
    await page.getByRole("button", { name: "Copy bir install" }).click();
    await untilText(page.locator(".toast"), "Copied the command.");
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe("bir install");
    const session = new RecordedSession(here.box, 1);
    await session.start({});
    await session.prompt("The very first one");
    await untilTexts(page.locator(".list-title"), ["The very first one"]);
    await session.stop("Done.");
    await session.end();
    await untilText(page.locator(".list-run"), "completed");

    await page.locator(".list-title").focus();
    await press(page, "#");
    await untilText(page.locator(".state"), "No run is recorded yet");
    expect(await listRuns(here.box)).toHaveLength(1);
    // It does not wait any longer when it is told to go.
    await here.tidy();
    await here.service.stop();
    expect(await listRuns(here.box)).toEqual([]);
  });
});

/** As the list names the day of a time, where that is neither today nor yesterday. */
function dayName(time: string | number): string {
  const date = new Date(time);
  const weekday = new Intl.DateTimeFormat("en-GB", { weekday: "long" }).format(date);
  return `${weekday}, ${new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "long", year: "numeric" }).format(date)}`;
}
