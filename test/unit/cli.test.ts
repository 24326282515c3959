import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  deletionSchema,
  problemSchema,
  searchSchema,
  statusSchema,
  switchesSchema,
} from "../../src/core/schema/answers.ts";
import { runListSchema, runSchema, truncatedPayloadSchema } from "../../src/core/schema/run.ts";
import { ago, parseMoment, size, span } from "../../src/core/text/when.ts";
import { isSwitchedOff } from "../../src/kit/off-switch.ts";
import { COMMANDS } from "../../src/roles/cli/commands.ts";
import { readProxyOptions } from "../../src/roles/proxy-options.ts";
import { PROXY_USAGE } from "../../src/roles/proxy-usage.ts";
import { SCHEMA_VERSION } from "../../src/store/schema.ts";
import { VERSION } from "../../src/version.ts";
import { eventfulRun, OWNER, RUN_A, RUN_B, RUN_C, RunWriter, T0, TestCli } from "./cli-fixture.ts";

const DAY = 24 * 60 * 60 * 1000;

describe("a wrong command line", () => {
  test.each([
    ["frobnicate", "there is no command `frobnicate`. See `bir --help`."],
    ["stauts", "there is no command `stauts`; did you mean `status`? See `bir --help`."],
    ["run shwo", "there is no command `shwo`; did you mean `show`? See `bir run --help`."],
    ["show", "there is no command `show`. Write `bir run show`."],
    ["run show --ful", "there is no option `--ful`; did you mean `--full`? See `bir run show --help`."],
    ["run show a b", "`b` is one word too many. See `bir run show --help`."],
    ["run search", "WORDS is missing. See `bir run search --help`."],
    ["run list --limit", "`--limit` needs a value. See `bir run list --help`."],
    ["run list --limit x", "`x` does not fit `--limit`: write a number, 1 or more. See `bir run list --help`."],
    ["run list --limit 0", "`0` does not fit `--limit`: write a number, 1 or more. See `bir run list --help`."],
    ["run list --status runing", "`runing` does not fit `--status`: did you mean running? See `bir run list --help`."],
    [
      "run export --format pdf",
      "`pdf` does not fit `--format`: write one of ndjson, md, html. See `bir run export --help`.",
    ],
    ["run delete", "it is not said what to delete. Name runs, or give one of --before DATE and --all."],
    [
      "run delete x --all",
      "RUN, --before, --all and --ids-stdin do not go together. Name runs, or give one of --before DATE and --all.",
    ],
    [
      "run delete --before soon",
      "`soon` is no date. Write a date (2026-11-24), a time (2026-11-24T14:00), or an age (30d, 12h).",
    ],
    [
      "serve --allow-host http://recordings.test/",
      "`http://recordings.test/` does not fit `--allow-host`: write a host's name alone, such as recordings.example.com, without a scheme or a port. See `bir serve --help`.",
    ],
    ["completions fsh", "`fsh` does not fit SHELL: did you mean fish? See `bir completions --help`."],
    ["--bogus", "there is no option `--bogus`. See `bir --help`."],
    ["run --bogus", "there is no option `--bogus`. See `bir run --help`."],
    ["run show -j", "there is no option `-j`. See `bir run show --help`."],
    ["run show --json=foo", "`--json` takes no value. See `bir run show --help`."],
    ["run list --limit 1 --limit 2", "`--limit` is given more than once. See `bir run list --help`."],
    ["help frobnicate", "there is no command `frobnicate`. See `bir --help`."],
    ["on --there", "there is no option `--there`; did you mean `--here`? See `bir on --help`."],
  ])("bir %s", async (line, message) => {
    const cli = new TestCli();
    expect(await cli.run(...line.split(" "))).toBe(2);
    expect(cli.stderr).toBe(`bir: ${message}\n`);
    expect(cli.stdout).toBe("");
    expect(existsSync(cli.home)).toBe(false);
  });

  test("is told in JSON where JSON was asked for", async () => {
    const cli = new TestCli();
    expect(await cli.run("run", "list", "--limt", "3", "--json")).toBe(2);
    expect(problemSchema.parse(JSON.parse(cli.stdout)).error.code).toBe("usage");
    expect(cli.stderr).toBe("");
  });

  test("control characters in it are shown, not obeyed", async () => {
    const cli = new TestCli();
    await cli.run("\x1b[2Jx");
    expect(cli.stderr).toContain("`\\x1b[2Jx`");
  });
});

describe("help", () => {
  const paths = (group: typeof COMMANDS, prefix: string[] = []): string[][] =>
    Object.entries(group.commands).flatMap(([name, entry]) =>
      entry.kind === "group" ? [[...prefix, name], ...paths(entry, [...prefix, name])] : [[...prefix, name]],
    );

  test("the list names every command", async () => {
    const cli = new TestCli();
    for (const words of [[], ["--help"], ["-h"], ["help"]]) {
      expect(await cli.run(...words)).toBe(0);
      for (const name of Object.keys(COMMANDS.commands)) expect(cli.stdout).toMatch(new RegExp(`^  ${name} `, "m"));
      expect(cli.stderr).toBe("");
    }
  });

  test("hooks, which have a role of their own, are explained too", async () => {
    const cli = new TestCli();
    for (const words of [
      ["help", "hooks"],
      ["hooks", "--help"],
    ]) {
      expect(await cli.run(...words)).toBe(0);
      expect(cli.stdout).toContain("print-settings [--host-version X.Y.Z]");
    }
  });

  test.each(paths(COMMANDS).map((path) => [path.join(" ")]))("bir %s --help", async (path) => {
    const cli = new TestCli();
    expect(await cli.run(...path.split(" "), "--help")).toBe(0);
    const asked = cli.stdout;
    expect(asked).toMatch(/usage/i);
    const words = path.split(" ");
    expect(await cli.run("help", ...words)).toBe(0);
    expect(cli.stdout).toBe(asked);
    for (const at of words.slice(1).map((_, index) => index + 1)) {
      expect(await cli.run(...words.slice(0, at), "help", ...words.slice(at))).toBe(0);
      expect(cli.stdout).toBe(asked);
    }
  });

  test("the proxy's own names each of its options", async () => {
    const cli = new TestCli();
    await cli.run("proxy", "--help");
    const options = [
      "server-name NAME",
      "standalone",
      "no-record",
      "scope user",
      "restart",
      "stay-up",
      "no-correlation",
    ];
    const remote = ["url URL", "transport http|sse", "header NAME:VALUE", "bearer-env VAR"];
    for (const option of [...options, ...remote]) expect(cli.stdout).toContain(`\n  --${option}  `);
    for (const line of cli.stdout.split("\n")) expect(line.length).toBeLessThanOrEqual(124);
  });

  test("each option that the proxy's own names changes what is done", () => {
    const withCommand = (...words: string[]) => readProxyOptions([...words, "--", "server"]);
    const withUrl = (...words: string[]) => readProxyOptions(["--url", "https://example.com/mcp", ...words]);
    const values: Record<string, string> = { URL: "https://example.com/other" };
    const named = [...PROXY_USAGE.matchAll(/^ {2}(?:-h, )?(--[a-z-]+)( [A-Za-z]+)?/gm)].filter(
      ([, name]) => name !== "--help",
    );
    expect(named.length).toBeGreaterThan(5);
    for (const [, name = "", value] of named) {
      const line = ["--url", "--transport", "--header", "--bearer-env"].includes(name) ? withUrl : withCommand;
      const word = value?.trim();
      expect(line(name, ...(word === undefined ? [] : [values[word] ?? word])), name).not.toEqual(line());
    }
  });

  test.each([["run"], ["run help"], ["help run"]])("bir %s lists the commands of the group", async (line) => {
    const cli = new TestCli();
    expect(await cli.run(...line.split(" "))).toBe(0);
    for (const name of ["list", "show", "search", "export", "delete"]) expect(cli.stdout).toContain(`\n  ${name} `);
  });

  test("of bir run delete tells its ways apart", async () => {
    const cli = new TestCli();
    await cli.run("run", "delete", "--help");
    for (const way of ["RUN...", "--before DATE", "--all"]) {
      expect(cli.stdout).toContain(`bir run delete [--yes] [--json] ${way}\n`);
    }
    expect(cli.stdout).not.toContain("<RUN>");
  });

  test("tells how many are shown, and how words are taken", async () => {
    const cli = new TestCli();
    await cli.run("run", "list", "--help");
    expect(cli.stdout).toContain("newest 20 by default");
    await cli.run("run", "search", "--help");
    expect(cli.stdout).toContain("newest 50 by default");
    expect(cli.stdout).toMatch(/in any order.*Quotes make a phrase/);
  });

  test.each([["--version"], ["-v"], ["version"]])("bir %s", async (word) => {
    const cli = new TestCli();
    expect(await cli.run(word)).toBe(0);
    expect(cli.stdout).toBe(`${VERSION}\n`);
  });
});

describe("bir run list", () => {
  test("is a table, newest first", async () => {
    const cli = new TestCli().record(
      eventfulRun(),
      new RunWriter(RUN_B, T0 - 2 * DAY, { host: null, wrappedServers: ["git"] }).end("failed"),
      new RunWriter(RUN_C, T0 + 170_000),
    );
    cli.alive.push(`${OWNER.pid} ${OWNER.startedAt}`);
    expect(await cli.run("run", "list")).toBe(0);
    await expect(cli.stdout).toMatchFileSnapshot("fixtures/list.txt");
    expect(cli.stderr).toBe("");
  });

  test("--json is an array of runs with their number of steps", async () => {
    const cli = new TestCli().record(eventfulRun(), new RunWriter(RUN_B, T0 + 1));
    const runs = runListSchema.parse(await cli.json("run", "list"));
    expect(runs.map(({ id, stepCount, status }) => [id, stepCount, status])).toEqual([
      [RUN_B, 0, "abandoned"],
      [RUN_A, 6, "completed"],
    ]);
  });

  test("shows the newest 20, and gives programs all", async () => {
    const runs = Array.from({ length: 60 }, (_, index) =>
      new RunWriter(`run_${String(index).padStart(32, "0")}`, T0 + index).call("t", '"word"', null, 1).end(),
    );
    const cli = new TestCli().record(...runs);
    await cli.run("run", "list");
    expect(cli.stdout.trimEnd().split("\n")).toHaveLength(21);
    expect(cli.stderr).toContain("There are more");
    expect(await cli.json("run", "list")).toHaveLength(60);
    expect(cli.stderr).toBe("");
    expect(await cli.json("run", "list", "--limit", "7")).toHaveLength(7);
    expect(await cli.json("run", "search", "word")).toHaveLength(60);
  });

  test.each([40, 60, 80, 100, 120])("fits a terminal of %i columns", async (columns) => {
    const cli = new TestCli({ terminal: { color: false, columns, interactive: true } }).record(
      eventfulRun(),
      new RunWriter(RUN_C, T0 + 1, {
        host: { app: "an-application-with-a-long-name", version: "1.2.3-beta" },
        wrappedServers: ["everything", "宽".repeat(20), "filesystem"],
      }).end(),
    );
    await cli.run("run", "list");
    const lines = cli.stdout.trimEnd().split("\n");
    expect(lines).toHaveLength(3);
    for (const line of lines) expect(Bun.stringWidth(line), line).toBeLessThanOrEqual(columns);
    if (columns >= 80) expect(lines[2]).toContain("! 3 lost");
    expect(lines[1]).toContain(RUN_C.slice(0, 10));
    expect(lines.join()).toContain("…");
  });

  test("goes on where a page ended", async () => {
    const cli = new TestCli().record(new RunWriter(RUN_A, T0).end(), new RunWriter(RUN_C, T0 + 1).end());
    await cli.run("run", "list", "--limit", "1");
    expect(cli.stdout).toContain(RUN_C.slice(0, 16));
    const next = /bir (run list --before \S+)`/.exec(cli.stderr)?.[1] ?? expect.fail(cli.stderr);
    await cli.run(...next.split(" "));
    expect(cli.stdout).toContain(RUN_A.slice(0, 16));
    expect(cli.stdout).not.toContain(RUN_C.slice(0, 16));
    expect(cli.stderr).toBe("");
  });

  test("filters, and tells nothing recorded from nothing that fits", async () => {
    const cli = new TestCli();
    expect(await cli.run("run", "list")).toBe(0);
    expect([cli.stdout, cli.stderr]).toEqual([
      "",
      expect.stringMatching(/^There is no recorded run yet\. `bir install`/),
    ]);
    expect(await cli.json("run", "list")).toEqual([]);
    cli.record(eventfulRun());
    for (const filter of ["--here", "--server git", "--host cursor", "--status failed"]) {
      await cli.run("run", "list", ...filter.split(" "));
      expect(cli.stderr, filter).toBe("No run fits.\n");
    }
    for (const filter of ["--server files", "--host claude-code", "--status completed"]) {
      await cli.run("run", "list", ...filter.split(" "));
      expect(cli.stdout, filter).toContain("claude-code");
    }
  });
});

describe("bir run show --json", () => {
  test("is the run, exactly", async () => {
    const cli = new TestCli().record(eventfulRun());
    const run = runSchema.parse(await cli.json("run", "show", RUN_A.slice(0, 16)));
    expect(run.steps.map(({ index, seq, status }) => [index, seq, status])).toEqual([
      [0, 0, "ok"],
      [1, 1, "error"],
      [2, 3, "ok"],
      [3, 4, "ok"],
      [4, 5, "error"],
      [5, 6, "cancelled"],
    ]);
    expect(run).toMatchObject({ hostHookCalls: 2, usage: null, sessionId: "session-1" });
    expect(cli.stdout).toContain('"n": 12345678901234567890');
    expect(cli.stdout).toContain('"a": 1.0');
    expect(cli.stdout).toContain('"big": 1e400');
  });

  test("has what was kept of a payload that was too large", async () => {
    const cut = '{"truncated":true,"originalBytes":5000000,"head":"{","tail":"}"}';
    const cli = new TestCli().record(new RunWriter(RUN_A, T0).call("big", cut, cut, 1, { truncated: true }).end());
    const [step] = runSchema.parse(await cli.json("run", "show")).steps;
    expect(step?.truncated).toBe(true);
    for (const payload of [step?.args, step?.result]) {
      expect(truncatedPayloadSchema.parse(payload).originalBytes).toBe(5_000_000);
    }
  });

  test("a run that is not there is a failure, in JSON too", async () => {
    const cli = new TestCli().record(eventfulRun());
    expect(await cli.run("run", "show", "zzz", "--json")).toBe(1);
    expect(problemSchema.parse(JSON.parse(cli.stdout)).error.code).toBe("no-such-run");
    expect(await cli.run("run", "show", "zzz")).toBe(1);
    expect(cli.stderr).toBe("bir: there is no run `zzz`. `bir run list` shows the runs there are.\n");
  });

  test("nothing recorded yet says what to do", async () => {
    const cli = new TestCli();
    const hint =
      "`bir install` has your MCP servers recorded; then start your application again and use one. `bir doctor` says what is amiss.";
    for (const [line, exitCode] of [
      ["run show", 1],
      ["run export", 1],
      ["run list", 0],
      ["run search x", 0],
    ] as const) {
      expect(await cli.run(...line.split(" ")), line).toBe(exitCode);
      expect(cli.stderr, line).toMatch(/^(?:bir: t|T)here is no recorded run yet\. /);
      expect(cli.stderr, line).toContain(hint);
    }
    expect(await cli.json("run", "show")).toEqual({
      error: { code: "no-runs", message: "there is no recorded run yet", hint },
    });
  });

  test("nothing recorded while reports wait for the server names what takes them up", async () => {
    const cli = new TestCli();
    mkdirSync(join(cli.home, "spool"), { recursive: true });
    writeFileSync(join(cli.home, "spool", "a-1.ndjson"), "");
    await cli.run("run", "show");
    expect(cli.stderr).toContain("1 report file waits for the control server: `bir up` takes it up.\n");
    writeFileSync(join(cli.home, "spool", "a-2.ndjson"), "");
    await cli.run("run", "list");
    expect(cli.stderr).toContain("2 report files wait for the control server: `bir up` takes them up.\n");
  });
});

test("the proxy's help says where an entry of the whole user records", async () => {
  const cli = new TestCli();
  await cli.run("proxy", "--help");
  expect(cli.stdout.replaceAll(/\s+/g, " ")).toContain(
    "With --scope user it records only where `bir install` was run.",
  );
});

describe("bir run delete", () => {
  test("deletes the named runs after a yes", async () => {
    const cli = new TestCli({ terminal: { color: false, columns: 80, interactive: true } });
    cli.record(eventfulRun(), new RunWriter(RUN_B, T0).end());
    cli.answers = ["", "no", "y"];
    expect(await cli.run("run", "delete", RUN_A)).toBe(1);
    expect(cli.stderr).toBe(`Delete ${RUN_A} for good? [y/N] Nothing was deleted.\n`);
    expect(await cli.run("run", "delete", RUN_A)).toBe(1);
    expect(await cli.run("run", "delete", RUN_A)).toBe(0);
    expect(cli.stdout).toBe("Deleted 1 run.\n");
    expect(runListSchema.parse(await cli.json("run", "list")).map(({ id }) => id)).toEqual([RUN_B]);
  });

  test("without a terminal needs --yes", async () => {
    const cli = new TestCli().record(eventfulRun());
    expect(await cli.run("run", "delete", "--all")).toBe(2);
    expect(cli.stderr).toBe("bir: there is nobody to ask. Add --yes to delete without a question.\n");
    expect(deletionSchema.parse(await cli.json("run", "delete", "--all", "--yes"))).toEqual({
      deleted: [RUN_A],
      kept: [],
      wiped: true,
    });
  });

  test("--before takes only older ones", async () => {
    const cli = new TestCli();
    cli.record(new RunWriter(RUN_A, T0 - 3 * DAY).end(), new RunWriter(RUN_B, T0 - DAY).end());
    expect(await cli.run("run", "delete", "--before", "2d", "--yes")).toBe(0);
    expect(runListSchema.parse(await cli.json("run", "list")).map(({ id }) => id)).toEqual([RUN_B]);
    expect(await cli.run("run", "delete", "--before", "2d")).toBe(0);
    expect(cli.stdout).toBe("Deleted 0 runs.\n");
  });

  test("never takes a run that is being recorded", async () => {
    const cli = new TestCli().record(new RunWriter(RUN_A, T0), new RunWriter(RUN_B, T0).end());
    cli.alive.push(`${OWNER.pid} ${OWNER.startedAt}`);
    expect(await cli.run("run", "delete", RUN_B, RUN_A, "--yes")).toBe(1);
    expect(cli.stderr).toBe(`bir: ${RUN_A} is being recorded just now. End its session first.\n`);
    expect(await cli.run("run", "delete", "--all", "--yes")).toBe(0);
    expect(cli.stdout).toBe("Deleted 1 run.\n");
    expect(cli.stderr).toBe("Kept 1 run being recorded just now.\n");
    expect(runListSchema.parse(await cli.json("run", "list")).map(({ id }) => id)).toEqual([RUN_A]);
  });

  test("takes whole ids from stdin, and none for another's beginning or for a word", async () => {
    const cli = new TestCli();
    const ids = ["run_10", "latest", "a\u0000b", "--all"];
    cli.record(...ids.map((id) => new RunWriter(id, T0).end()));
    cli.input = '["run_1", "run_", "latest", "a\\u0000b", "--all"]';
    expect(await cli.run("run", "delete", "--ids-stdin", "--yes")).toBe(0);
    expect(cli.stdout).toBe("Deleted 3 runs.\n");
    expect(runListSchema.parse(await cli.json("run", "list")).map(({ id }) => id)).toEqual(["run_10"]);
    cli.input = "run_10";
    expect(await cli.run("run", "delete", "--ids-stdin", "--yes")).toBe(2);
    expect(cli.stderr).toBe("bir: what is in stdin is no list of ids. Write a JSON array of whole ids.\n");
  });

  test("a name that fits no run deletes nothing", async () => {
    const cli = new TestCli().record(eventfulRun());
    expect(await cli.run("run", "delete", RUN_A, "zzz", "--yes")).toBe(1);
    expect(await cli.json("run", "list")).toHaveLength(1);
  });
});

describe("bir off and on", () => {
  const isOff = (cli: TestCli) => isSwitchedOff(cli.cwd, cli.home);

  test("switch everything, as often as one likes", async () => {
    const cli = new TestCli();
    expect(await cli.run("off")).toBe(0);
    expect(await cli.run("off")).toBe(0);
    expect(cli.stdout).toBe("Recording is off everywhere. `bir on` turns it on again.\n");
    expect(await isOff(cli)).toBe(true);
    expect(statSync(cli.home).mode & 0o777).toBe(0o700);
    expect(statSync(join(cli.home, "off")).mode & 0o777).toBe(0o600);
    expect(await cli.run("on")).toBe(0);
    expect(await cli.run("on")).toBe(0);
    expect(cli.stdout).toBe("Recording is on.\n");
    expect(await isOff(cli)).toBe(false);
  });

  test("--here switches this directory and below", async () => {
    const cli = new TestCli();
    await cli.run("off", "--here");
    expect(cli.stdout).toBe(
      `Recording is off in ${cli.cwd} and below. \`bir on --here\`, run there, turns it on again.\n`,
    );
    expect(await isSwitchedOff(join(cli.cwd, "deep"), cli.home)).toBe(true);
    expect(await isSwitchedOff(`${cli.cwd}b`, cli.home)).toBe(false);
    const below = { ...cli.context, cwd: join(cli.cwd, "deep") };
    const deep = Object.assign(new TestCli(), { context: below });
    below.print = async (printed) => {
      deep.stdout += printed;
    };
    await deep.run("on", "--here");
    expect(deep.stdout).toContain(`Recording is off in ${cli.cwd} and below.`);
    await cli.run("on", "--here");
    expect(cli.stdout).toBe("Recording is on.\n");
    expect(await isOff(cli)).toBe(false);
  });

  test("the switch tells which directory it is for", async () => {
    const cli = new TestCli();
    await cli.run("off", "--here");
    const directory = join(cli.home, "off.d");
    const contents = readdirSync(directory).map((name) => JSON.parse(readFileSync(join(directory, name), "utf8")));
    expect(contents).toEqual([{ directory: cli.cwd }]);
  });

  test("one switch taken back leaves the others in force, and says so", async () => {
    const cli = new TestCli();
    cli.context.env.BIR_OFF = "1";
    await cli.run("off", "--here");
    await cli.run("off");
    expect(switchesSchema.parse(await cli.json("on"))).toEqual({
      recording: false,
      everywhere: false,
      directory: cli.cwd,
      environment: true,
    });
    await cli.run("on", "--here");
    expect(cli.stdout).toBe("Recording is off where BIR_OFF is set, as it is in this shell.\n");
    cli.context.env.BIR_OFF = "0";
    expect(switchesSchema.parse(await cli.json("on")).recording).toBe(true);
  });

  test("a home that cannot be used is told, exit 3", async () => {
    const cli = new TestCli();
    writeFileSync(cli.home, "");
    const what = `${cli.home} is not a directory. Move it away, or set BIR_HOME to a directory of yours.`;
    await expectSaidByAll(cli, what);
    expect(await cli.run("run", "list")).toBe(3);
    expect(cli.stderr).toBe(`bir: ${what}\n`);
  });

  test("a home that cannot be made is told in the same words by all", async () => {
    const file = new TestCli();
    writeFileSync(file.home, "");
    const below = join(file.home, "deeper", "home");
    const missing = `${below} does not exist and cannot be made: ${file.home} is not a directory.`;
    await expectSaidByAll(new TestCli({ home: below }), `${missing} Set BIR_HOME to a directory of yours.`);
    if (process.platform !== "linux") return;
    const why = "/proc/nope does not exist and cannot be made: /proc belongs to the system and holds no other files.";
    await expectSaidByAll(new TestCli({ home: "/proc/nope" }), `${why} Set BIR_HOME to a directory of yours.`);
  });
});

/** That nothing can be recorded, by every command that should know it. */
async function expectSaidByAll(cli: TestCli, what: string): Promise<void> {
  for (const words of [["off"], ["off", "--here"], ["on"], ["on", "--here"]]) {
    expect(await cli.run(...words), words.join(" ")).toBe(3);
    expect([cli.stdout, cli.stderr]).toEqual(["", `bir: ${what}\n`]);
  }
  expect(await cli.run("status")).toBe(3);
  expect(cli.stdout).toContain(`Recording       ✗ is not possible: ${what}\n`);
  expect(cli.stdout).not.toContain("Recording is on");
  expect(statusSchema.parse(await cli.json("status")).problem?.code).toBe("home-unusable");
  expect(await cli.run("doctor")).toBe(1);
  expect(cli.stdout.replace("\n           → ", ". ")).toContain(`✗ broken   home: ${what}\n`);
  expect(cli.stdout.match(/✗ broken/g)).toHaveLength(1);
}

describe("bir status", () => {
  test("of an empty home", async () => {
    const cli = new TestCli();
    const found = statusSchema.parse(await cli.json("status"));
    expect(found).toMatchObject({ store: { exists: false, runs: 0, version: null }, recordings: [], problem: null });
    expect(existsSync(cli.home)).toBe(false);
  });

  test("tells what is recorded, what is being recorded, and what was lost lately", async () => {
    const cli = new TestCli().record(
      eventfulRun(),
      new RunWriter(RUN_B, T0 - 30 * DAY).gap("rejected", 1).end(),
      new RunWriter(RUN_C, T0),
    );
    cli.alive.push(`${OWNER.pid} ${OWNER.startedAt}`);
    const found = statusSchema.parse(await cli.json("status"));
    expect(found.store).toMatchObject({ exists: true, version: SCHEMA_VERSION, runs: 3, steps: 6 });
    expect(found.store.sizeBytes).toBeGreaterThan(4096);
    expect(found.recordings).toEqual([
      {
        runId: RUN_C,
        pid: OWNER.pid,
        host: { app: "claude-code", version: "2.1.332" },
        servers: ["everything"],
        cwd: "/home/ada/project",
        startedAt: T0,
        stepCount: 0,
      },
    ]);
    expect(found.lossyRuns).toEqual([{ runId: RUN_A, startedAt: T0, lost: 3 }]);
    await cli.run("status");
    expect(cli.stdout).toContain("Store           3 runs, 6 calls, ");
    expect(cli.stdout).toContain(
      "Recording       everything for claude-code: /home/ada/project, 0 calls, 3 min ago, pid 4711",
    );
    expect(cli.stdout).toContain("! 1 incomplete run:");
  });

  test("counts calls that read lost among what was lost", async () => {
    const abandoned = new RunWriter(RUN_A, T0);
    abandoned.open("slow", "{}");
    abandoned.call("quick", "{}", null, 1);
    const interrupted = new RunWriter(RUN_B, T0 + 1);
    interrupted.close(interrupted.open("slow", "{}"), "lost", null).gap("rejected", 2).end("interrupted");
    const cli = new TestCli().record(abandoned, interrupted, new RunWriter(RUN_C, T0 + 2).end());
    const { lossyRuns } = statusSchema.parse(await cli.json("status"));
    expect(lossyRuns).toEqual([
      { runId: RUN_B, startedAt: T0 + 1, lost: 3 },
      { runId: RUN_A, startedAt: T0, lost: 1 },
    ]);
    await cli.run("run", "list");
    expect(cli.stdout).toMatch(/… abandoned, ! 1 lost$/m);
    cli.alive.push(`${OWNER.pid} ${OWNER.startedAt}`);
    expect(statusSchema.parse(await cli.json("status")).lossyRuns).toHaveLength(1);
  });

  test("tells why the store cannot be read, and still all the rest", async () => {
    const cli = new TestCli();
    mkdirSync(cli.home);
    writeFileSync(join(cli.home, "recordings.db"), "no store ".repeat(200));
    expect(await cli.run("status", "--json")).toBe(1);
    const found = statusSchema.parse(JSON.parse(cli.stdout));
    expect(found.problem?.code).toBe("store-corrupt");
    expect(found.switches.recording).toBe(true);
    expect(await cli.run("status")).toBe(1);
    expect(cli.stdout).toContain("is damaged or is not a store of recordings");
    expect(cli.stdout).toContain("Recording is on.");
  });
});

describe("completions", () => {
  const proposed = async (cli: TestCli, ...words: string[]) => {
    expect(await cli.run("__complete", ...words)).toBe(0);
    return cli.stdout.split("\n").flatMap((line) => (line === "" ? [] : [line.split("\t")[0]]));
  };

  test("propose commands, options, values and runs", async () => {
    const cli = new TestCli().record(eventfulRun());
    expect(await proposed(cli, "")).toEqual(Object.keys(COMMANDS.commands));
    expect(await proposed(cli, "run", "s")).toEqual(["show", "search"]);
    expect(await proposed(cli, "run", "show", "--")).toEqual(["--full", "--json", "--help"]);
    expect(await proposed(cli, "run", "show", "")).toEqual(["latest", RUN_A]);
    expect(await proposed(cli, "run", "list", "--status", "a")).toEqual(["abandoned"]);
    expect(await proposed(cli, "completions", "z")).toEqual(["zsh"]);
  });

  test("say of a run when it was, and of what", async () => {
    const cli = new TestCli().record(eventfulRun());
    await cli.run("__complete", "run", "show", "");
    expect(cli.stdout).toBe(`latest\tThe newest run\n${RUN_A}\t2026-11-24 14:00:00 everything, files\n`);
  });

  test("propose recorded servers, those that are one plain word", async () => {
    const odd = ["git", "two words", "a\tb\nc", "$(reboot)"];
    const cli = new TestCli().record(eventfulRun(), new RunWriter(RUN_B, T0, { wrappedServers: odd }).end());
    expect(await proposed(cli, "run", "list", "--server", "")).toEqual(["everything", "files", "git"]);
    expect(await proposed(cli, "run", "search", "--server", "f")).toEqual(["files"]);
  });

  test("propose the proxy's options, up to the server's command", async () => {
    const cli = new TestCli();
    const all = (await proposed(cli, "proxy", "")).map(String);
    expect(all).toContain("--");
    const values: Record<string, string> = { "--server-name": "x", "--scope": "user", "--transport": "sse" };
    Object.assign(values, { "--url": "https://example.com", "--header": "a: b", "--bearer-env": "TOKEN" });
    for (const name of all.filter((word) => word !== "--" && word !== "--help")) {
      const words = values[name] === undefined ? [name] : [name, values[name]];
      const isRemote = ["--url", "--transport", "--header", "--bearer-env"].includes(name);
      const { command, remote } = readProxyOptions(
        isRemote ? ["--url", "https://example.com", ...words] : [...words, "--", "server"],
      );
      expect([command, remote?.url.href], name).toEqual(
        isRemote ? [null, "https://example.com/"] : [["server"], undefined],
      );
    }
    expect(all).toHaveLength(13);
    expect(await proposed(cli, "proxy", "--re")).toEqual(["--restart"]);
    expect(await proposed(cli, "proxy", "--scope", "")).toEqual(["user"]);
    expect(await proposed(cli, "proxy", "--transport", "")).toEqual(["http", "sse"]);
    expect(await proposed(cli, "proxy", "--transport", "s")).toEqual(["sse"]);
    for (const name of ["--server-name", "--url", "--header", "--bearer-env"]) {
      expect(await proposed(cli, "proxy", name, ""), name).toEqual([]);
    }
    expect(await proposed(cli, "proxy", "--", "")).toEqual([]);
    expect(await proposed(cli, "pro")).toEqual(["proxy"]);
  });

  test("propose nothing where nothing is known or the store is in trouble", async () => {
    const cli = new TestCli();
    expect(await proposed(cli, "nonsense", "")).toEqual([]);
    writeFileSync(cli.home, "");
    expect(await proposed(cli, "run", "show", "r")).toEqual([]);
    expect(cli.stderr).toBe("");
  });

  test.each(["bash", "zsh", "fish", "powershell", "PowerShell"])(
    "a script for %s asks the executable",
    async (shell) => {
      const cli = new TestCli();
      expect(await cli.run("completions", shell)).toBe(0);
      expect(cli.stdout).toContain("bir __complete");
    },
  );

  test("the script for bash is one, and completes", async () => {
    const cli = new TestCli();
    await cli.run("completions", "bash");
    const script = join(cli.cwd, "bir.bash");
    writeFileSync(script, cli.stdout);
    expect(Bun.spawnSync(["bash", "-n", script]).exitCode).toBe(0);
    const asks = `
      bir() { printf '%s\\tdescribed\\n' show "got:$*" ; }
      source "$1"; COMP_WORDS=(bir run sh); COMP_CWORD=2; _bir; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const { stdout, exitCode } = Bun.spawnSync(["bash", "-c", asks, "bash", script]);
    expect(exitCode).toBe(0);
    expect(stdout.toString()).toBe("show\ngot:__complete run sh\n");
  });
});

describe("a fault of ours", () => {
  test("is told in one line, exit 70, its place only with BIR_DEBUG", async () => {
    const cli = new TestCli({
      now: () => {
        throw new TypeError("the clock is gone");
      },
    }).record(eventfulRun());
    expect(await cli.run("run", "list")).toBe(70);
    expect(cli.stderr).toBe(
      "bir: this is a fault in bir itself (TypeError: the clock is gone). Please report it with the command you ran; BIR_DEBUG=all adds where it happened.\n",
    );
    cli.context.env.BIR_DEBUG = "all";
    await cli.run("run", "list");
    expect(cli.stderr).toContain("cli.test.ts");
  });

  test("what the system refuses is not one", async () => {
    const full = Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC" });
    const cli = new TestCli({ print: () => Promise.reject(full) });
    for (const words of [["status"], ["status", "--json"]]) {
      expect(await cli.run(...words)).toBe(1);
      expect(cli.stderr).toBe("bir: the system refused: the disk is full. Put that right and try again.\n");
    }
  });
});

describe("words for times and sizes", () => {
  test.each([
    [0, "just now"],
    [59_999, "59 s ago"],
    [3_600_000, "1 h ago"],
    [49 * 3_600_000, "2 d ago"],
  ])("%i ms before now is %s", (passed, words) => {
    expect(ago(T0 - passed, T0)).toBe(words);
  });

  test.each([
    [0.4, "<1 ms"],
    [999.4, "999 ms"],
    [12_340, "12.3 s"],
    [125_000, "2 min 5 s"],
    [4_800_000, "1 h 20 min"],
  ])("%f ms is %s", (ms, words) => {
    expect(span(ms)).toBe(words);
  });

  test.each([
    [1023, "1023 B"],
    [1536, "1.5 KiB"],
    [5 * 1024 ** 3, "5.0 GiB"],
  ])("%i bytes are %s", (bytes, words) => {
    expect(size(bytes)).toBe(words);
  });

  test("moments as people type them", () => {
    expect(parseMoment("30d", T0)).toBe(T0 - 30 * DAY);
    expect(parseMoment("90m", T0)).toBe(T0 - 5_400_000);
    expect(parseMoment("2026-11-24", T0)).toBe(new Date(2026, 10, 24).getTime());
    expect(parseMoment("2026-11-24T14:00Z", T0)).toBe(Date.UTC(2026, 10, 24, 14));
    for (const wrong of ["", "30", "2026-13-01", "2026-02-30", "24.11.2026", "1e3d", "yesterday"]) {
      expect(() => parseMoment(wrong, T0), wrong).toThrow("write a date");
    }
  });
});

test("every answer in JSON has its schema, and ends with a line feed", async () => {
  const cli = new TestCli().record(eventfulRun());
  const schemas = {
    "run list": runListSchema,
    "run show": runSchema,
    "run search hello": searchSchema,
    status: statusSchema,
    on: switchesSchema,
  };
  for (const [line, schema] of Object.entries(schemas)) {
    schema.parse(await cli.json(...line.split(" ")));
    expect(cli.stdout.endsWith("\n"), line).toBe(true);
  }
});
