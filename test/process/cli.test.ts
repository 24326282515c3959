/** The command line for people, as the executable runs it: whole output into any pipe, JSON as its schemas say. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect } from "vitest";
import {
  doctorSchema,
  exportLineSchema,
  problemSchema,
  searchSchema,
  statusSchema,
} from "../../src/core/schema/answers.ts";
import { runListSchema, runSchema } from "../../src/core/schema/run.ts";
import { BIR } from "../harness/locations.ts";
import { test } from "../harness/process-test.ts";
import { needs } from "../harness/requirement.ts";
import type { Sandbox } from "../harness/sandbox.ts";
import { eventfulRun, RUN_A, RUN_B, RunWriter, record, T0, text } from "../unit/cli-fixture.ts";

/** A run whose export is more than any pipe holds. */
function largeRun(): RunWriter {
  const run = new RunWriter(RUN_B, T0 + 1000);
  const lines = Array.from({ length: 200 }, (_, index) => `line ${index} ${"x".repeat(50)}`).join("\n");
  for (let index = 0; index < 30; index++) run.call("dump", JSON.stringify({ index }), text(lines), 5);
  return run.end();
}

async function shell(
  box: Sandbox,
  script: string,
  ...args: string[]
): Promise<{ code: number | null; stdout: string }> {
  const running = box.start(["bash", "-c", script, "bash", BIR, ...args]);
  const { code } = await running.finish();
  return { code, stdout: running.stdout.text() };
}

describe("output", () => {
  test("is whole when the reader is slow", async ({ box }) => {
    record(box.birHome, largeRun());
    const direct = await box.bir(["run", "export"]);
    expect(direct.code).toBe(0);
    expect(Buffer.byteLength(direct.stdout)).toBeGreaterThan(300 * 1024);
    // Nothing tells when the pipe is full; a writer that does not wait has long ended after this second.
    const { stdout } = await shell(box, `"$1" run export | { sleep 1; cat; }; echo "$\{PIPESTATUS[0]}"`);
    expect(stdout).toBe(`${direct.stdout}0\n`);
  });

  test.for([
    [["run", "export"]],
    [["run", "export", "--format", "md"]],
    [["run", "show", "--full"]],
    [["run", "show", "--json"]],
    [["run", "search", "line", "--json"]],
    [["proxy", "--help"]],
    [["--help"]],
  ])("into a pipe that closes early is no error: bir %s", async ([words], { box }) => {
    record(box.birHome, largeRun());
    const script = `{ "$@" 2>stderr; echo "$?" >code; } | head -n 1 >first; cat code stderr`;
    const running = box.start(["bash", "-c", script, "bash", BIR, ...(words as string[])]);
    expect(await running.finish()).toEqual({ code: 0, signal: null });
    expect(running.stdout.text()).toBe("0\n");
  });

  test.for([["run", "export"], ["proxy", "--help"], ["--help"], ["status", "--json"]])(
    "that the disk does not take is told: bir %s %s",
    async (words, { box, task }) => {
      needs(task.context, process.platform === "linux", "/dev/full is Linux's");
      record(box.birHome, eventfulRun());
      const { stdout } = await shell(box, `"$@" >/dev/full 2>stderr; echo "$?"; cat stderr`, ...words);
      expect(stdout).toBe(
        "1\nbir: the output could not be written: the disk is full. Send it to another place, or put that right and try again.\n",
      );
    },
  );

  test("of the proxy's help into a pipe that nobody reads is no error", async ({ box }) => {
    // The reader is gone before there is anything to read.
    const script = `exec 3> >(:); wait $!; "$1" proxy --help >&3; echo "$?"`;
    const { stdout } = await shell(box, script);
    expect(stdout).toBe("0\n");
  });
});

describe("--json", () => {
  test("of every command is what its schema says", async ({ box }) => {
    record(box.birHome, eventfulRun(), largeRun());
    const answer = async (...words: string[]) => {
      const { code, stdout, stderr } = await box.bir([...words, "--json"]);
      expect([code, stderr]).toEqual([0, ""]);
      return JSON.parse(stdout);
    };
    expect(runListSchema.parse(await answer("run", "list")).map(({ id }) => id)).toEqual([RUN_B, RUN_A]);
    expect(runSchema.parse(await answer("run", "show", RUN_A)).steps).toHaveLength(6);
    expect(searchSchema.parse(await answer("run", "search", "hello"))).not.toHaveLength(0);
    expect(statusSchema.parse(await answer("status")).store.runs).toBe(2);
    expect(doctorSchema.parse(await answer("doctor")).ok).toBe(true);
    const exported = await box.bir(["run", "export", RUN_A]);
    const lines = exported.stdout.trimEnd().split("\n");
    expect(lines.map((line) => exportLineSchema.parse(JSON.parse(line)).type)).toEqual([
      "run",
      "step",
      "step",
      "note",
      "step",
      "step",
      "step",
      "step",
    ]);
  });

  test("of a failure is on stdout, with the exit code of the failure", async ({ box }) => {
    const failed = await box.bir(["run", "show", "nope", "--json"]);
    expect([failed.code, failed.stderr]).toEqual([1, ""]);
    expect(problemSchema.parse(JSON.parse(failed.stdout)).error.code).toBe("no-such-run");
    const wrong = await box.bir(["run", "shwo", "--json"]);
    expect(wrong.code).toBe(2);
    expect(problemSchema.parse(JSON.parse(wrong.stdout)).error.message).toContain("did you mean `show`?");
  });
});

describe("the executable", () => {
  test("does not make a home by being asked", async ({ box }) => {
    for (const words of [["run", "list"], ["status"], ["doctor"], ["--help"], ["completions", "bash"]]) {
      const { code, stderr } = await box.bir(words);
      expect([code, stderr.includes("fault")], words.join(" ")).toEqual([0, false]);
    }
    const { stdout } = await shell(box, `ls -A "$HOME"`);
    expect(stdout).toBe("");
  });

  test("refuses a wrong command line with 2, on stderr", async ({ box }) => {
    const { code, stdout, stderr } = await box.bir(["run", "list", "--limt", "3"]);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toBe("bir: there is no option `--limt`; did you mean `--limit`? See `bir run list --help`.\n");
  });

  test("switches recording off and on", async ({ box }) => {
    expect((await box.bir(["off", "--here"])).stdout).toContain(`Recording is off in ${box.cwd} and below.`);
    expect((await box.bir(["status"])).stdout).toContain("Recording is off in");
    expect((await box.bir(["on", "--here"])).stdout).toBe("Recording is on.\n");
  });

  test("asks nobody where nobody can answer", async ({ box }) => {
    record(box.birHome, eventfulRun());
    const { code, stderr } = await box.bir(["run", "delete", "--all"], { stdin: "y\n" });
    expect(code).toBe(2);
    expect(stderr).toContain("Add --yes");
    expect((await box.bir(["run", "delete", "--all", "--yes"])).stdout).toBe("Deleted 1 run.\n");
  });

  test("is warned of BUN_OPTIONS by its doctor", async ({ box }) => {
    const { code, stdout } = await box.bir(["doctor"], { env: { BUN_OPTIONS: "--smol" } });
    expect(code).toBe(0);
    expect(stdout).toContain("! warning  runtime-variables: BUN_OPTIONS is set");
  });
});

describe("completion scripts", () => {
  test.for(["bash", "zsh", "fish"])("for %s have no fault of syntax", async (name, { box, task }) => {
    needs(task.context, Bun.which(name) !== null, `${name} is not installed`);
    const script = await box.bir(["completions", name]);
    expect(script.code).toBe(0);
    const path = join(box.cwd, `bir.${name}`);
    writeFileSync(path, script.stdout);
    const check = box.start([name, "-n", path]);
    expect(await check.finish()).toEqual({ code: 0, signal: null });
    expect(check.stderr.text()).toBe("");
  });

  test("for bash propose what the executable knows", async ({ box }) => {
    record(box.birHome, eventfulRun());
    const script = `PATH="$(dirname "$1"):$PATH"; source <(bir completions bash)
      COMP_WORDS=(bir run show ""); COMP_CWORD=3; _bir; echo "$\{COMPREPLY[*]}"`;
    const { stdout } = await shell(box, script);
    expect(stdout).toBe(`latest ${RUN_A}\n`);
  });
});
