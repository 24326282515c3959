/**
 * Makes the images of the page in docs/images: `bun docs/screenshots.ts`, after `bun run build`. The runs in them are made up and
 * their times are fixed, and so is the page's clock, so that an image changes only where the page does.
 */

import { mkdirSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { startBrowser } from "../test/browser/browser.ts";
import type { RunScript } from "../test/browser/preview/run-script.ts";
import { againRun } from "../test/browser/preview/runs/again.ts";
import { smallRun } from "../test/browser/preview/runs/many.ts";
import { richRun } from "../test/browser/preview/runs/rich.ts";
import { Service } from "../test/browser/service.ts";
import { writeRuns } from "../test/browser/written-runs.ts";
import { ROOT } from "../test/harness/locations.ts";
import { Sandbox } from "../test/harness/sandbox.ts";

const NOW = Date.parse("2026-11-30T14:20:00Z");
const MOST_BYTES = 250_000;
const SIZES = [
  { width: 1440, height: 900 },
  { width: 390, height: 844 },
] as const;

interface View {
  name: string;
  place: string;
  /** Waits until it is all there. */
  arrive: (page: Page) => Promise<unknown>;
  colorScheme?: "dark";
}

const VIEWS: View[] = [
  { name: "list", place: "#/", arrive: arriveAtList },
  { name: "run", place: "#/run/run_rich", arrive: arriveAtRun },
  { name: "run-dark", place: "#/run/run_rich", arrive: arriveAtRun, colorScheme: "dark" },
  {
    name: "inspector",
    place: "#/run/run_rich?step=run_rich-step-16",
    arrive: async (page) => {
      await page.locator(".inspector .section-head").first().waitFor();
      await page.getByText("loading the rest").waitFor({ state: "detached" });
    },
  },
  {
    name: "compare",
    place: "#/compare/run_rich/run_again",
    arrive: async (page) => {
      await page.locator(".compare-call").first().waitFor();
      await page.getByText("Reading…").waitFor({ state: "detached" });
    },
  },
];

/** Errors and names of hosts come with the search index. */
async function arriveAtList(page: Page): Promise<void> {
  await page.locator(".mark-error").first().waitFor();
  await page.locator(".chip", { hasText: "cursor" }).waitFor();
}

async function arriveAtRun(page: Page): Promise<void> {
  await page.locator(".call-row").first().waitFor();
  await page.locator(".axis-canvas").waitFor();
}

async function shoot(browser: Browser, service: Service): Promise<void> {
  const directory = join(ROOT, "docs", "images");
  mkdirSync(directory, { recursive: true });
  const signIn = await browser.newContext();
  const first = await signIn.newPage();
  await first.goto(await service.link());
  await first.locator(".list-run").first().waitFor();
  const storageState = await signIn.storageState();
  for (const viewport of SIZES) {
    for (const { name, place, arrive, colorScheme = "light" } of VIEWS) {
      if (colorScheme === "dark" && viewport !== SIZES[0]) continue;
      const context = await browser.newContext({
        storageState,
        viewport,
        colorScheme,
        reducedMotion: "reduce",
        locale: "en-GB",
        timezoneId: "UTC",
      });
      const page = await context.newPage();
      await page.clock.setFixedTime(NOW);
      await page.goto(`${service.url}/${place}`);
      await arrive(page);
      await page.evaluate(() => document.fonts.ready);
      const path = join(directory, `${name}-${viewport.width}.png`);
      await page.screenshot({ path, animations: "disabled", caret: "hide" });
      const { size } = statSync(path);
      if (size > MOST_BYTES) throw new Error(`${path} has ${size} bytes, more than ${MOST_BYTES}`);
      process.stdout.write(`${path.slice(ROOT.length + 1)} ${Math.round(size / 1000)} kB\n`);
      await context.close();
    }
  }
}

function runs(): RunScript[] {
  const older = Array.from({ length: 60 }, (_, n) => smallRun(n, NOW - 2_400_000));
  return [...older, againRun(NOW - 86_400_000), richRun(NOW - 600_000)];
}

const box = new Sandbox();
const browser = await startBrowser();
try {
  const { code } = await box.bir(["up"]);
  if (code !== 0) throw new Error("no control server; is the executable built?");
  writeRuns(join(box.birHome, "recordings.db"), runs());
  const service = await Service.start(box);
  await shoot(browser, service);
  await service.stop();
} finally {
  await browser.close();
  await box.bir(["down"]);
  await box.dispose(true);
}
