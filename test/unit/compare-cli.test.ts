import { describe, expect, test } from "vitest";
import { comparisonSchema } from "../../src/core/api/service.ts";
import { eventfulRun, RUN_A, RUN_B, RunWriter, T0, TestCli, text } from "./cli-fixture.ts";

/** The same prompt again, with other arguments, another result, one call less and one more. */
function secondRun(): RunWriter {
  const run = new RunWriter(RUN_B, T0 + 60_000, { wrappedServers: ["everything", "files"] });
  run.update({ input: "Please add the numbers\nand then tell me the weather." });
  run.wait(1000).call("echo", '{"n":12345678901234567890,"message":"hello"}', text("Echo: hello"), 900);
  run.wait(100).call("get-sum", '{"a":2,"b":"y"}', text("sum is 3"), 3);
  run.call(
    "read",
    '{"path":"/tmp/a"}',
    text(Array.from({ length: 20 }, (_, i) => `line ${i === 9 ? "ten" : i + 1}`).join("\n")),
    20,
    {
      server: "files",
    },
  );
  run.call(
    "snap",
    "{}",
    '{"content":[{"type":"image","mimeType":"image/png","sizeBytes":12345,"sha256":"ab12cd34ef56ab78"}]}',
    4,
  );
  run.call("write", '{"path":"\\u001b[31m/tmp/b"}', text("written"), 5, { server: "files" });
  run.update({ finalAnswer: "The sum is 3." });
  return run.wait(200).end();
}

const twoRuns = (terminal?: { columns: number }) =>
  new TestCli(
    terminal === undefined ? {} : { terminal: { color: false, columns: terminal.columns, interactive: false } },
  ).record(eventfulRun(), secondRun());

describe("bir run diff", () => {
  test("shows what differs, and folds what does not", async () => {
    const cli = twoRuns();
    expect(await cli.run("run", "diff", RUN_A, RUN_B)).toBe(0);
    expect(cli.stdout.replaceAll(RUN_A, "RUN_A").replaceAll(RUN_B, "RUN_B")).toMatchInlineSnapshot(`
      "A  RUN_A  ✓ completed
         2026-11-24 14:00:00 (3 min ago) · 6 calls
      B  RUN_B  ✓ completed
         2026-11-24 14:01:00 (2 min ago) · 5 calls

      Prompt  the same
      Answer  differs
              - The sum could not be made.
              + The sum is 3.

           1   1  everything › echo  message: "hello", n: 12345678901234567890
          first difference
       ~   2   2  everything › get-sum  a: 1.0, b: "x"                           arguments, result, status
              arguments.a: 1.0 → 2
              arguments.b: "x" → "y"
              result.content[0].text: "b must be a number" → "sum is 3"
              - result.isError: true
              status: "error" → "ok"
       ~   3   3  files › read  path: "/tmp/a"                                                      result
              result.content[0].text:
                  (8 lines the same)
                  line 9
                - line 10
                + line ten
                  line 11
                  (9 lines the same)
           4   4  everything › snap
       -   5      everything › missing                                                           only in A
       -   6      everything › slow  seconds: 60                                                 only in A
       +       5  files › write  path: "\\u001b[31m/tmp/b"                                        only in B

      2 calls the same, 2 differ, 2 only in A, 1 only in B.
      "
    `);
  });

  test("in 80 columns no line is longer, and nothing in it steers a terminal", async () => {
    for (const columns of [40, 80, 120, 160]) {
      const cli = twoRuns({ columns });
      await cli.run("run", "diff", RUN_A, RUN_B);
      const lines = cli.stdout.split("\n").filter((line) => !/^`|^[AB] {2}/.test(line));
      expect(Math.max(...lines.map((line) => Bun.stringWidth(line)))).toBeLessThanOrEqual(Math.max(columns, 60));
      expect(cli.stdout).not.toContain("\u001b");
    }
  });

  test("stands side by side on a wide terminal", async () => {
    const cli = twoRuns({ columns: 150 });
    await cli.run("run", "diff", RUN_A, RUN_B);
    expect(cli.stdout).toMatch(
      / 2 everything › get-sum .* ✗ error {2}3 ms ~ {3}2 everything › get-sum .* ✓ ok {2}3 ms/,
    );
  });

  test("--json gives the comparison", async () => {
    const cli = twoRuns();
    const comparison = comparisonSchema.parse(await cli.json("run", "diff", RUN_A, RUN_B));
    expect(comparison).toMatchObject({
      sameInput: true,
      sameAnswer: false,
      firstDifference: 1,
      counts: { same: 2, changed: 2, leftOnly: 2, rightOnly: 1 },
    });
  });

  test("differences are a failure only when asked for as one", async () => {
    const cli = twoRuns();
    expect(await cli.run("run", "diff", RUN_A, RUN_B, "--exit-code")).toBe(1);
    expect(await cli.run("run", "diff", RUN_A, RUN_A, "--exit-code")).toBe(0);
    expect(cli.stdout).toContain("6 calls the same. The runs do not differ.");
  });

  test("has no two empty lines in a row where nothing was asked or answered", async () => {
    const call = (id: string, word: string) => new RunWriter(id, T0).call("echo", `"${word}"`, null, 1).end();
    const cli = new TestCli().record(call(RUN_A, "a"), call(RUN_B, "b"));
    await cli.run("run", "diff", RUN_A, RUN_B);
    expect(cli.stdout).toContain("first difference");
    expect(cli.stdout).not.toContain("\n\n\n");
  });

  test("--full folds nothing", async () => {
    const cli = twoRuns();
    await cli.run("run", "diff", RUN_A, RUN_B, "--full");
    expect(cli.stdout).not.toMatch(/calls the same\n|…|shows everything/);
  });

  test("two runs have to be named", async () => {
    const cli = twoRuns();
    expect(await cli.run("run", "diff", RUN_A)).toBe(2);
    expect(cli.stderr).toContain("B is missing");
    expect(await cli.run("run", "diff", RUN_A, "run_nothing")).toBe(1);
    expect(await cli.run("run", "diff", RUN_A, RUN_B, "more")).toBe(2);
  });
});
