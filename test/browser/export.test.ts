/** A saved run: downloaded, opened from the disk without a network, and it asks nobody for anything. */

import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { fileNeeds } from "../harness/requirement.ts";
import { keysTold, press, texts, untilAt, untilCount, untilText } from "./looking.ts";
import { BROWSER_NEED } from "./page-test.ts";
import { ASKED, recordSessions } from "./recordings.ts";
import type { WatchedPage } from "./watched-page.ts";
import { world } from "./world.ts";

describe.runIf(fileNeeds(...BROWSER_NEED))("a saved run", () => {
  const here = world(recordSessions);

  /** A file in a browser of its own that has no network; anything but the file itself is a misstep. */
  async function openFile(path: string): Promise<WatchedPage> {
    const watched = await here.stranger();
    await watched.context.setOffline(true);
    watched.page.on("request", (request) => {
      const { protocol } = new URL(request.url());
      if (!["file:", "data:", "blob:"].includes(protocol)) watched.missteps.push(`request to ${request.url()}`);
    });
    await watched.page.goto(pathToFileURL(path).href);
    await watched.page.locator(".story-end").waitFor();
    return watched;
  }

  async function useFile(page: Page): Promise<void> {
    await untilText(page.locator("h1"), ASKED);
    await untilText(page.locator(".saved-note"), /^Saved \d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.$/);
    expect(await texts(page.locator(".call-number"))).toEqual(Array.from({ length: 11 }, (_, n) => String(n + 1)));
    await press(page, "e");
    await untilText(page.locator('.call-row[aria-current="true"]'), "4 error Bash");
    await untilText(page.locator(".inspector"), "Tests: 41 passed, 1 failed");
    await press(page, "r");
    await untilText(page.locator(".inspector .lines"), '"tool": "Bash"');
    await press(page, "r", "Escape", "f");
    await page.keyboard.type("tool:echo");
    await untilCount(page.locator(".call-row"), 3);
    await untilAt(page, /filter=tool%3Aecho/);
    // What a file cannot do is not offered.
    await untilCount(page.getByRole("button", { name: /^Actions/ }), 0);
    await untilCount(page.locator("a.brand"), 0);
    await press(page, "Escape");
    expect(Object.keys(await keysTold(page))).not.toContain("Runs");
  }

  test("is downloaded, and works from the disk", async () => {
    const { page } = await here.open(`#/run/${here.run(ASKED)}`);
    await page.getByRole("button", { name: /^Actions for/ }).click();
    const download = page.waitForEvent("download");
    await page.getByRole("menuitem", { name: "Save as a web page" }).click();
    const file = await download;
    expect(file.suggestedFilename()).toMatch(/^[\w.-]+\.html$/);
    const path = join(here.box.directory, "downloaded.html");
    await file.saveAs(path);
    const saved = await openFile(path);
    await useFile(saved.page);
    const step = new URL(saved.page.url()).hash.replace(/&?filter=[^&]*/, "");
    await saved.page.goto(`${pathToFileURL(path).href}${step}`);
    await saved.page.reload();
    await untilText(saved.page.locator(".inspector"), "Tests: 41 passed, 1 failed");
  });

  test("is the same out of the terminal, and can send nothing even if it wanted to", async () => {
    const path = join(here.box.directory, "written.html");
    const { code } = await here.box.bir(["run", "export", here.run(ASKED), "--format", "html", "--output", path]);
    expect(code).toBe(0);
    const { page } = await openFile(path);
    await useFile(page);

    // With a network, and somebody who listens.
    let heard = 0;
    const listener = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response(String(++heard)) });
    const watched = await here.stranger();
    await watched.page.goto(pathToFileURL(path).href);
    await watched.page.locator(".story-end").waitFor();
    await watched.page.evaluate(async (url) => {
      const image = new Image();
      const isOver = new Promise((resolve) => {
        image.onerror = resolve;
        image.onload = resolve;
      });
      image.src = `${url}pixel.png`;
      navigator.sendBeacon(`${url}beacon`, "words");
      await fetch(url, { mode: "no-cors" }).catch(() => {});
      await isOver;
    }, listener.url.href);
    expect(await (await fetch(listener.url)).text()).toBe("1");
    await listener.stop(true);
    expect(watched.missteps.splice(0).filter((each) => /Content Security Policy/.test(each)).length).toBeGreaterThan(2);
  });

  test.each([
    ["Save as Markdown", /\.md$/],
    ["Save as NDJSON", /\.ndjson$/],
  ])("is also had otherwise: %s", async (item, name) => {
    const { page } = await here.open(`#/run/${here.run(ASKED)}`);
    await page.getByRole("button", { name: /^Actions for/ }).click();
    const download = page.waitForEvent("download");
    await page.getByRole("menuitem", { name: item }).click();
    expect((await download).suggestedFilename()).toMatch(name);
  });
});
