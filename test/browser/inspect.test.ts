import type { Browser } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { fileNeeds } from "../harness/requirement.ts";
import { startBrowser } from "./browser.ts";
import { inspectRun } from "./inspect-run.ts";
import { BROWSER_NEED } from "./page-test.ts";
import { MadeStore } from "./preview/made-store.ts";
import { type PreviewServer, servePreview } from "./preview/preview-server.ts";
import { axeFindings, openPage, type WatchedPage } from "./watched-page.ts";

/** The inspector by use, with the hardest payloads there are: what it shows, finds, copies, and how little of it is in the page. */

const MOST_ELEMENTS = 3000;

describe.runIf(fileNeeds(...BROWSER_NEED))("the inspector", () => {
  const store = new MadeStore();
  store.add(inspectRun());
  const steps = store.run("run_inspect")?.steps ?? [];
  let server: PreviewServer;
  let browser: Browser;
  let watched: WatchedPage;
  let failing = false;

  beforeAll(async () => {
    server = await servePreview(0, false);
    browser = await startBrowser();
  });

  afterAll(async () => {
    await browser?.close();
    await server?.stop();
  });

  beforeEach(async () => {
    failing = false;
    watched = await openPage(browser, { permissions: ["clipboard-read", "clipboard-write"] });
    await watched.page.route("**/api/runs/run_inspect**", async (route) => {
      const url = new URL(route.request().url());
      const [, , , , part = "", id = ""] = url.pathname.split("/").map(decodeURIComponent);
      const after = Number(url.searchParams.get("after") ?? 0);
      if (part === "") await route.fulfill({ json: store.item("run_inspect") });
      else if (part === "events") await route.fulfill({ json: store.events("run_inspect", after, 500) });
      else if (failing) await route.abort();
      else await route.fulfill({ json: steps.find((step) => step.id === id) });
    });
    return async () => {
      await watched.context.close();
    };
  });

  /** Opens one call by its tool, whole. */
  async function open(tool: string): Promise<void> {
    const step = steps.find((one) => one.tool.startsWith(tool));
    await watched.page.goto(`${server.origin}/?rich#/run/run_inspect?step=${encodeURIComponent(step?.id ?? "")}`);
    await watched.page.waitForSelector(".inspector .section-head");
    await watched.page.waitForFunction(
      () => document.querySelector(".inspector")?.textContent.includes("loading the rest") === false,
    );
  }

  const elements = () => watched.page.evaluate(() => document.querySelectorAll("*").length);
  const clipboard = () => watched.page.evaluate(() => navigator.clipboard.readText());
  const press = async (...keys: string[]) => {
    for (const key of keys) await watched.page.keyboard.press(key);
  };

  test.each(steps.map((step) => step.tool.slice(0, 12)))(
    "shows %s as text, in few elements, without a finding of axe",
    async (tool) => {
      await open(tool);
      expect(await elements()).toBeLessThan(MOST_ELEMENTS);
      for (const button of await watched.page.locator(".inspector .fold").all()) await button.click();
      expect(await elements()).toBeLessThan(MOST_ELEMENTS);
      expect(await axeFindings(watched.page)).toEqual([]);
      expect(
        await watched.page.evaluate(() => Reflect.get(globalThis, "hurt") ?? Reflect.get({}, "polluted")),
      ).toBeUndefined();
      expect(watched.missteps).toEqual([]);
    },
  );

  test("finds a value in 50,000, folded as it is, and goes there", async () => {
    await open("many_nodes");
    await press("i", "/");
    await watched.page.keyboard.type("row 7777");
    await watched.page.locator(".find-count", { hasText: "1 found" }).waitFor();
    await press("Enter");
    await watched.page.locator(".tree-row.hit", { hasText: 'name:"row 7777"' }).waitFor();
    expect(await watched.page.locator(".tree-path").first().textContent()).toBe("$[7777].name");
    await press("Escape");
    expect(await watched.page.locator(".find-bar").count()).toBe(0);
    expect(watched.missteps).toEqual([]);
  });

  test("moves in a tree by keys, and copies path, value and JSON", async () => {
    await open("json_in_json");
    await watched.page.locator("[role=tree]").first().focus();
    await press("1", "ArrowDown", "ArrowDown", "ArrowRight", "ArrowRight", "ArrowRight");
    expect(await watched.page.locator(".tree-path").first().textContent()).toBe('$["a key"]["b.c"][0]');
    await press("p");
    await expect.poll(clipboard).toBe('$["a key"]["b.c"][0]');
    await press("c");
    await expect.poll(clipboard).toBe("1");
    await press("Home", "ArrowDown", "C");
    await expect.poll(clipboard).toBe(JSON.stringify(JSON.stringify({ query: { match: { title: "bir" } }, size: 10 })));
    await press("ArrowRight", "ArrowDown");
    expect(await watched.page.locator(".tree-path").first().textContent()).toBe("$.body » $");
    await press("ArrowLeft", "ArrowLeft");
    expect(await watched.page.locator(".tree-path").first().textContent()).toBe("$.body");
  });

  test("opens everything of 50,000 values and goes to their end with few elements", async () => {
    await open("many_nodes");
    await watched.page.locator("[role=tree]").first().focus();
    await press("*", "End");
    await watched.page.locator(".tree-row.active", { hasText: "ok:false" }).waitFor();
    expect(await watched.page.locator(".tree-path").first().textContent()).toBe("$[12499].ok");
    expect(await elements()).toBeLessThan(MOST_ELEMENTS);
  });

  test("finds in a megabyte of lines, and unfolds to there", async () => {
    await open("long_text");
    await press("i", "/");
    await watched.page.keyboard.type("request 15555 ");
    await press("Enter");
    const mark = watched.page.locator("mark.here");
    await mark.waitFor();
    expect(await mark.textContent()).toBe("request 15555 ");
    const box = await mark.boundingBox();
    expect(box?.y).toBeGreaterThan(0);
    expect(box?.y).toBeLessThan(800);
    expect(await elements()).toBeLessThan(MOST_ELEMENTS);
  });

  test("leads nowhere but where a link says, and nowhere unsafe", async () => {
    await open("tool<script>");
    const links = await watched.page
      .locator(".inspector a")
      .evaluateAll((all) => all.map((link) => [link.getAttribute("href"), link.getAttribute("rel")]));
    expect(links).toEqual([["https://example.org/%E2%80%AEgnp", "noopener noreferrer"]]);
    expect(await watched.page.locator(".inspector").locator("img, script, iframe, object, video, audio").count()).toBe(
      0,
    );
  });

  test("shows JSON as recorded one key away, and back", async () => {
    await open("failing");
    await press("r");
    await watched.page.locator(".section-title", { hasText: "Raw JSON" }).waitFor();
    expect(await watched.page.locator(".lines").textContent()).toContain('"code": -32602');
    await press("r");
    await watched.page.locator(".section-title", { hasText: "Arguments" }).waitFor();
  });

  test("shows the beginning when the whole cannot be had, and tries again", async () => {
    failing = true;
    const step = steps.find((one) => one.tool === "query" || one.tool === "long_markdown");
    await watched.page.goto(`${server.origin}/?rich#/run/run_inspect?step=${step?.id ?? ""}`);
    await watched.page.locator(".inspector [role=alert]").waitFor();
    expect(await watched.page.locator(".brief-text").textContent()).toContain("What was done");
    failing = false;
    await watched.page.locator(".inspector [role=alert] button").click();
    await watched.page.locator(".inspector .pager").waitFor();
    expect(await watched.page.locator(".inspector [role=alert]").count()).toBe(0);
  });

  test.each(["dark", "light"] as const)("fits 360 px, %s", async (colorScheme) => {
    await watched.page.emulateMedia({ colorScheme });
    await watched.page.setViewportSize({ width: 360, height: 740 });
    for (const tool of ["Bash", "MultiEdit", "query"]) {
      await open(tool);
      const overflow = await watched.page.evaluate(() => {
        const pane = document.querySelector(".inspector-pane");
        return Math.max(
          document.documentElement.scrollWidth - window.innerWidth,
          (pane?.scrollWidth ?? 0) - (pane?.clientWidth ?? 0),
        );
      });
      expect(overflow).toBe(0);
      expect(await axeFindings(watched.page)).toEqual([]);
    }
  });
});
