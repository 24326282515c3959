import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { buildDriver, canBuildDriver, type Programs } from "../../bench/build-driver.ts";
import { fileNeeds } from "../harness/requirement.ts";

/** The benchmark's driver must notice a changed and a missing answer, or its figures would prove nothing. */

interface Line {
  subject: string;
  round?: number;
  values?: Record<string, number>;
  summary?: { calls: number; failures: number; reason: string; compared: number; changed: number };
}

const canRun = fileNeeds(canBuildDriver(), "the benchmark's driver needs Linux and a C compiler named cc");

describe.runIf(canRun)("the benchmark's driver", () => {
  let directory: string;
  let programs: Programs;

  beforeAll(() => {
    directory = mkdtempSync(join(tmpdir(), "bench-driver-"));
    programs = buildDriver(join(directory, "build"));
  });

  afterAll(() => rmSync(directory, { recursive: true, force: true }));

  /** Runs a plan on the echo server alone and with `filter` between it and the driver. */
  async function run(plan: string[], filter: string): Promise<Line[]> {
    const path = join(directory, "plan");
    const direct = ["subject direct", `arg ${programs.echo}`];
    const filtered = [
      "subject filtered",
      "arg /bin/sh",
      "arg -c",
      `arg "$ECHO" | ${filter}`,
      `env ECHO=${programs.echo}`,
    ];
    writeFileSync(path, [...plan, ...direct, ...filtered, ""].join("\n"));
    const driver = Bun.spawn([programs.driver, path], { stdin: "ignore", stdout: "pipe", stderr: "pipe" });
    const [output, errors, status] = await Promise.all([
      new Response(driver.stdout).text(),
      new Response(driver.stderr).text(),
      driver.exited,
    ]);
    expect({ errors, status }).toEqual({ errors: "", status: 0 });
    return output
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Line);
  }

  const summaryOf = (lines: Line[], subject: string) => lines.find((line) => line.subject === subject && line.summary);
  const samplesOf = (lines: Line[], subject: string) => lines.filter((line) => line.subject === subject && line.values);

  test("measures every round and finds equal answers equal", async () => {
    const plan = ["figure sequential", "rounds 2", "calls 20", "warmup 5", "settle_ms 0", "size 70000"];
    const lines = await run(plan, "cat");
    expect(summaryOf(lines, "direct")?.summary).toMatchObject({ calls: 50, failures: 0 });
    expect(summaryOf(lines, "filtered")?.summary).toMatchObject({ calls: 50, failures: 0, compared: 54, changed: 0 });
    expect(samplesOf(lines, "filtered").map(({ values }) => values?.calls)).toEqual([20, 20]);
  });

  test("counts every answer that was changed on the way", async () => {
    const plan = ["figure pipelined", "rounds 1", "calls 100", "warmup 10", "inflight 8", "settle_ms 0"];
    const lines = await run(plan, "sed -u s/fox/cat/");
    // The two answers of the handshake hold no fox.
    expect(summaryOf(lines, "filtered")?.summary).toMatchObject({ failures: 0, compared: 112, changed: 110 });
  });

  test("tells of an answer that never came and prints no samples for that round", async () => {
    const plan = ["figure sequential", "rounds 1", "calls 10", "settle_ms 0", "timeout_ms 300"];
    const lines = await run(plan, "sed -u 6d");
    expect(summaryOf(lines, "filtered")?.summary).toMatchObject({ failures: 1, calls: 4 });
    expect(summaryOf(lines, "filtered")?.summary?.reason).toContain("request 6");
    expect(samplesOf(lines, "filtered")).toEqual([]);
  });
});
