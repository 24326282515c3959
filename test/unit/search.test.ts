import { describe, expect, test } from "vitest";
import { searchSchema } from "../../src/core/schema/answers.ts";
import { excerptOf, foldWord, likePattern, readableText } from "../../src/store/search-text.ts";
import { eventfulRun, RUN_A, RUN_B, RunWriter, T0, TestCli, text } from "./cli-fixture.ts";

async function hits(cli: TestCli, ...words: string[]) {
  return searchSchema.parse(await cli.json("run", "search", ...words));
}

describe("bir run search", () => {
  test.each([
    ["a prompt", ["weather"], "prompt", null],
    ["an answer", ["could not be made"], "answer", null],
    ["a note", ["no json"], "note", null],
    ["a tool's name", ["get-sum"], "tool", 1],
    ["a server's name", ["files"], "tool", 2],
    ["arguments", ["/tmp/a"], "arguments", 2],
    ["a key of the arguments", ["seconds:"], "arguments", 5],
    ["a number that no double holds", ["12345678901234567890"], "arguments", 0],
    ["a result", ["echo: hello"], "result", 0],
    ["an error", ["no such tool"], "error", 4],
    ["words in several places of one call", ["SNAP", "image/png"], "result", 3],
  ])("finds %s", async (_what, words, field, index) => {
    const cli = new TestCli().record(eventfulRun());
    const found = await hits(cli, ...words);
    expect(found.map((hit) => [hit.runId, hit.field, hit.step?.index ?? null])).toContainEqual([RUN_A, field, index]);
  });

  test.each([
    ["words that are in no one place together", ["hello", "weather"]],
    ["what only the store's own fields hold", ["standalone"]],
    ["a pattern of SQL", ["hel%"]],
    ["another one", ["h_llo"]],
    ["a backslash", ["hello\\"]],
  ])("does not find %s", async (_what, words) => {
    const cli = new TestCli().record(eventfulRun());
    expect(await hits(cli, ...words)).toEqual([]);
  });

  test.each([
    ["a quotation mark that JSON escapes", 'say "hi"', '{"t":"I say \\"hi\\" to you"}'],
    ["letters that the encoder escaped", "GRÜSSE", '{"t":"sch\\u00f6ne gr\\u00fcsse"}'],
    ["letters that it did not", "ÖFFNEN", '{"t":"öffnen"}'],
    ["a slash that it escaped", "a/b", '{"t":"a\\/b"}'],
    ["words across a line break", "one two", '{"t":"one\\n   two"}'],
    ["another alphabet", "мир", '{"t":"МИР"}'],
    ["what only stands in a literal", "100%", '{"t":"at 100% now"}'],
    ["an angle bracket that it escaped", "<b>", '{"t":"\\u003cb\\u003e"}'],
  ])("finds %s", async (_what, word, args) => {
    const cli = new TestCli().record(new RunWriter(RUN_A, T0).call("t", args, null, 1).end());
    const [hit] = await hits(cli, word);
    expect(hit?.field).toBe("arguments");
    expect(hit?.excerpt.marks).toHaveLength(1);
  });

  test("answers newest run first, within --limit, and says that there are more", async () => {
    const calls = (id: string, at: number) =>
      new RunWriter(id, at).call("a", '"word"', null, 1).call("b", '"word"', null, 1).end();
    const cli = new TestCli().record(calls(RUN_A, T0), calls(RUN_B, T0 + 10));
    const found = await hits(cli, "word", "--limit", "3");
    expect(found.map(({ runId, step }) => [runId, step?.tool])).toEqual([
      [RUN_B, "a"],
      [RUN_B, "b"],
      [RUN_A, "a"],
    ]);
    expect(await cli.run("run", "search", "word", "--limit", "3")).toBe(0);
    expect(cli.stderr).toBe("There are more; --limit N shows more of them.\n");
    await cli.run("run", "search", "word", "--limit", "4");
    expect(cli.stderr).toBe("");
  });

  test("numbers of calls end in one column", async () => {
    const run = new RunWriter(RUN_A, T0);
    for (let i = 0; i < 10; i++) run.call("echo", '"word"', null, 1);
    const cli = new TestCli().record(run.end());
    await cli.run("run", "search", "word");
    const lines = cli.stdout.split("\n");
    expect([lines[1], lines[10]]).toEqual([
      expect.stringMatching(/^ {3}1 everything › echo /),
      expect.stringMatching(/^ {2}10 everything › echo /),
    ]);
  });

  test("looks only where --server and --here say", async () => {
    const cli = new TestCli();
    const run = (id: string, cwd: string, server: string) =>
      new RunWriter(id, T0, { cwd, wrappedServers: [server] }).call("t", '"word"', null, 1, { server }).end();
    cli.record(run(RUN_A, cli.cwd, "files"), run(RUN_B, "/elsewhere", "git"));
    expect((await hits(cli, "word", "--server", "git")).map(({ runId }) => runId)).toEqual([RUN_B]);
    expect((await hits(cli, "word", "--here")).map(({ runId }) => runId)).toEqual([RUN_A]);
  });

  test("prints run, call and a marked excerpt", async () => {
    const cli = new TestCli({ terminal: { color: true, columns: 80, interactive: true } }).record(eventfulRun());
    await cli.run("run", "search", "HELLO");
    expect(cli.stdout).toContain("\x1b[7mhello\x1b[27m");
    const [run, call, ...others] = Bun.stripANSI(cli.stdout).split("\n");
    expect(run).toBe("run_019ab3c4d5e6  2026-11-24 14:00:00  3 min ago  claude-code");
    expect(call).toBe("  1 everything › echo  arguments.message: hello");
    expect(others).toEqual([""]);
  });

  test.each([
    [["sum"], "result.content[0].text: The sum of 1 and 2 is 3."],
    [["3", "SUM"], "result.content[0].text: The sum of 1 and 2 is 3."],
    [["sum of 1"], "result.content[0].text: The sum of 1 and 2 is 3."],
    [["mcp__everything"], "qualifiedName: mcp__everything__get-sum"],
    [["get-sum"], "tool: get-sum"],
    [["two"], 'arguments["odd key"].list[1]: two'],
    [["list:"], "arguments.list: null"],
    [["the boom"], "error.data: the boom"],
  ])("shows the value that %j stand in, and where it is", async (words, expected) => {
    const cli = new TestCli().record(
      new RunWriter(RUN_A, T0)
        .call("get-sum", "{}", text("The sum of 1 and 2 is 3."), 1)
        .call("other", '{"odd key":{"list":["one","two"]}}', null, 1)
        .call("third", '{"list":null}', null, 1, { rpcError: '{"code":-1,"message":"no","data":"the boom"}' })
        .end(),
    );
    await cli.run("run", "search", ...words);
    expect(cli.stdout).toContain(`  ${expected}\n`);
  });

  test("quotes make a phrase, words stand in any order", async () => {
    const cli = new TestCli().record(new RunWriter(RUN_A, T0).call("t", null, text("in Paris it rains"), 1).end());
    expect(await hits(cli, "rains", "paris")).toHaveLength(1);
    expect(await hits(cli, "rains paris")).toHaveLength(0);
    expect(await hits(cli, "paris it")).toHaveLength(1);
  });

  test("finding nothing is no failure", async () => {
    const cli = new TestCli().record(eventfulRun());
    expect(await cli.run("run", "search", "zebra")).toBe(0);
    expect([cli.stdout, cli.stderr]).toEqual(["", "Nothing found.\n"]);
  });

  test("words of nothing but space are refused", async () => {
    const cli = new TestCli();
    expect(await cli.run("run", "search", " ", "")).toBe(2);
    expect(cli.stderr).toBe("bir: there is nothing to look for. Write one word or more.\n");
  });
});

describe("search text", () => {
  test("reads keys, strings and numbers of a payload", () => {
    expect(readableText({ a: ["x", { b: 1 }], c: null, d: "two\n lines" })).toBe("a: x b: 1 c: null d: two lines");
  });

  test("a pattern leaves out whatever an encoder may write otherwise", () => {
    expect(likePattern(foldWord('  Say "Hi"  '))).toBe("%say%hi%");
    expect(likePattern("über")).toBe("%ber%");
    expect(likePattern("100%_\\")).toBe("%100%");
    expect(likePattern("мир")).toBe("%");
  });

  test("an excerpt marks every word, overlapping ones as one, around the first", () => {
    const long = `${"x ".repeat(100)}Needle in a needlestack ${"y ".repeat(200)}`;
    const { text: shown, marks } = excerptOf(long, ["needle", "needles"]);
    expect(shown.startsWith("…") && shown.endsWith("…")).toBe(true);
    expect(shown.length).toBeLessThanOrEqual(162);
    expect(marks.map(({ start, end }) => shown.slice(start, end))).toEqual(["Needle", "needles"]);
  });

  test("letters whose lower case is longer do not shift the marks", () => {
    const { text: shown, marks } = excerptOf("İİİ word", ["word"]);
    expect(marks.map(({ start, end }) => shown.slice(start, end))).toEqual(["word"]);
  });

  test("never cuts a character in two", () => {
    expect(excerptOf("😀".repeat(200), ["zzz"]).text.isWellFormed()).toBe(true);
    expect(excerptOf(`${"😀".repeat(60)}x`, ["x"]).text.isWellFormed()).toBe(true);
  });
});

test("results in several text blocks are searched across", async () => {
  const cli = new TestCli().record(
    new RunWriter(RUN_A, T0).call("t", null, text("first half", "second half"), 1).end(),
  );
  expect(await hits(cli, "first", "second")).toHaveLength(1);
});
