/** A run's story, its time axis and the inspector, by use: recorded and written runs. */

import { join } from "node:path";
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
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
import { richRun } from "./preview/runs/rich.ts";
import { ASKED, HOSTILE, PROMPT, recordSessions } from "./recordings.ts";
import { world } from "./world.ts";
import { writeRuns } from "./written-runs.ts";

const RICH = "#/run/run_rich";

async function fill(box: Sandbox): Promise<void> {
  await box.bir(["up"]);
  writeRuns(storeOf(box), [richRun(Date.now() - 3_600_000)]);
  await recordSessions(box);
}

function storeOf(box: Sandbox): string {
  return join(box.birHome, "recordings.db");
}

describe.runIf(fileNeeds(...BROWSER_NEED))("a run", () => {
  const here = world(fill);
  const calls = (page: Page) => page.locator(".call-row");
  const current = (page: Page) => page.locator('.story [aria-current="true"]');
  const inspector = (page: Page) => page.locator(".inspector");
  const title = (page: Page) => page.locator(".inspector-title");
  const filter = (page: Page) => page.getByRole("searchbox", { name: "Filter the calls of this run" });
  const axis = (page: Page) => page.locator(".axis-canvas");
  /** What the axis shows once it has come to rest. */
  const painted = (page: Page) =>
    axis(page).evaluate(async (element) => {
      const canvas = element as HTMLCanvasElement;
      for (let [before, same] = ["", 0]; ; ) {
        await new Promise((resolve) => requestAnimationFrame(resolve));
        const now = canvas.toDataURL();
        same = now === before ? same + 1 : 0;
        before = now;
        if (same === 5) return now;
      }
    });

  async function at(place: string, options = {}) {
    const watched = await here.open(place, options);
    await watched.page.locator(".story [data-part]").first().waitFor();
    return watched;
  }

  const first = () => `#/run/${here.run(ASKED)}`;

  /** Opens the detail of the call that a text is in; whole. */
  async function inspect(page: Page, call: string): Promise<void> {
    await calls(page).filter({ hasText: call }).first().click();
    await inspector(page).locator(".section-head").first().waitFor();
    await untilCount(inspector(page).getByText("loading the rest"), 0);
  }

  test("tells what was asked, what was called, by whom, how that ended, and the answer", async () => {
    const { page } = await at(first(), { viewport: { width: 1280, height: 1400 } });
    await untilText(page.locator("h1"), ASKED);
    const about = await text(page.locator(".run-facts"));
    expect(about).toMatch(
      /^claude-code 2\.1\.332 \/\S+\/project \d{4}-\d\d-\d\d \d\d:\d\d:\d\d \([^)]+\) · [\d.]+ m?s 1 subagent servers everything, fake from MCP traffic, hooks run_\w+/,
    );
    await untilText(page.locator(".story-prose.prompt"), `Prompt ${PROMPT.replace("\n", " ")}`);
    const told = (await texts(page.locator(".story > div > [data-row]"))).map((row) =>
      row.replace(/ <?[\d.]+ m?s\b/g, " T"),
    );
    expect(told.slice(1, -2)).toEqual([
      "1 ok Read /home/dev/parser.ts T",
      "2 ok everything › echo hello from the agent T",
      "3 ok everything › get-sum a: 2 b: 40 T",
      "4 error Bash npm test T Exit code 1",
      '5 ok Edit /home/dev/parser.ts old_string: "if (!text) throw" new_string: "if (text === null) throw" T',
      expect.stringMatching(/^6 ok Agent Look for other calle .* T subagent: 2 calls · T$/),
      "7 ok Grep parse\\( T",
      "8 ok fake › echo from the subagent T",
      "9 ok fake › structured T",
      "10 ok fake › image T",
      "11 error fake › fail no such table T no such table",
    ]);
    expect(told.at(-2)).toBe("Answer Fixed: parse() rejected empty input. added a test ran all of them");
    expect(told.at(-1)).toBe("completed 11 calls in T.");
    const inner = await page.locator(".call-row", { hasText: "from the subagent" }).boundingBox();
    const outer = await page.locator(".call-row", { hasText: "structured" }).boundingBox();
    expect((await calls(page).filter({ hasText: "Grep" }).locator(".call-number").boundingBox())?.x).toBeGreaterThan(
      ((await calls(page).filter({ hasText: "structured" }).locator(".call-number").boundingBox())?.x ?? 0) + 10,
    );
    expect((inner?.y ?? 0) < (outer?.y ?? 0)).toBe(true);
    await page.locator(".call-agents").click();
    await untilCount(calls(page).filter({ hasText: "Grep" }), 0);
    await page.locator(".call-agents").click();
    await untilCount(calls(page).filter({ hasText: "Grep" }), 1);
  });

  test("is opened where the words of a note stand that were searched for", async () => {
    const { page } = await here.open("#/?q=named+changed+Tuesday");
    const hit = page.locator("a.hit");
    await untilText(hit, /^note The failing test is named\./);
    await hit.click();
    await untilAt(page, /^#\/run\/run_rich\?step=note-\d+$/);
    await untilText(current(page), "I look at what changed since Tuesday");
  });

  test("tells of usage, losses, notes and every way a call can end", async () => {
    const { page } = await at(RICH, { viewport: { width: 1280, height: 2200 } });
    await untilText(
      page.locator(".run-facts"),
      " 352,362 tokens in (312,040 of them cached), 4,120 out 6 more calls came from the host's own hooks; they are counted only",
    );
    await untilText(page.locator(".loss"), /^This record is incomplete: 1 gap, 4 lost/);
    await untilText(page.locator(".story-gap"), /^3 lost here: ./);
    expect(new Set(await texts(page.locator(".call-row .status")))).toEqual(
      new Set(["ok", "error", "denied", "lost", "cancelled"]),
    );
    expect(new Set(await texts(page.locator(".story-note .story-label")))).toEqual(
      new Set(["thought", "plan", "said", "permission", "compacted", "interrupted", "warning"]),
    );
    expect(await texts(page.locator(".call-marks .badge"))).toEqual(
      expect.arrayContaining(["cut", "3 rounds", "6.1 s waiting", "14 reports", "guess"]),
    );
  });

  test("moves list, axis, inspector and address together, by mouse and by key", async () => {
    const { page } = await at(first());
    const plain = await painted(page);
    await calls(page).filter({ hasText: "get-sum" }).click();
    await untilAt(page, /\?step=step_\w+$/);
    await untilText(current(page), "get-sum");
    await untilText(title(page), /everything ?› ?get-sum/);
    await expect.poll(() => painted(page)).not.toBe(plain);
    const [asked, shown] = [fragment(page), await painted(page)];

    await press(page, "j");
    await untilText(current(page), "4 error Bash");
    await untilText(title(page), "Bash");
    await untilFocused(page, '.call-row[aria-current="true"]');
    await expect.poll(() => painted(page)).not.toBe(shown);
    await press(page, "k");
    await untilAt(page, asked);
    await expect.poll(() => painted(page)).toBe(shown);

    const box = await axis(page).boundingBox();
    if (box === null) throw new Error("no axis");
    const hover = page.locator(".axis-hover");
    const underPointer = async (x: number) => {
      await page.mouse.move(box.x + x, box.y + 32);
      await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(resolve)));
      return (await hover.count()) > 0 ? await text(hover) : "";
    };
    // How wide a call is depends on how long it took: what is too narrow for the first round is met in a later one.
    const steps = Array.from({ length: Math.floor(box.width / 12) }, (_, n) => 12 * n);
    const places = [0, 6, 3, 9].flatMap((from) => steps.map((x) => from + x));
    let under = "";
    while (places.length > 0 && !under.startsWith("6 Agent")) under = await underPointer(places.shift() ?? 0);
    expect(under).toMatch(/^6 Agent/);
    await page.mouse.down();
    await page.mouse.up();
    await untilText(current(page), "6 ok Agent");
    await untilText(title(page), "Agent");
    expect(await text(page.locator(".axis-canvas")).catch(() => "")).toBe("");
    expect(await axis(page).getAttribute("aria-label")).toMatch(
      /^Time axis: 11 calls over [\d.]+ m?s, 2 errors(, \d+ slow)?, 1 subagent\.$/,
    );
  });

  test("does with each key what its help says", async () => {
    const { page } = await at(first());
    const told = await keysTold(page);
    expect(told.Run).toEqual([
      "j ↓: Next row",
      "k ↑: Previous row",
      "Enter o: Open the detail",
      "Esc: Close the detail; then leave the selection, the filter",
      "g Home: First row",
      "G End: Last row",
      "e: Next error",
      "E: Previous error",
      "]: Next call of the same tool",
      "[: Previous call of the same tool",
      "f /: Filter",
      "n: Next match of the filter, or error",
      "N: Previous match of the filter, or error",
      "c: Fold a subagent's work away, or back",
      "+ =: Zoom in on the time axis",
      "-: Zoom out of the time axis",
      "0: The whole run on the time axis",
      "F: Follow what is new",
      "r: Raw JSON",
    ]);
    const on = (name: string) => untilText(current(page), name);
    // A key that comes within milliseconds of the one that closed the help may still be the help's.
    await expect
      .poll(async () => {
        await press(page, "g");
        return await current(page).allInnerTexts();
      })
      .toEqual([expect.stringContaining("Prompt")]);
    await press(page, "j", "ArrowDown");
    await on("2 ok everything › echo");
    await press(page, "k", "ArrowUp");
    await on("Prompt");
    await press(page, "G");
    await on("Answer");
    await press(page, "Home");
    await on("Prompt");
    await press(page, "End");
    await on("Answer");
    await press(page, "e");
    await on("4 error Bash");
    await press(page, "e");
    await on("11 error fake › fail");
    await press(page, "E");
    await on("4 error Bash");
    await press(page, "n");
    await on("11 error fake › fail");
    await press(page, "N");
    await on("4 error Bash");
    await press(page, "Escape");
    await untilCount(inspector(page), 0);
    await press(page, "o");
    await untilText(title(page), "Bash");
    await press(page, "j", "j", "c");
    await untilCount(calls(page).filter({ hasText: "Grep" }), 0);
    await press(page, "c");
    await untilCount(calls(page).filter({ hasText: "Grep" }), 1);
    await press(page, "j", "c");
    await on("6 ok Agent");
    await untilCount(calls(page).filter({ hasText: "Grep" }), 0);
    await press(page, "c", "f");
    await untilFocused(page, "input[type=search]");
    await page.keyboard.type("tool:echo");
    await untilTexts(calls(page).locator(".call-number"), ["2", "6", "8"]);
    await press(page, "Escape", "n");
    await on("8 ok fake › echo");
    await press(page, "n");
    await on("2 ok everything › echo");
    await press(page, "N");
    await on("8 ok fake › echo");
    await press(page, "]");
    await on("8 ok fake › echo");
    await press(page, "/");
    await untilFocused(page, "input[type=search]");
    await page.keyboard.press("Escape");
    await press(page, "Escape", "Escape", "Escape");
    await untilAt(page, first());
    expect(await filter(page).inputValue()).toBe("");

    const whole = page.getByRole("button", { name: "whole run" });
    const plain = await painted(page);
    await press(page, "+", "=");
    await expect.poll(() => painted(page)).not.toBe(plain);
    await press(page, "-");
    expect(await whole.isEnabled()).toBe(true);
    await press(page, "0");
    await expect.poll(() => painted(page)).toBe(plain);
    await press(page, "r");
    await untilText(page.locator(".raw-run"), "The run as JSON");
    await untilAt(page, `${first()}?raw`);
    await press(page, "r");
    await untilCount(page.locator(".raw-run"), 0);
  });

  test("goes between calls of one tool", async () => {
    const { page } = await at(RICH);
    await filter(page).fill("part-1");
    await calls(page).filter({ hasText: "part-1" }).click();
    // What is selected stays in sight as the others come back.
    await filter(page).fill("");
    await untilText(current(page), "part-1");
    await press(page, "Escape");
    for (const [key, path] of [
      ["]", "part-2"],
      ["]", "part-3"],
      ["[", "part-2"],
    ] as const) {
      await press(page, key);
      await untilText(current(page), path);
    }
  });

  test("narrows down to what a filter finds, in words, and goes from one to the next", async () => {
    const { page } = await at(first());
    await filter(page).fill("echo");
    await untilText(page.locator(".filter-count"), "found");
    await untilTexts(calls(page).locator(".call-number"), ["2", "6", "8"]);
    await untilAt(page, `${first()}?filter=echo`);
    expect(await texts(calls(page).locator("mark"))).toContain("echo");
    await filter(page).press("Enter");
    await untilText(page.locator(".filter-count"), "1 of 2 found");
    await page.getByRole("button", { name: "Next match" }).click();
    await untilText(page.locator(".filter-count"), "2 of 2 found");
    await untilText(current(page), "8 ok fake › echo");
    await filter(page).fill("nothing like it");
    await untilText(page.locator(".filter-count"), "none of 11 calls");
    await page.getByRole("button", { name: "2 errors" }).click();
    await filter(page).fill("");
    await page.getByRole("button", { name: "2 errors" }).click();
    await untilTexts(calls(page).locator(".call-number"), ["4", "11"]);
    expect(await filter(page).inputValue()).toBe("is:error");
  });

  test("says what of a filter it does not understand, and takes it back", async () => {
    const { page } = await at(first());
    await filter(page).fill("is:broken echo");
    await untilText(page.locator(".filter-issues"), /^is:broken is left out: is: takes one of error, denied, /);
    await untilTexts(calls(page).locator(".call-number"), ["2", "6", "8"]);
    await filter(page).fill("foo:bar");
    await untilText(page.locator(".story-empty"), /^No matching calls foo: is not a key of this filter/);
    await page.getByRole("button", { name: "Clear filter" }).click();
    await untilAt(page, first());
    const tools = page.locator(".run-tools");
    await tools.getByRole("button", { name: /more tools?$/ }).click();
    await tools.getByRole("button", { name: "fake › structured" }).click();
    expect(await filter(page).inputValue()).toBe("server:fake tool:structured");
    await untilTexts(calls(page).locator(".call-number"), ["9"]);
  });

  test("shows what a link leads to well inside the list, and keeps it there as the list changes its height", async () => {
    const whole = await at(RICH, { viewport: { width: 1280, height: 2600 } });
    const keys = await calls(whole.page).evaluateAll((rows) => rows.map((row) => row.getAttribute("data-part")));
    await whole.page.close();
    for (const key of [keys[Math.floor(keys.length / 2)], keys[keys.length - 4]]) {
      const { page } = await at(`${RICH}?step=${key}`, { viewport: { width: 1280, height: 660 } });
      await page.locator(`.story [data-part="${key}"]`).waitFor();
      const isInside = () =>
        page.evaluate((part) => {
          const box = document.querySelector(".story")?.getBoundingClientRect();
          const row = document.querySelector(`.story [data-part="${part}"]`)?.getBoundingClientRect();
          return box !== undefined && row !== undefined && row.top >= box.top && row.bottom <= box.bottom;
        }, key);
      await expect.poll(isInside).toBe(true);
      await page.setViewportSize({ width: 1280, height: 600 });
      await expect.poll(() => page.evaluate(() => innerHeight)).toBe(600);
      await expect.poll(isInside).toBe(true);
      await page.close();
    }
  });

  test("opens a link to a call in a second tab, and one to a call that is not there", async () => {
    const watched = await at(first(), { permissions: ["clipboard-read", "clipboard-write"] });
    await inspect(watched.page, "structured");
    await inspector(watched.page).getByRole("button", { name: "Copy link" }).click();
    await untilText(watched.page.locator(".toast"), "Copied the link.");
    const link = await watched.page.evaluate(() => navigator.clipboard.readText());
    expect(new URL(link).hash).toBe(fragment(watched.page));
    const second = await here.tab(watched, new URL(link).hash);
    await untilText(current(second), "fake › structured");
    await untilText(title(second), /fake ?› ?structured/);
    const third = await here.tab(watched, `${first()}?step=step_none`);
    await untilText(third.locator(".detail-missing"), "is not in this run");
  });

  test("shows payloads as what they are: a diff, a terminal, an image by its fingerprint, what was cut", async () => {
    const { page } = await at(RICH, { viewport: { width: 1280, height: 1600 } });
    await inspect(page, "parseForecast");
    await untilText(
      inspector(page).locator(".lines.diff").first(),
      "export function parseForecast(text: string): Forecast {",
    );
    expect((await texts(inspector(page).locator(".diff .line-sign .visually-hidden"))).length).toBeGreaterThan(3);

    await inspect(page, "bun test forecast");
    await untilText(inspector(page).locator(".shell"), "$ bun test forecast 2>&1 | tail -40");
    const terminal = inspector(page).locator(".lines").filter({ hasText: "AssertionError" }).first();
    await untilText(terminal, "AssertionError: expected 13, got 12");
    await untilText(terminal, "progress 100%");
    expect(await text(terminal)).not.toMatch(/\\x1b|\[31m|progress 10%/);
    const red = await terminal
      .getByText("AssertionError")
      .first()
      .evaluate((word) => getComputedStyle(word).color);
    expect(red).not.toBe(await terminal.evaluate((box) => getComputedStyle(box).color));

    await inspect(page, "docs/chart.png");
    await untilText(
      inspector(page).locator(".media").first(),
      /^image .*image\/png, 4\d\d(\.\d)? k?K?i?B · sha256 ab12cd34ef56ab12… The bytes were not kept; nothing is loaded\.$/,
    );
    expect(await page.locator("img, audio, video, iframe").count()).toBe(0);

    await inspect(page, "/var/log/weather.log");
    await untilText(
      inspector(page).locator(".notice.warn").last(),
      /^18(\.\d+)? M\w*B in all; only the beginning and the end were kept\.$/,
    );

    await page.goto(here.url(`#/run/${here.run("<script>")}`));
    await inspect(page, "bytes: 1000000");
    await untilText(inspector(page), /in all; only the beginning and the end were kept/);
  });

  test("folds, finds and copies in the inspector, and shows the recorded JSON", async () => {
    const { page } = await at(first(), { permissions: ["clipboard-read", "clipboard-write"] });
    const copied = async (what: string) => {
      await untilText(page.locator(".toast-text").last(), what);
      return await page.evaluate(() => navigator.clipboard.readText());
    };
    await inspect(page, "get-sum");
    const args = inspector(page).locator(".inspect-section", { has: page.getByRole("button", { name: "Arguments" }) });
    await args.getByRole("button", { name: "Tree" }).click();
    const tree = args.getByRole("tree", { name: "Arguments" });
    await tree.focus();
    await press(page, "ArrowDown", "c");
    expect(await copied("Copied")).toBe("2");
    await press(page, "p");
    await expect.poll(() => copied("path")).toBe("$.a");
    await press(page, "Home", "C");
    await expect.poll(async () => JSON.parse(await copied("JSON"))).toEqual({ a: 2, b: 40 });
    await press(page, "ArrowLeft");
    await untilCount(tree.getByRole("treeitem"), 1);
    await press(page, "ArrowRight");
    await untilCount(tree.getByRole("treeitem"), 3);
    await args.getByRole("button", { name: "Arguments", exact: true }).click();
    await untilCount(args.getByRole("tree"), 0);
    await args.getByRole("button", { name: "Arguments", exact: true }).click();

    await press(page, "i");
    await untilFocused(page, ".inspector-pane");
    await press(page, "/");
    await page.keyboard.type("sum");
    await untilText(page.locator(".find-bar"), /\d+ found|1 of \d+/);
    await press(page, "Enter");
    await untilCount(inspector(page).locator("mark.here, .tree-row.hit").first(), 1);
    await press(page, "Escape");
    await untilCount(page.locator(".find-bar"), 0);
    await press(page, "r");
    const raw = inspector(page).locator(".lines");
    await untilText(raw, '"tool": "get-sum"');
    await inspector(page).getByRole("button", { name: "Copy the JSON" }).click();
    expect(JSON.parse(await copied("Copied the JSON."))).toMatchObject({
      server: "everything",
      tool: "get-sum",
      args: { a: 2, b: 40 },
    });
    await untilAt(page, /&raw$/);
    await press(page, "r");
    await untilCount(inspector(page).getByRole("button", { name: "Copy the JSON" }), 0);
    expect(HOSTILE).toBeTruthy();
  });
});
