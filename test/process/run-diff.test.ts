import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect } from "vitest";
import { comparisonSchema } from "../../src/core/api/service.ts";
import { exportLineSchema } from "../../src/core/schema/answers.ts";
import { BROWSER_NEED, browser, endBrowser } from "../browser/page-test.ts";
import { axeFindings, openPage } from "../browser/watched-page.ts";
import { test } from "../harness/process-test.ts";
import { needs } from "../harness/requirement.ts";
import type { Sandbox } from "../harness/sandbox.ts";
import { eventfulRun, RUN_A, RUN_B, RunWriter, record, T0, text } from "../unit/cli-fixture.ts";

/** What the executable makes of two runs, and of one that is handed on. */

const HOSTILE = [
  "<script>window.harmed=1</script>",
  "</script><script>window.harmed=2</script><!-- <script>",
  '<img src=x onerror="window.harmed=3"> ]]> &amp; \u2028\u2029 \ud800 \u0000 \u001b[31m \u202e',
].join("\n");

function hostileRun(): RunWriter {
  const run = new RunWriter(RUN_B, T0 + 60_000, { wrappedServers: ["files"] });
  run.update({ input: HOSTILE });
  run.wait(10).call("echo", JSON.stringify({ [HOSTILE]: HOSTILE, n: 1 }), text(HOSTILE), 12);
  run.update({ finalAnswer: HOSTILE });
  return run.wait(200).end();
}

function prepare(box: Sandbox): void {
  record(box.birHome, eventfulRun(), hostileRun());
}

afterAll(endBrowser);

describe("bir run diff", () => {
  test("tells two runs apart, and exits with 1 only when that was asked for", async ({ box }) => {
    prepare(box);
    const plain = await box.bir(["run", "diff", RUN_A, RUN_B]);
    expect(plain).toMatchObject({ code: 0, stderr: "" });
    expect(plain.stdout).toContain("only in A");
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
    expect(plain.stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u202e\u2028]/);
    expect((await box.bir(["run", "diff", RUN_A, RUN_B, "--exit-code"])).code).toBe(1);
    expect((await box.bir(["run", "diff", "latest", RUN_B, "--exit-code"])).code).toBe(0);
    const { stdout } = await box.bir(["run", "diff", RUN_A, RUN_B, "--json"]);
    expect(comparisonSchema.parse(JSON.parse(stdout))).toMatchObject({ sameInput: false });
  });
});

describe("bir run export --format html", () => {
  test("writes one private file, and says what is in it", async ({ box }) => {
    prepare(box);
    const { code, stderr } = await box.bir(["run", "export", RUN_B, "--output", "run.html"]);
    expect(code).toBe(0);
    expect(stderr).toMatch(/^Wrote run\.html \(.*\)\.\nIt holds the whole run/);
    const path = join(box.cwd, "run.html");
    if (process.platform !== "win32") expect(statSync(path).mode & 0o777).toBe(0o600);
    const html = readFileSync(path, "utf8");
    expect(html.match(/<script/g)).toHaveLength(2);
    const lines = await box.bir(["run", "export", RUN_B]);
    expect(
      lines.stdout
        .trimEnd()
        .split("\n")
        .map((line) => exportLineSchema.parse(JSON.parse(line)).type),
    ).toContain("step");
  });

  test("shows the run by itself, with the network off", async ({ box, task }) => {
    needs(task.context, ...BROWSER_NEED);
    prepare(box);
    await box.bir(["run", "export", RUN_B, "--output", "run.html"]);
    const { page, context, missteps } = await openPage(await browser(), { offline: true });
    await page.goto(`file://${join(box.cwd, "run.html")}`);
    await page.getByRole("heading", { level: 1 }).waitFor();
    await page.getByText("echo", { exact: true }).first().waitFor();
    expect(await page.title()).toContain("<script>window.harmed=1</script>");
    expect(await page.evaluate(() => (window as { harmed?: number }).harmed ?? null)).toBeNull();
    const carried = await page.evaluate(() => document.getElementById("carried-run")?.textContent ?? "");
    expect(JSON.parse(carried)).toMatchObject({ run: { id: RUN_B, input: HOSTILE, finalAnswer: HOSTILE } });
    // Its policy holds: nothing can be sent, and no script added.
    const refused = await page.evaluate(async () => {
      const script = document.createElement("script");
      script.textContent = "window.harmed = 4";
      document.body.append(script);
      const sent = await fetch("http://127.0.0.1:9/").then(
        () => "sent",
        () => "refused",
      );
      return [sent, (window as { harmed?: number }).harmed ?? null];
    });
    expect(refused).toEqual(["refused", null]);
    expect(await axeFindings(page)).toEqual([]);
    await context.close();
    expect(missteps.filter((line) => !/Content Security Policy|Refused to|127\.0\.0\.1:9/.test(line))).toEqual([]);
  });
});
