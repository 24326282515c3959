/** A run while it changes, by use: growing, abandoned, deleted. */

import { join } from "node:path";
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { FilledStore } from "../harness/filled-store.ts";
import { BUN, ROOT } from "../harness/locations.ts";
import { fileNeeds } from "../harness/requirement.ts";
import type { RunningProcess } from "../harness/running-process.ts";
import type { Sandbox } from "../harness/sandbox.ts";
import { press, texts, untilAt, untilCount, untilText, untilTexts, WAIT } from "./looking.ts";
import { BROWSER_NEED } from "./page-test.ts";
import { ASKED, recordSessions } from "./recordings.ts";
import { world } from "./world.ts";

function storeOf(box: Sandbox): string {
  return join(box.birHome, "recordings.db");
}

describe.runIf(fileNeeds(...BROWSER_NEED))("a run that changes", () => {
  const here = world(recordSessions);
  const calls = (page: Page) => page.locator(".call-row");

  test("grows while it is recorded: follows at its end only, moves nothing that is read, in two tabs at once", async () => {
    const store = new FilledStore(storeOf(here.box));
    const run = store.open(901, Date.now(), "A task that grows");
    let steps = 0;
    const grow = (count: number) => {
      for (const end = steps + count; steps < end; steps++) store.step(run, Date.now(), steps);
      store.commit();
    };
    grow(3);
    const watched = await here.open(`#/run/${run.id}`);
    const { page } = watched;
    const second = await here.tab(watched, `#/run/${run.id}`);
    for (const tab of [page, second]) await tab.locator(".story-end").waitFor();
    const distance = () =>
      page.locator(".story").evaluate((box) => Math.round(box.scrollHeight - box.scrollTop - box.clientHeight));
    const untilLast = async (tab: Page, number: number) =>
      expect.poll(async () => Number((await texts(tab.locator(".call-number"))).at(-1)), WAIT).toBe(number);
    const isNew = page.locator(".story-new");
    for (const count of [20, 20, 20]) {
      grow(count);
      for (const tab of [page, second]) await untilLast(tab, steps);
      await expect.poll(distance, WAIT).toBeLessThan(10);
    }
    // Whoever scrolls up reads on undisturbed.
    await page.bringToFront();
    await page.locator(".story").hover();
    await page.mouse.wheel(0, -700);
    await expect.poll(distance).toBeGreaterThan(600);
    const seen = await seenRows(page);
    grow(10);
    await untilText(isNew, "10 new");
    grow(7);
    await untilText(isNew, "17 new");
    expect(await seenRows(page)).toEqual(seen);
    await isNew.click();
    await untilLast(page, steps);
    await untilCount(isNew, 0);
    grow(5);
    await untilLast(page, steps);
    await expect.poll(distance, WAIT).toBeLessThan(10);

    run.close("completed", Date.now());
    store.close();
    for (const tab of [page, second]) {
      await untilText(tab.locator(".story-end"), `completed ${steps} calls`);
      await untilText(tab.locator(".run-actions .status"), "completed");
    }
  });

  test("says that its recorder is gone when that was killed", async () => {
    const { process: writer, id } = await growing(here.box, 902, 50, 10_000);
    const { page } = await here.open(`#/run/${id}`);
    await page.locator(".story-end").waitFor();
    await writer.write("go\n");
    await expect.poll(() => calls(page).count(), { timeout: 20_000 }).toBeGreaterThan(5);
    writer.signal("SIGKILL");
    await writer.exit();
    await untilText(page.locator(".run-actions .status"), "abandoned");
    await untilText(page.locator(".story-end"), "abandoned Its recorder ended without closing it");
    await page.goto(here.url("#/?q=status:abandoned"));
    await untilTexts(page.locator(".list-title"), ["A task that takes its time"]);
  });

  test("stays while it is read when it is deleted elsewhere, and can be restored", async () => {
    const watched = await here.open(`#/run/${here.run(ASKED)}`);
    await calls(watched.page).first().waitFor();
    const { page } = watched;
    const id = here.run(ASKED);
    const other = await here.tab(watched, "#/");
    const row = other.locator(`[data-run="${id}"]`);
    await row.locator(".list-title").focus();
    await press(other, "#");
    await untilCount(row, 0);
    await untilText(page.locator(".loss"), "This run was deleted.");
    await calls(page).filter({ hasText: "echo" }).first().click();
    await page.locator(".inspector .section-head").first().waitFor();
    await page.getByRole("button", { name: "Restore it" }).click();
    await untilCount(page.locator(".loss"), 0);
    await untilCount(row, 1);

    await page
      .getByRole("button", { name: /^Actions for/ })
      .first()
      .click();
    await page.getByRole("menuitem", { name: "Delete" }).click();
    await untilAt(page, "#/");
    await page.getByRole("button", { name: "Undo" }).click();
    await untilAt(page, /^#\/run\//);
    await untilText(page.locator("h1"), ASKED);
  });
});

/** A process whose run grows once it is told `go`. */
async function growing(
  box: Sandbox,
  n: number,
  rate: number,
  total: number,
): Promise<{ process: RunningProcess; id: string }> {
  const script = join(ROOT, "test/fakes/growing-run.ts");
  const process = box.start([BUN, script, storeOf(box), String(n), String(rate), String(total)]);
  return { process, id: (await process.stdout.untilText("\n")).trim() };
}

/** The calls in sight with where they stand. */
async function seenRows(page: Page): Promise<unknown[]> {
  return await page.locator(".story").evaluate((box) => {
    const { top, bottom } = box.getBoundingClientRect();
    return [...box.querySelectorAll(".call-row")].flatMap((row) => {
      const place = row.getBoundingClientRect();
      return place.bottom < top || place.top > bottom
        ? []
        : [[row.querySelector(".call-number")?.textContent, Math.round(place.top)]];
    });
  });
}
