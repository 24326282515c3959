/** Two runs side by side, by use: two recordings of one prompt. */

import { join } from "node:path";
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { fileNeeds } from "../harness/requirement.ts";
import { fragment, keysTold, press, text, texts, untilAt, untilCount, untilFocused, untilText } from "./looking.ts";
import { BROWSER_NEED } from "./page-test.ts";
import { againRun } from "./preview/runs/again.ts";
import { richRun } from "./preview/runs/rich.ts";
import { ASKED, recordSessions } from "./recordings.ts";
import { world } from "./world.ts";
import { writeRuns } from "./written-runs.ts";

describe.runIf(fileNeeds(...BROWSER_NEED))("two runs compared", () => {
  const here = world(async (box) => {
    await box.bir(["up"]);
    const now = Date.now();
    writeRuns(join(box.birHome, "recordings.db"), [richRun(now - 7_200_000), againRun(now - 3_600_000)]);
    await recordSessions(box);
  });
  const calls = (page: Page) => page.locator(".compare-call");
  const current = (page: Page) => page.locator('.compare-call[aria-current="true"]');
  const detail = (page: Page) => page.getByRole("complementary", { name: "The call in detail" });
  const place = () => `#/compare/${here.runs(ASKED).join("/")}`;

  async function at(where: string, options = {}) {
    const watched = await here.open(where, options);
    await calls(watched.page).first().waitFor();
    return watched;
  }

  test("marks the first difference, says in what calls differ, and folds what is the same", async () => {
    const { page } = await at(place());
    expect(await texts(page.locator(".compare-count"))).toEqual(["= 9 calls the same", "≠ 2 differ"]);
    await untilText(current(page), /^A 4 error Bash .* ≠ result B 4 error Bash/);
    await untilText(detail(page), "differs: result");
    await untilText(detail(page), "Tests: 41 passed, 1 failed + Tests: 42 passed");
    await untilText(page.locator(".compare-fold"), "4 calls the same");
    await untilText(page.locator(".compare-text-head").first(), "Prompt = the same");
    await page.locator(".compare-fold").click();
    await untilCount(calls(page), 11);
  });

  test("does with each key what its help says", async () => {
    const { page } = await at(place());
    expect((await keysTold(page)).Compare).toEqual([
      "n: Next difference",
      "N: Previous difference",
      "j ↓: Next call",
      "k ↑: Previous call",
      "Enter o: Show in what a call differs",
      "Esc: Close it",
      "=: Show or fold calls that are the same",
      "a: Open run A at this call",
      "b: Open run B at this call",
      "s: Swap A and B",
    ]);
    await press(page, "n");
    await untilText(current(page), /^A 6 Agent/);
    await untilAt(page, `${place()}?row=5`);
    await untilText(page.locator(".compare-number"), "2 of 2");
    await press(page, "N");
    await untilText(current(page), /^A 4 error Bash/);
    await press(page, "j");
    await untilText(current(page), /^A 5 Edit/);
    await press(page, "ArrowUp", "k");
    await untilText(current(page), /^A 3 everything › get-sum/);
    await press(page, "ArrowDown");
    await untilText(current(page), /^A 4 error Bash/);
    await press(page, "Escape");
    await untilCount(detail(page), 0);
    await press(page, "o");
    await untilText(detail(page), "differs: result");
    await press(page, "Escape", "Enter");
    await untilText(detail(page), "differs: result");
    await press(page, "=");
    await untilCount(calls(page), 11);
    await press(page, "=");
    await untilCount(page.locator(".compare-fold"), 1);
    const [older, newer] = here.runs(ASKED);
    await press(page, "s");
    await untilAt(page, `#/compare/${newer}/${older}`);
    await untilText(detail(page), "Tests: 42 passed + Tests: 41 passed, 1 failed");
    await page.goBack();
    await untilAt(page, new RegExp(`^#/compare/${older}/${newer}`));
    await untilText(detail(page), "Tests: 41 passed, 1 failed + Tests: 42 passed");
    for (const [key, id] of [
      ["a", older],
      ["b", newer],
    ] as const) {
      await press(page, key);
      await untilText(page.locator('.call-row[aria-current="true"]'), "4 error Bash");
      await untilAt(page, new RegExp(`^#/run/${id}\\?step=step_\\w+$`));
      await page.goBack();
      await calls(page).first().waitFor();
    }
  });

  test("opens a link to a row in a second tab, and a run compared with itself", async () => {
    const watched = await at(place());
    await calls(watched.page).filter({ hasText: "general-purpose" }).click();
    const second = await here.tab(watched, fragment(watched.page));
    await untilText(current(second), /^A 6 Agent/);
    await untilText(detail(second), "differs: result");
    expect(await second.title()).toBe(`${ASKED}, compared · bir`);
    await detail(second).getByRole("link", { name: "call 6" }).first().click();
    await untilText(second.locator("h1"), ASKED);

    const id = here.run(ASKED);
    const third = await here.tab(watched, `#/compare/${id}/${id}`);
    await untilText(third.locator(".compare-note"), "Both are the same run.");
    await untilText(third.locator(".compare-counts"), /^= 11 calls the same$/);
    const fourth = await here.tab(watched, `#/compare/${id}/${id}?row=1`);
    await untilText(detail(fourth), /everything › echo = the same .*hello from the agent/);
  });

  test("puts runs that went apart side by side, and says so of one that is not there", async () => {
    const watched = await at("#/compare/run_rich/run_again");
    const { page } = watched;
    const counts = await text(page.locator(".compare-counts"));
    expect(counts).toMatch(/^= \d+ calls the same ≠ \d+ differs? − \d+ only in A( \+ \d+ only in B)?$/);
    await press(page, "=");
    await page.locator(".compare-call.left").first().click();
    await untilText(detail(page), "no such call");
    await untilText(detail(page), "− only in A");
    await page.locator(".compare-list .virtual").focus();
    await untilFocused(page, ".virtual");
    here.allow(watched, /status of 404/);
    const missing = await here.tab(watched, "#/compare/run_rich/run_none");
    await untilText(missing.locator(".state"), "Not found");
  });
});
