import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { Problem } from "../../src/core/problem.ts";
import type { ConfigDocument } from "../../src/hosts/edit/config-text.ts";
import { Ledger, type LedgerRow, ledgerPath } from "../../src/hosts/ledger.ts";
import { applyTasks, previewTasks } from "../../src/hosts/plan/apply.ts";
import type { FilePlan, FileTask } from "../../src/hosts/plan/outcome.ts";
import { planHooks, planHooksRemoval } from "../../src/hosts/plan/plan-hooks.ts";
import { planInstall } from "../../src/hosts/plan/plan-install.ts";
import { planUninstall } from "../../src/hosts/plan/plan-uninstall.ts";
import { missingDirectories, readState, replaceState } from "../../src/hosts/safe-write.ts";
import { FileLock } from "../../src/kit/file-lock.ts";
import { hostOf, listOf, OPTIONS, target } from "./hosts-entry-fixture.ts";

/** From a plan to the file and back, on files of every kind. */

const TEXT = '{\n  "mcpServers": {\n    "files": { "command": "npx", "args": ["-y", "x"] }\n  }\n}\n';
const ALL = { hosts: null, servers: null, file: null };

let directory: string;
let home: string;
let file: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "bir-write-"));
  home = join(directory, "bir-home");
  mkdirSync(join(directory, "config"));
  file = join(directory, "config", "mcp.json");
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

function installTasks(at = file): FileTask[] {
  return planInstall([target(listOf("plain", "json", ["mcpServers"], { file: at }), hostOf())], OPTIONS);
}

async function install(at = file) {
  const [result] = await applyTasks(installTasks(at), home);
  return result;
}

async function uninstall() {
  const [result] = await applyTasks((rows) => planUninstall(rows, ALL), home);
  return result;
}

function rows(): readonly LedgerRow[] {
  return Ledger.read(ledgerPath(home)).rows;
}

/** A task that runs something before each of its plans: what another program does meanwhile. */
function disturbed(task: FileTask, disturb: (attempt: number) => void): FileTask {
  let attempt = 0;
  return {
    ...task,
    plan(document: ConfigDocument | null, known: readonly LedgerRow[]): FilePlan {
      const plan = task.plan(document, known);
      disturb(attempt++);
      return plan;
    },
  };
}

describe("the file stays what it was", () => {
  test.each([
    ["a byte order mark", `\uFEFF${TEXT}`, 0o644],
    ["CRLF, no final newline, private", TEXT.replaceAll("\n", "\r\n").trimEnd(), 0o600],
    ["open to a group", TEXT, 0o664],
  ])("%s", async (_name, text, mode) => {
    writeFileSync(file, text);
    chmodSync(file, mode);
    expect((await install())?.outcomes.map((one) => one.what)).toEqual(["wrapped"]);
    expect(statSync(file).mode & 0o7777).toBe(mode);
    expect(readFileSync(file, "utf8").startsWith("\uFEFF")).toBe(text.startsWith("\uFEFF"));
    expect((await uninstall())?.outcomes.map((one) => one.what)).toEqual(["unwrapped"]);
    expect(readFileSync(file, "utf8")).toBe(text);
    expect(statSync(file).mode & 0o7777).toBe(mode);
    expect(readdirSync(join(directory, "config"))).toEqual(["mcp.json"]);
  });

  test("a link, through which its target is written", async () => {
    const real = join(directory, "dotfiles.json");
    writeFileSync(real, TEXT);
    symlinkSync(real, file);
    await install();
    expect(lstatSync(file).isSymbolicLink()).toBe(true);
    expect(readFileSync(real, "utf8")).toContain("proxy");
    await uninstall();
    expect(readFileSync(real, "utf8")).toBe(TEXT);
    expect(readdirSync(directory).sort()).toEqual(["bir-home", "config", "dotfiles.json"]);
  });

  test("three installs, then one uninstall", async () => {
    writeFileSync(file, TEXT);
    await install();
    const once = readFileSync(file, "utf8");
    expect(await install()).toMatchObject({ wrote: false, outcomes: [{ what: "already" }] });
    expect(await install()).toMatchObject({ wrote: false, problem: null });
    expect(readFileSync(file, "utf8")).toBe(once);
    expect(rows()).toHaveLength(1);
    await uninstall();
    expect(readFileSync(file, "utf8")).toBe(TEXT);
  });

  test("a look at what would be done writes nothing, not even the ledger", async () => {
    writeFileSync(file, TEXT);
    const [preview] = await previewTasks(installTasks(), Ledger.read(ledgerPath(home)));
    expect(preview).toMatchObject({ before: TEXT, problem: null, outcomes: [{ what: "wrapped" }] });
    expect(readFileSync(file, "utf8")).toBe(TEXT);
    expect(existsSync(home)).toBe(false);
  });
});

describe("others write at the same moment", () => {
  test("what they wrote between plan and write is planned again", async () => {
    writeFileSync(file, TEXT);
    const other = TEXT.replace("{\n", '{\n  "theirs": 1,\n');
    const [task] = installTasks();
    if (task === undefined) throw new Error("no task");
    const racing = disturbed(task, (attempt) => {
      if (attempt === 0) writeFileSync(file, other);
    });
    const [result] = await applyTasks([racing], home);
    expect(result).toMatchObject({ wrote: true, problem: null, outcomes: [{ what: "wrapped" }] });
    expect(JSON.parse(readFileSync(file, "utf8"))).toMatchObject({
      theirs: 1,
      mcpServers: { files: { args: ["proxy", "--server-name", "files", "--", "npx", "-y", "x"] } },
    });
    await uninstall();
    expect(readFileSync(file, "utf8")).toBe(other);
  });

  test("a file that goes away between plan and write stays away", async () => {
    writeFileSync(file, TEXT);
    const [task] = installTasks();
    if (task === undefined) throw new Error("no task");
    const [result] = await applyTasks([disturbed(task, () => rmSync(file, { force: true }))], home);
    expect(result).toMatchObject({ wrote: false, problem: null, outcomes: [] });
    expect(readdirSync(join(directory, "config"))).toEqual([]);
  });

  test("half a file is waited for", async () => {
    writeFileSync(file, TEXT.slice(0, 20));
    const soon = setTimeout(() => writeFileSync(file, TEXT), 50);
    expect(await install()).toMatchObject({ problem: null, outcomes: [{ what: "wrapped" }] });
    clearTimeout(soon);
  });

  test("an entry that a host writes once more after uninstall is found by the next one", async () => {
    writeFileSync(file, TEXT);
    await install();
    const stale = readFileSync(file, "utf8");
    await uninstall();
    writeFileSync(file, stale);
    expect(await uninstall()).toMatchObject({ outcomes: [{ what: "unwrapped" }] });
    expect(readFileSync(file, "utf8")).toBe(TEXT);
    expect(await uninstall()).toMatchObject({ wrote: false, outcomes: [] });
    expect(rows()).toEqual([]);
  });

  test("a write that comes too late is told from one that does not", () => {
    writeFileSync(file, TEXT);
    const state = readState(file);
    writeFileSync(file, `${TEXT} `);
    expect(replaceState(state, "x")).toBe("changed");
    expect(readFileSync(file, "utf8")).toBe(`${TEXT} `);
    const fresh = readState(join(directory, "config", "new.json"));
    writeFileSync(fresh.path, "theirs");
    expect(replaceState(fresh, "ours")).toBe("changed");
    expect(readFileSync(fresh.path, "utf8")).toBe("theirs");
    expect(readdirSync(join(directory, "config")).sort()).toEqual(["mcp.json", "new.json"]);
  });

  test("two at once: one after the other", async () => {
    writeFileSync(file, TEXT);
    const other = join(directory, "config", "other.json");
    writeFileSync(other, TEXT);
    await Promise.all([install(), install(other), install(), install(other)]);
    expect(
      rows()
        .map((row) => row.file)
        .sort(),
    ).toEqual([file, other]);
    await applyTasks((known) => planUninstall(known, ALL), home);
    expect([readFileSync(file, "utf8"), readFileSync(other, "utf8")]).toEqual([TEXT, TEXT]);
  });
});

describe("wherever it was cut off, both ways lead back", () => {
  test("announced, and the file not written", async () => {
    writeFileSync(file, TEXT);
    await install();
    const done = Ledger.read(ledgerPath(home));
    writeFileSync(file, TEXT);
    expect(await uninstall()).toMatchObject({ outcomes: [{ what: "gone" }] });
    expect(readFileSync(file, "utf8")).toBe(TEXT);
    done.announce(done.rows);
    done.save();
    expect(await install()).toMatchObject({ outcomes: [{ what: "wrapped" }] });
    await uninstall();
    expect(readFileSync(file, "utf8")).toBe(TEXT);
  });

  test("written, and not confirmed", async () => {
    writeFileSync(file, TEXT);
    await install();
    writeFileSync(ledgerPath(home), readFileSync(ledgerPath(home), "utf8").replace('"written"', '"pending"'));
    expect(await install()).toMatchObject({ outcomes: [{ what: "already" }] });
    expect(rows().map((row) => row.state)).toEqual(["written"]);
    writeFileSync(ledgerPath(home), readFileSync(ledgerPath(home), "utf8").replace('"written"', '"pending"'));
    await uninstall();
    expect(readFileSync(file, "utf8")).toBe(TEXT);
  });

  test("what lies beside the file goes with the next run, unless its writer is alive", async () => {
    writeFileSync(file, TEXT);
    const config = join(directory, "config");
    writeFileSync(join(config, ".mcp.json.bir-4194304-1.tmp"), "x");
    writeFileSync(join(config, `.mcp.json.bir-${process.ppid}-1.tmp`), "x");
    await install();
    expect(readdirSync(config).sort()).toEqual([`.mcp.json.bir-${process.ppid}-1.tmp`, "mcp.json"]);
  });
});

describe("what cannot be edited is said, and nothing is left half-done", () => {
  /** Each makes the path into something else; gives what the problem says. */
  const BAD: Record<string, () => { at?: string; says: RegExp }> = {
    "a directory": () => {
      mkdirSync(file);
      return { says: /it is a directory/ };
    },
    "links in circles": () => {
      symlinkSync(file, join(directory, "config", "b"));
      symlinkSync(join(directory, "config", "b"), file);
      return { says: /go in circles/ };
    },
    "a read-only file": () => {
      writeFileSync(file, TEXT);
      chmodSync(file, 0o444);
      return { says: /it is read-only/ };
    },
    "a second name": () => {
      writeFileSync(file, TEXT);
      linkSync(file, join(directory, "second"));
      return { says: /second name/ };
    },
    "a file in place of its directory": () => {
      writeFileSync(file, TEXT);
      return { at: join(file, "x.json"), says: /not a directory/ };
    },
    "a comment in strict JSON": () => {
      writeFileSync(file, '{\n  // no\n  "mcpServers": {}\n}');
      return { says: /mcp\.json:2:3: / };
    },
    "half a file": () => {
      writeFileSync(file, TEXT.slice(0, 30));
      return { says: /mcp\.json:\d+:\d+: / };
    },
    "UTF-16": () => {
      writeFileSync(file, Buffer.from(`\uFEFF${TEXT}`, "utf16le"));
      return { says: /UTF-16/ };
    },
    "bytes that are no text": () => {
      writeFileSync(file, Buffer.from([0x7b, 0xff, 0xfe, 0x7d]));
      return { says: /UTF-8/ };
    },
    "a file under /proc": () => ({ at: "/proc/self/mounts", says: /:1:1: / }),
  };

  test.each(Object.entries(BAD))("%s", async (_name, make) => {
    const { at = file, says } = make();
    const before = readdirSync(join(directory, "config"));
    const result = await install(at);
    expect(result?.problem).toBeInstanceOf(Problem);
    expect(result?.problem?.message).toMatch(says);
    expect(result).toMatchObject({ wrote: false, outcomes: [] });
    expect(readdirSync(join(directory, "config"))).toEqual(before);
    expect(rows()).toEqual([]);
  });

  test("a directory that takes no files, as another user", async () => {
    writeFileSync(file, TEXT);
    chmodSync(join(directory, "config"), 0o555);
    const asRoot = process.getuid?.() === 0;
    const result = await install();
    // An administrator may write there all the same.
    if (asRoot) expect(result?.problem).toBeNull();
    else expect(result?.problem?.message).toMatch(/may not do that/);
    chmodSync(join(directory, "config"), 0o755);
  });

  test("one bad file does not keep the others from being done", async () => {
    const good = join(directory, "config", "good.json");
    writeFileSync(good, TEXT);
    writeFileSync(file, "{");
    const results = await applyTasks([...installTasks(file), ...installTasks(good)], home);
    expect(results.map((one) => [one.problem?.code ?? null, one.wrote])).toEqual([
      ["config-syntax", false],
      [null, true],
    ]);
    expect(rows().map((row) => row.file)).toEqual([good]);
  });

  test("a ledger that cannot be written stops everything before a file is touched", async () => {
    writeFileSync(file, TEXT);
    mkdirSync(home);
    mkdirSync(ledgerPath(home));
    await expect(install()).rejects.toThrow(Problem);
    expect(readFileSync(file, "utf8")).toBe(TEXT);
  });
});

describe("a file that is made for hooks", () => {
  const isOurs = (handler: Readonly<Record<string, unknown>>) => handler.command === "bir hooks";

  test("goes again with the directories that were made for it", async () => {
    const settings = join(directory, "project", ".claude", "settings.local.json");
    const order = {
      hosts: ["claude-code"],
      scope: "local" as const,
      directory: join(directory, "project"),
      file: settings,
      format: "json" as const,
      groups: { Stop: [{ hooks: [{ type: "command", command: "bir hooks" }] }] },
      isOurs,
      missingDirectories: missingDirectories(settings),
    };
    const [made] = await applyTasks([planHooks(order)], home);
    expect(made).toMatchObject({ wrote: true, problem: null, outcomes: [{ what: "hooked" }] });
    expect(JSON.parse(readFileSync(settings, "utf8")).hooks.Stop).toHaveLength(1);
    expect(statSync(settings).mode & 0o777).toBe(0o600);
    const [again] = await applyTasks([planHooks({ ...order, missingDirectories: missingDirectories(settings) })], home);
    expect(again).toMatchObject({ wrote: false, outcomes: [{ what: "already" }] });
    const [gone] = await applyTasks((known) => planHooksRemoval(known, isOurs), home);
    expect(gone).toMatchObject({ wrote: true, problem: null, outcomes: [{ what: "unhooked" }] });
    expect(readdirSync(directory).sort()).toEqual(["bir-home", "config"]);
  });
});

describe("the lock", () => {
  test("is one holder's at a time, and ends with it", () => {
    const path = join(directory, "lock");
    const first = FileLock.take(path);
    expect(first).not.toBeNull();
    expect(FileLock.take(path)).toBeNull();
    first?.release();
    const second = FileLock.take(path);
    expect(second).not.toBeNull();
    second?.release();
  });
});
