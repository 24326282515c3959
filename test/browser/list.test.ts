/** The list of runs, by use: a real service, real recordings, and older runs for it to be long. */

import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { listRuns } from "../harness/recorded-runs.ts";
import { fileNeeds } from "../harness/requirement.ts";
import { DAY_MS, fillLong, OLD_DAYS } from "./long-list.ts";
import { keysTold, press, texts, untilAt, untilCount, untilFocused, untilText, untilTexts } from "./looking.ts";
import { BROWSER_NEED } from "./page-test.ts";
import { RecordedSession } from "./recorded-session.ts";
import { ASKED } from "./recordings.ts";
import { world } from "./world.ts";

const HARM = "<script>window.harmed=1</script>";

describe.runIf(fileNeeds(...BROWSER_NEED))("the list of runs", () => {
  const here = world(fillLong);
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
    // What has ended stays where it is looked at, and is at its day for whoever comes back.
    expect((await texts(page.locator(".day")))[0]).toBe("Now");
    await row.locator(".list-title").click();
    await untilText(page.locator("h1"), "Watch me work");
    await page.goBack();
    await untilText(row, "Watch me work");
    expect((await texts(page.locator(".day")))[0]).toBe("Today");

    const [run] = (await listRuns(here.box)).filter(({ input }) => input === "Watch me work");
    await here.box.bir(["run", "delete", run?.id ?? "none", "--yes"]);
    await untilCount(row, 0);
    await untilText(page.locator(".runs-count"), "163 runs");
    expect(await page.evaluate(() => Reflect.get(window, "notLoadedAgain"))).toBe(true);
  });

  test("chooses two runs with the mouse, and compares them in that order", async () => {
    const { page } = await atList("#/?q=parser");
    await untilCount(rows(page), 2);
    await rows(page).nth(1).hover();
    await rows(page).nth(1).locator(".choose").click();
    await untilText(page.locator(".selection-bar"), "1 run selected");
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
    await untilText(page.locator(".state"), "No matching runs");
    await untilText(messages(page), "Deleted “Task 159: look into the failing build of module 62”.");
    await page.getByRole("button", { name: "Undo" }).click();
    await untilCount(rows(page), 1);

    await titles(page).focus();
    await press(page, "Delete");
    await untilText(page.locator(".state"), "No matching runs");
    await page.locator(".toast", { hasText: "Deleted" }).last().hover();
    await untilCount(page.getByRole("button", { name: "Undo" }), 1);
    await page.clock.fastForward(11_000);
    await untilCount(page.getByRole("button", { name: "Undo" }), 0);
    await untilText(messages(page).last(), "Deleted");
  });

  test("is gone back to by link and by key, as it was left", async () => {
    const { page } = await atList("#/?q=parser");
    const [, run] = here.runs(ASKED);
    for (const back of ["u", "Backspace", "Escape", null]) {
      await untilCount(rows(page), 2);
      await titles(page).first().click();
      await untilAt(page, `#/run/${run}`);
      await untilText(page.locator("h1"), ASKED);
      if (back === null) await page.getByRole("link", { name: "Runs", exact: true }).click();
      else await press(page, back);
      await untilAt(page, "#/?q=parser");
    }
    await untilCount(page.getByRole("link", { name: "Runs", exact: true }), 0);
  });

  test("gives a run's id away, and finds the run by it", async () => {
    const { page } = await here.open("#/?q=parser", { permissions: ["clipboard-read", "clipboard-write"] });
    const [, run] = here.runs(ASKED);
    await untilCount(rows(page), 2);
    await rows(page).first().hover();
    await rows(page)
      .first()
      .getByRole("button", { name: `Actions for ${ASKED}` })
      .click();
    await page.getByRole("menuitem", { name: "Copy id" }).click();
    await untilText(messages(page), "Copied the id.");
    const id = await page.evaluate(() => navigator.clipboard.readText());
    expect(id).toBe(run);
    await search(page).fill(id.slice(0, -2));
    await untilCount(rows(page), 1);
    await untilText(titles(page), ASKED);
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
        "x: Select for comparison",
        "c: Compare the selected runs",
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
    await untilText(page.locator(".selection-bar"), "1 run selected");
    await press(page, "Escape");
    await untilCount(page.locator(".selection-bar"), 0);
    await press(page, "c");
    await untilText(messages(page).last(), "Select two runs with x");
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
    await untilText(titles(page).first(), HARM);
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
  return `${weekday} ${new Intl.DateTimeFormat("en-CA", { dateStyle: "short" }).format(date)}`;
}
