import { chmodSync, existsSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { code, fence } from "../../src/core/export/markdown.ts";
import { exportLineSchema } from "../../src/core/schema/answers.ts";
import { eventfulRun, RUN_A, RunWriter, T0, TestCli, text } from "./cli-fixture.ts";

describe("bir run export --format ndjson", () => {
  test("is the run, then each step and note in order, one a line", async () => {
    const cli = new TestCli().record(eventfulRun());
    expect(await cli.run("run", "export", RUN_A)).toBe(0);
    expect(cli.stdout.endsWith("\n")).toBe(true);
    const lines = cli.stdout.trimEnd().split("\n");
    const parsed = lines.map((line) => exportLineSchema.parse(JSON.parse(line)));
    expect(parsed.map((line) => (line.type === "step" ? line.tool : line.type))).toEqual([
      "run",
      "echo",
      "get-sum",
      "note",
      "read",
      "snap",
      "missing",
      "slow",
    ]);
    expect(parsed[0]).toMatchObject({ id: RUN_A, lossy: true, finalAnswer: "The sum could not be made." });
  });

  test("keeps numbers as they were on the wire", async () => {
    const cli = new TestCli().record(eventfulRun());
    await cli.run("run", "export");
    expect(cli.stdout).toContain('"n":12345678901234567890}');
    expect(cli.stdout).toContain('"args":{"a":1.0,"b":"x"}');
    expect(cli.stdout).toContain('{"big":1e400}');
  });
});

describe("bir run export --format md", () => {
  test("is a document", async () => {
    const cli = new TestCli().record(eventfulRun());
    expect(await cli.run("run", "export", "--format", "md")).toBe(0);
    await expect(cli.stdout).toMatchFileSnapshot("fixtures/export.md.txt");
  });

  test("has no content that becomes markup", async () => {
    const nasty = "```\n# heading\n<script>alert(1)</script>\n````md\n[link](http://x)";
    const run = new RunWriter(RUN_A, T0, { cwd: "/a`b", wrappedServers: ["`x`"] });
    run
      .update({ input: nasty, finalAnswer: nasty })
      .call("t`ool`", JSON.stringify(nasty), text(nasty), 1)
      .note("plan", nasty);
    const cli = new TestCli().record(run.end());
    await cli.run("run", "export", "--format", "md");
    const outside = withoutCode(cli.stdout);
    expect(outside).not.toMatch(/script|heading|link/);
    expect(outside).toContain("## Answer");
    expect(outside.trimEnd().endsWith("## Answer")).toBe(true);
  });

  test("a fence is closed by nothing in it", () => {
    const content = fc.array(fc.constantFrom("`", "``", "```", "~~~", "\n", " ", "a", "\t"), { maxLength: 40 });
    fc.assert(
      fc.property(content, (parts) => {
        const fenced = fence(parts.join(""), "text");
        const [first = "", ...lines] = fenced.split("\n");
        const ticks = first.replace("text", "");
        const closing = lines.findIndex((line) => new RegExp(`^ {0,3}\`{${ticks.length},} *$`).test(line));
        expect(closing).toBe(lines.length - 1);
      }),
    );
  });

  test("inline code is closed by nothing in it", () => {
    expect(code("plain")).toBe("`plain`");
    expect(code("a`b")).toBe("``a`b``");
    expect(code("`a``")).toBe("``` `a`` ```");
    expect(code("two\nlines")).toBe("`two\\nlines`");
  });
});

describe("bir run export --output", () => {
  const exported = (cli: TestCli, ...more: string[]) =>
    cli.run("run", "export", "--output", join(cli.cwd, "run.ndjson"), ...more);

  test("writes a private file and tells so on stderr alone", async () => {
    const cli = new TestCli().record(eventfulRun());
    await cli.run("run", "export");
    const direct = cli.stdout;
    expect(await exported(cli)).toBe(0);
    const path = join(cli.cwd, "run.ndjson");
    expect(readFileSync(path, "utf8")).toBe(direct);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(cli.stdout).toBe("");
    expect(cli.stderr).toMatch(
      /^Wrote .*run\.ndjson \(\d\.\d KiB\)\.\nIt holds the whole run .* Look through it before .*\n$/,
    );
  });

  test("never writes over a file, but with --force, and then privately", async () => {
    const cli = new TestCli().record(eventfulRun());
    const path = join(cli.cwd, "run.ndjson");
    writeFileSync(path, "mine");
    chmodSync(path, 0o644);
    expect(await exported(cli)).toBe(1);
    expect(cli.stderr).toMatch(/exists already\. Name another file, or write over it with --force\.\n$/);
    expect(readFileSync(path, "utf8")).toBe("mine");
    expect(await exported(cli, "--force")).toBe(0);
    expect(readFileSync(path, "utf8")).toContain(RUN_A);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  test("does not write through a link", async () => {
    const cli = new TestCli().record(eventfulRun());
    const target = join(cli.cwd, "target");
    writeFileSync(target, "mine");
    symlinkSync(target, join(cli.cwd, "run.ndjson"));
    expect(await exported(cli)).toBe(1);
    expect(await exported(cli, "--force")).toBe(0);
    expect(readFileSync(target, "utf8")).toBe("mine");
  });

  test("takes the format from the name", async () => {
    const cli = new TestCli().record(eventfulRun());
    const path = join(cli.cwd, "run.md");
    expect(await cli.run("run", "export", "--output", path)).toBe(0);
    expect(readFileSync(path, "utf8")).toMatch(/^# Run `run_/);
  });

  test.each(["run.pdf", "run.tar.gz", "run.json"])("%s needs its format named", async (name) => {
    const cli = new TestCli().record(eventfulRun());
    const path = join(cli.cwd, name);
    expect(await cli.run("run", "export", "--output", path)).toBe(2);
    expect(cli.stderr).toMatch(/^bir: no format of an export is called \.\w+\. Name the file .*--format\.\n$/);
    expect(existsSync(path)).toBe(false);
    expect(await cli.run("run", "export", "--output", path, "--format", "md")).toBe(0);
    expect(readFileSync(path, "utf8")).toMatch(/^# Run `run_/);
  });

  test("says which file cannot be written, and why", async () => {
    const cli = new TestCli().record(eventfulRun());
    for (const more of [[], ["--force"]]) {
      expect(await cli.run("run", "export", "--output", join(cli.cwd, "no", "where"), ...more)).toBe(1);
      expect(cli.stderr).toMatch(
        /no\/where cannot be written: there is no such file or directory\. Name another file\.\n$/,
      );
    }
  });
});

/** What is left of a document without its code, fenced and inline. */
function withoutCode(document: string): string {
  const kept: string[] = [];
  let fenceOf: string | null = null;
  for (const line of document.split("\n")) {
    const ticks = /^(`{3,})/.exec(line)?.[1] ?? null;
    if (fenceOf === null && ticks !== null) fenceOf = ticks;
    else if (fenceOf !== null && line === fenceOf) fenceOf = null;
    else if (fenceOf === null) kept.push(line.replace(/(`+)(?!`).*?[^`]\1(?!`)/g, ""));
  }
  return kept.join("\n");
}
