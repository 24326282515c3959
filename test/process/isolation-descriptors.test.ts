/**
 * stdin, stdout and stderr belong to others too: a terminal, a shell, the servers beside us. What the proxy sets on them for
 * itself is gone with it, and it never waits for a reader of stderr.
 */

import { closeSync, constants, openSync, readFileSync, writeSync } from "node:fs";
import { describe, expect } from "vitest";
import { BIR } from "../harness/locations.ts";
import { test } from "../harness/process-test.ts";
import { needs } from "../harness/requirement.ts";
import type { Sandbox } from "../harness/sandbox.ts";
import { ComparedSession } from "./faults/compared-session.ts";
import { onlyStoredRun } from "./faults/stored-runs.ts";

const linux = process.platform === "linux";

/** Writes the open files' flags, and a terminal's settings, to $1 before and after running the rest. */
const WATCHER = `
show() {
  for n in 0 1 2; do sed -n 's/^flags:[[:space:]]*//p' /proc/$$/fdinfo/$n; done
  if [ -t 0 ]; then stty -g; fi
}
out=$1
shift
before=$(show)
"$@"
echo $? >"$out.status"
after=$(show)
echo "$before" >"$out.before"
echo "$after" >"$out.after"
`;

interface Watched {
  before: string;
  after: string;
  status: string;
}

function watched(out: string): Watched {
  const read = (what: string) => readFileSync(`${out}.${what}`, "utf8");
  return { before: read("before"), after: read("after"), status: read("status").trim() };
}

const WAYS = [
  ["recording", {}],
  ["switched off", { BIR_OFF: "1" }],
] as const;

/** Servers that end by themselves, wait for EOF, and leave unread and unfinished output. */
const SERVERS = ["exit 3", "cat >/dev/null; exit 3", "echo x; printf half; echo err >&2; exit 3"];

describe.each(WAYS)("flags of shared files (%s)", (_, env) => {
  async function watch(box: Sandbox, server: string, around: (watcher: string[]) => string[]): Promise<Watched> {
    const out = box.file("flags");
    const watcher = ["sh", box.file("watch.sh", WATCHER), out, BIR, "proxy", "--", "sh", "-c", server];
    const host = box.start(around(watcher), { env });
    await host.finish();
    return watched(out);
  }

  test.for(SERVERS)("of pipes are as before (%s)", async (server, { box, task }) => {
    needs(task.context, linux, "flags of open files are read from /proc");
    const { before, after, status } = await watch(box, server, (watcher) => [
      "sh",
      "-c",
      'cat | "$@" 2>&1 | cat',
      "sh",
      ...watcher,
    ]);
    expect(before).toBe("00\n01\n01\n");
    expect(after).toBe(before);
    expect(status).toBe("3");
  });

  test.for(SERVERS)("and settings of a terminal are as before (%s)", async (server, { box, task }) => {
    needs(task.context, linux && Bun.which("script") !== null, "a terminal is made by script(1) of util-linux");
    const quoted = (words: string[]) => words.map((word) => `'${word.replaceAll("'", String.raw`'\''`)}'`).join(" ");
    const { before, after, status } = await watch(box, server, (watcher) => [
      "script",
      "-qec",
      quoted(watcher),
      "/dev/null",
    ]);
    expect(before.split("\n").slice(0, 3)).toEqual(["02", "02", "02"]);
    expect(before).toMatch(/\n[0-9a-f]+(:[0-9a-f]+)+\n$/);
    expect(after).toBe(before);
    expect(status).toBe("3");
  });
});

describe("stderr", () => {
  /** A pipe that nobody reads and that has no room left. */
  function fullPipe(box: Sandbox): { path: string; close: () => void } {
    const path = box.file("stderr");
    Bun.spawnSync(["mkfifo", path]);
    const pipe = openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
    for (let size = 65_536; size >= 1; ) {
      try {
        writeSync(pipe, Buffer.alloc(size, 0x2e));
      } catch {
        size >>= 1;
      }
    }
    return { path, close: () => closeSync(pipe) };
  }

  test("that nobody reads, full to the last byte: the session goes on, also when there is something to say", async ({
    box,
    task,
  }) => {
    needs(task.context, linux, "opening both ends of a named pipe at once is Linux's");
    const pipe = fullPipe(box);
    const session = box.start(
      ["sh", "-c", 'exec "$@" 2>"$FULL"', "sh", BIR, "proxy", "--server-name", "fake", "--", ...box.fake("--quiet")],
      { env: { BIR_HOME: box.file("home", "a file"), FULL: pipe.path } },
    );
    for (let id = 0; id < 20; id++) await session.call(id, "stderr", { text: `line ${id}\n` });
    expect(await session.finish()).toEqual({ code: 0, signal: null });
    pipe.close();
  });

  test("that is closed: the session is recorded, and nothing is written to another file instead", async ({ box }) => {
    const session = new ComparedSession(box, { wrap: ["sh", "-c", 'exec "$@" 2>&-', "sh"] });
    for (let id = 0; id < 10; id++) await session.call(id, "stderr", { text: `line ${id}\n` });
    await session.finish();
    expect(onlyStoredRun(box.birHome).steps).toHaveLength(10);
    expect(session.host.stdout.text()).not.toContain("[fake]");
  });

  test("whose reader has gone away: the session goes on", async ({ box }) => {
    const session = new ComparedSession(box, {
      wrap: ["sh", "-c", 'mkfifo p && { sleep 0 <p & exec "$@" 2>p; }', "sh"],
    });
    for (let id = 0; id < 10; id++) await session.call(id, "stderr", { text: `line ${id}\n` });
    await session.finish();
    expect(onlyStoredRun(box.birHome).steps).toHaveLength(10);
  });
});
