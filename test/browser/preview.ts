import { parseArgs } from "node:util";
import { startBrowser } from "./browser.ts";
import { WORLDS } from "./preview/made-service.ts";
import { type PreviewServer, servePreview } from "./preview/preview-server.ts";

/**
 * Shows the page with made-up runs, without anything being recorded.
 *
 *     bun test/browser/preview.ts [--port 7400]            serves it; Ctrl-C ends it; reload the page to have it bundled anew
 *     bun test/browser/preview.ts --shot '#/run/run_rich' --size 1440x900 --theme dark --out /tmp/x.png
 *         [--world many] [--keys 'j j Enter'] [--click 'css'] [--type 'text'] [--wait 500] [--axe] [--motion reduce] [--colors forced]
 *
 * Runs: run_rich, run_hostile, run_live (grows), run_fast (500 calls a second while watched), run_5000, run_00000 ….
 * Worlds (also `/?many` in the address): rich, many, empty, signed-out, down, indexing.
 */

const { values } = parseArgs({
  options: {
    port: { type: "string", default: "0" },
    shot: { type: "string" },
    size: { type: "string", default: "1440x900" },
    theme: { type: "string", default: "light" },
    out: { type: "string", default: "/tmp/preview.png" },
    world: { type: "string", default: "rich" },
    keys: { type: "string" },
    click: { type: "string" },
    type: { type: "string" },
    wait: { type: "string", default: "400" },
    zoom: { type: "string", default: "1" },
    motion: { type: "string" },
    colors: { type: "string" },
    axe: { type: "boolean", default: false },
  },
});

async function shoot(server: PreviewServer, fragment: string): Promise<void> {
  const [width = 1440, height = 900] = values.size.split("x").map(Number);
  const browser = await startBrowser();
  try {
    const context = await browser.newContext({
      viewport: { width, height },
      deviceScaleFactor: Number(values.zoom),
      colorScheme: values.theme === "dark" ? "dark" : "light",
      reducedMotion: values.motion === "reduce" ? "reduce" : "no-preference",
      forcedColors: values.colors === "forced" ? "active" : "none",
    });
    const page = await context.newPage();
    page.on("console", (message) => console.log(`console ${message.type()}: ${message.text()}`));
    page.on("pageerror", (fault) => console.log(`page error: ${fault.stack}`));
    const world = WORLDS.find((one) => one === values.world) ?? "rich";
    await page.goto(`${server.origin}/?${world}${fragment}`);
    await page.waitForTimeout(Number(values.wait));
    if (values.click !== undefined) await page.click(values.click, { timeout: 2000 });
    for (const key of (values.keys ?? "").split(" ").filter((one) => one !== "")) await page.keyboard.press(key);
    if (values.type !== undefined) await page.keyboard.type(values.type, { delay: 20 });
    if (values.click !== undefined || values.keys !== undefined || values.type !== undefined) {
      await page.waitForTimeout(Number(values.wait));
    }
    await page.screenshot({ path: values.out });
    const facts = await page.evaluate(() => ({
      nodes: document.querySelectorAll("*").length,
      overflowsPx: document.documentElement.scrollWidth - window.innerWidth,
      hurt: (globalThis as { hurt?: unknown }).hurt ?? null,
      title: document.title,
      address: location.hash,
    }));
    console.log(JSON.stringify(facts), values.out);
    if (values.axe) {
      // Not as a <script>: the page's policy would refuse what is not its own.
      await page.evaluate(await (await fetch(`${server.origin}/axe.js`)).text());
      const violations = await page.evaluate(async () => {
        const { axe } = globalThis as unknown as {
          axe: {
            run: () => Promise<{
              violations: { id: string; help: string; nodes: { html: string; failureSummary: string }[] }[];
            }>;
          };
        };
        return (await axe.run()).violations;
      });
      for (const { id, help, nodes } of violations) {
        console.log(`axe ${id}: ${help}`);
        for (const node of nodes.slice(0, 4)) console.log(`  ${node.html.slice(0, 200)}\n  ${node.failureSummary}`);
      }
      console.log(`axe: ${violations.length} violations`);
    }
  } finally {
    await browser.close();
  }
}

const server = await servePreview(Number(values.port), values.shot === undefined);
const kib = (bytes: number) => `${(bytes / 1024).toFixed(1)} KiB`;
console.log(`script ${kib(server.page.scriptGzipBytes)} gzip of 150, style ${kib(server.page.styleGzipBytes)} gzip`);
if (values.shot === undefined) console.log(`${server.origin}/`);
else {
  await shoot(server, values.shot);
  await server.stop();
}
