import { describe, expect, test } from "vitest";
import { visible, visibleJson, visibleLines } from "../../src/core/text/visible.ts";
import { eventfulRun, OWNER, RUN_A, RunWriter, T0, TestCli, text } from "./cli-fixture.ts";

/** Everything a terminal must not get: control characters but the line feed, overrides of direction, the invisible. */
const FORBIDDEN =
  /[^\P{Cc}\n]|[\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e007f}\p{Cs}]/u;
const HOSTILE = "\x1b[31mred\x1b[0m \x07 \x9b2J \u202egnp.exe\u202c a\u200bb \r over \x00 \u2028 \ud800 \u{e0041}";

/** A run with hostile text wherever a run can have text. */
function hostileRun(): RunWriter {
  const run = new RunWriter(RUN_A, T0, {
    cwd: `/tmp/${HOSTILE}`,
    sessionId: HOSTILE,
    host: { app: HOSTILE, version: HOSTILE },
    wrappedServers: [HOSTILE],
  });
  run.update({ input: `${HOSTILE}\nsecond`, finalAnswer: HOSTILE });
  const json = JSON.stringify(HOSTILE);
  run.call(HOSTILE, `{${json}:${json}}`, text(HOSTILE, `two\tlines\n${HOSTILE}`), 5, { server: HOSTILE });
  run.call("failing", json, null, 5, {
    status: "error",
    error: HOSTILE,
    rpcError: JSON.stringify({ code: -1, message: HOSTILE, data: HOSTILE }),
  });
  run.call("other", null, JSON.stringify({ content: [{ type: "resource_link", uri: HOSTILE }, HOSTILE] }), 5, {
    agentId: HOSTILE,
  });
  run.call("cut", JSON.stringify({ truncated: true, originalBytes: 9, head: HOSTILE, tail: HOSTILE }), json, 5);
  run.note("thought", HOSTILE);
  run.gap(HOSTILE, 1);
  return run;
}

describe("the story of a run", () => {
  test("folded", async () => {
    const cli = new TestCli().record(eventfulRun());
    expect(await cli.run("run", "show")).toBe(0);
    await expect(cli.stdout).toMatchFileSnapshot("fixtures/story.txt");
    expect(cli.stderr).toBe("");
  });

  test("in full", async () => {
    const cli = new TestCli().record(eventfulRun());
    expect(await cli.run("run", "show", RUN_A, "--full")).toBe(0);
    await expect(cli.stdout).toMatchFileSnapshot("fixtures/story-full.txt");
  });

  test("tells what the model used, and which agent did what", async () => {
    const run = new RunWriter(RUN_A, T0, { wrappedServers: [] });
    run.update({ usage: { inputTokens: 300, outputTokens: 1260, cacheReadTokens: 900, cacheCreationTokens: 0 } });
    const seq = run.open("Bash", "{}", { server: null, qualifiedName: "Bash", agentId: "a1" });
    run.wait(5).close(seq, "ok", null);
    run.note("text", "Found it.", "a1");
    const cli = new TestCli().record(run);
    expect(await cli.run("run", "show")).toBe(0);
    expect(cli.stdout).toContain("\n1,200 tokens in (900 of them cached), 1,260 out\n");
    expect(cli.stdout).toMatch(/1 call\n/);
    expect(cli.stdout).toMatch(/ 1 Bash .*ok.*\n {5}by agent a1\n/);
    expect(cli.stdout).toContain("text      agent a1: Found it.");
    await cli.run("run", "export", RUN_A, "--format", "md");
    expect(cli.stdout).toContain("- Used: 1,200 tokens in (900 of them cached), 1,260 out");
    expect(cli.stdout).toContain("By agent `a1`");
    expect(cli.stdout).toContain("### Note: text by agent `a1`");
    expect(cli.stdout).not.toContain("- Servers:");
  });

  test("says the same with colour as without", async () => {
    const plain = new TestCli().record(eventfulRun());
    const coloured = new TestCli({ terminal: { color: true, columns: 100, interactive: true } }).record(eventfulRun());
    await plain.run("run", "show");
    await coloured.run("run", "show");
    expect(coloured.stdout).toContain("\x1b[");
    expect(Bun.stripANSI(coloured.stdout)).toBe(plain.stdout);
  });

  test.each([40, 60, 80, 100])("fits a terminal of %i columns", async (columns) => {
    const cli = new TestCli({ terminal: { color: false, columns, interactive: true } });
    const run = eventfulRun();
    run.entries.pop();
    run.call(
      "宽".repeat(60),
      JSON.stringify({ long: "x".repeat(500), 宽: "é".repeat(300) }),
      text("漢字".repeat(200)),
      61_000,
    );
    cli.record(run.end());
    await cli.run("run", "show");
    const indented = cli.stdout.split("\n").filter((line) => line.startsWith("  "));
    const notes = /could not be written|rounds/;
    for (const line of indented.filter((one) => !notes.test(one))) {
      expect(Bun.stringWidth(line), line).toBeLessThanOrEqual(columns);
    }
  });

  test("one line more than fits is shown rather than counted", async () => {
    const lines = (count: number) => text(Array.from({ length: count }, (_, i) => `line ${i + 1}`).join("\n"));
    const run = new RunWriter(RUN_A, T0).call("seven", "{}", lines(7), 1).call("eight", "{}", lines(8), 1).end();
    const cli = new TestCli().record(run);
    await cli.run("run", "show");
    expect(cli.stdout).toContain("line 7\n\n");
    expect(cli.stdout).toContain("line 6\n     … 2 more lines\n");
  });

  test("of a run whose recorder is gone reads abandoned, its open call lost", async () => {
    const run = new RunWriter(RUN_A, T0);
    run.open("slow", "{}");
    const cli = new TestCli().record(run);
    await cli.run("run", "show");
    expect(cli.stdout).toContain("… abandoned");
    expect(cli.stdout).toMatch(/everything › slow +… lost\n/);

    cli.alive.push(`${OWNER.pid} ${OWNER.startedAt}`);
    await cli.run("run", "show");
    expect(cli.stdout).toContain("▸ running\n");
    expect(cli.stdout).toMatch(/everything › slow +▸ running\n/);
  });

  test("of a run without calls", async () => {
    const cli = new TestCli().record(new RunWriter(RUN_A, T0, { host: null }).end());
    await cli.run("run", "show");
    expect(cli.stdout).toContain("unknown host · /home/ada/project\n");
    expect(cli.stdout).toContain("Nothing was called.");
  });

  test("says nothing of the tier, a word that tells a person nothing", async () => {
    const cli = new TestCli().record(new RunWriter(RUN_A, T0, { tier: "bound" }).end());
    await cli.run("run", "show");
    expect(cli.stdout).toContain("/home/ada/project\n");
    await cli.run("run", "export", "--format", "md");
    expect(cli.stdout).not.toContain("bound");
  });

  test("tells a warning where it happened, between the calls around it", async () => {
    const run = new RunWriter(RUN_A, T0).call("one", "{}", text("a"), 1).wait(1).note("warning", "the server did odd");
    const cli = new TestCli().record(run.wait(1).call("two", "{}", text("b"), 1).end());
    await cli.run("run", "show");
    expect(cli.stdout).toMatch(/› one [\s\S]*\n {5}warning {3}the server did odd\n[\s\S]*› two /);
  });

  test.each([
    ["the same JSON", '{"a":1.0,"b":[1,{"c":null,"d":"é"}]}', '{ "b": [1, {"d":"\\u00e9","c":null}], "a": 1 }', false],
    ["the text as its one value", '{"result":"plain text"}', "plain text", false],
    ["the text as its one value, under another name", '{"content":"two\\nlines"}', "two\nlines", false],
    ["one value that the text writes as JSON", '{"result":[1,2]}', "[1, 2]", false],
    [
      "another number that the same double stands for",
      '{"n":12345678901234567890}',
      '{"n":12345678901234567891}',
      true,
    ],
    ["more than the text", '{"result":"plain text","more":1}', "plain text", true],
    ["something else", '{"temperature":22.5}', "It is warm.", true],
  ])("in full leaves out structured content that is %s", async (_what, structured, said, shown) => {
    const result = `{"content":[{"type":"text","text":${JSON.stringify(said)}}],"structuredContent":${structured}}`;
    const cli = new TestCli().record(new RunWriter(RUN_A, T0).call("t", "{}", result, 1).end());
    await cli.run("run", "show", "--full");
    expect(/^ {5}structured\n {7}\{$/m.test(cli.stdout)).toBe(shown);
    await cli.run("run", "export", "--format", "md");
    expect(cli.stdout.includes("\nStructured\n\n```json\n{")).toBe(shown);
    await cli.run("run", "show");
    expect(cli.stdout).not.toContain("structured");
  });

  test("shows structured content where a result has no text", async () => {
    const result = '{"content":[],"structuredContent":{"temperature":22.5}}';
    const cli = new TestCli().record(new RunWriter(RUN_A, T0).call("t", "{}", result, 1).end());
    for (const more of [[], ["--full"]]) {
      await cli.run("run", "show", ...more);
      expect(cli.stdout.match(/temperature/g)).toHaveLength(1);
      expect(cli.stdout).not.toContain("structured");
    }
  });

  test("shows arguments that look like a result as arguments", async () => {
    const cli = new TestCli().record(new RunWriter(RUN_A, T0).call("t", '{"content":["x"],"to":"y"}', null, 1).end());
    await cli.run("run", "show", "--full");
    expect(cli.stdout).toContain('"to": "y"');
  });

  test("tells a call whose beginning was lost, and a gap for a reason it does not know", async () => {
    const run = new RunWriter(RUN_A, T0)
      .close(5, "ok", text("late"))
      .gap("moon-phase", 1)
      .gap("DEG-15 recorder-fault", 2)
      .end();
    const cli = new TestCli().record(run);
    await cli.run("run", "show");
    expect(cli.stdout).toContain("(a call whose beginning was not recorded)");
    expect(cli.stdout).toContain("1 lost at 2026-11-24 14:00:00: moon-phase.\n");
    expect(cli.stdout).toContain(": a fault in bir itself; please report it (DEG-15).\n");
  });

  test("shows what was kept of a payload that was too large", async () => {
    const cut = JSON.stringify({ truncated: true, originalBytes: 5_000_000, head: '{"content":[', tail: "]}" });
    const run = new RunWriter(RUN_A, T0).call("big", cut, cut, 1, { truncated: true }).end();
    const cli = new TestCli().record(run);
    await cli.run("run", "show");
    expect(cli.stdout).toContain("(arguments of 4.8 MiB)");
    expect(cli.stdout).toContain(
      '{"content":[\n     [4.8 MiB in all; only the beginning and the end were kept]\n     ]}',
    );
    expect(cli.stdout).toContain("too large to keep whole");
  });

  test("shows the words of an error of which only those were kept", async () => {
    const kept = { status: "error", error: "no such tool", rpcError: '{"truncated":true}' };
    const cli = new TestCli().record(new RunWriter(RUN_A, T0).call("big", "{}", null, 1, kept).end());
    await cli.run("run", "show");
    expect(cli.stdout).toContain("\n     no such tool\n");
    expect(cli.stdout).not.toContain("JSON-RPC error");
  });
});

describe("recorded text on a terminal", () => {
  test.each([
    "run show",
    "run show --full",
    "run show --json",
    "run list",
    "run list --json",
    "run search red",
    "run search red --json",
    "run export --format md",
    "run export --format ndjson",
    "status",
    "status --json",
  ])("is never obeyed: bir %s", async (line) => {
    const cli = new TestCli().record(hostileRun());
    cli.alive.push(`${OWNER.pid} ${OWNER.startedAt}`);
    expect(await cli.run(...line.split(" "))).toBe(0);
    expect(cli.stdout).not.toBe("");
    expect(cli.stdout).not.toMatch(FORBIDDEN);
    expect(cli.stderr).not.toMatch(FORBIDDEN);
  });

  test("reads the same from JSON as it was recorded", async () => {
    const cli = new TestCli().record(hostileRun());
    const run = (await cli.json("run", "show")) as { input: string; steps: { args: Record<string, string> }[] };
    // SQLite cannot hold a lone surrogate in text that is not JSON.
    expect(run.input.replace("\ufffd", "\ud800")).toBe(`${HOSTILE}\nsecond`);
    expect(run.steps[0]?.args).toEqual({ [HOSTILE]: HOSTILE });
  });

  test("escapes so that the escape tells what was there", () => {
    expect(visible("a\x1b[1m\n\u202e\u{e0041}")).toBe("a\\x1b[1m\\n\\u{202e}\\u{e0041}");
    expect(visible("👩‍👩‍👧 naïve 漢字 עברית")).toBe("👩‍👩‍👧 naïve 漢字 עברית");
    expect(visibleLines("a\r\nb\tc\rd")).toEqual(["a", "b    c\\rd"]);
    expect(JSON.parse(visibleJson(JSON.stringify("\u202e\x7f\u{e0041}")))).toBe("\u202e\x7f\u{e0041}");
  });
});
