import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { selfUninstall } from "../../src/roles/cli/commands/self-uninstall.ts";
import { sumOf } from "../../src/roles/cli/self/checksums.ts";
import { fishFile, pathLine, withoutAdded } from "../../src/roles/cli/self/path-line.ts";
import { type Receipt, readReceipt, writeReceipt } from "../../src/roles/cli/self/receipt.ts";
import { releaseOf, releaseSource } from "../../src/roles/cli/self/release-source.ts";
import { compareVersions } from "../../src/roles/cli/self/version-order.ts";
import { TestCli } from "./cli-fixture.ts";

/** The parts of `bir self`; with a real executable: test/process/self-*.test.ts. */

describe("what was put into a shell's settings", () => {
  const added = (directory: string, isFish: boolean) => (isFish ? fishFile(directory).trimEnd() : pathLine(directory));

  test("is taken out again, byte for byte, whatever stood there", () => {
    const bytes = fc.uint8Array({ maxLength: 40 }).map((array) => Buffer.from(array));
    fc.assert(
      fc.property(bytes, fc.string({ minLength: 1, unit: "grapheme" }), fc.boolean(), (before, directory, isFish) => {
        fc.pre(!directory.includes("\n"));
        const lacksEnd = before.length > 0 && before.at(-1) !== 10;
        const put = Buffer.concat([before, Buffer.from(`${lacksEnd ? "\n" : ""}${added(directory, isFish)}\n`)]);
        expect(withoutAdded(put, added(directory, isFish), lacksEnd)).toEqual({ kind: "removed", content: before });
      }),
    );
  });

  test.each([
    ["what was added later", "a", "later\n", "a\nlater\n", true],
    ["an end that was there before", "a\n", "", "a\n", false],
    ["text before and after", "a\n", "b", "a\nb", false],
  ])("leaves %s", (_, before, after, left, givenLineEnd) => {
    const line = pathLine("/x");
    const content = Buffer.from(`${before}${before.endsWith("\n") ? "" : "\n"}${line}\n${after}`);
    expect(withoutAdded(content, line, givenLineEnd)).toEqual({ kind: "removed", content: Buffer.from(left) });
  });

  test("is left where a person has changed it, and is no loss where it is gone", () => {
    const line = pathLine("/x");
    for (const changed of [`${line} # mine\n`, ` ${line}\n`, `${pathLine("/y")}\n`]) {
      expect(withoutAdded(Buffer.from(changed), line, false)).toEqual({ kind: "changed" });
    }
    expect(withoutAdded(Buffer.from("# theirs\n"), line, false)).toEqual({ kind: "absent" });
    expect(withoutAdded(Buffer.from(line), line, false)).toEqual({ kind: "removed", content: Buffer.alloc(0) });
  });
});

describe("checksums", () => {
  const a = "a".repeat(64);
  const b = "b".repeat(64);

  test.each([
    ["as text and as binary", `${a}  bir-x\n${b} *bir-y\n`, { "bir-x": a, "bir-y": b }],
    ["with other line ends, and without the last", `${a}  bir-x\r\n${b}  bir-y`, { "bir-x": a, "bir-y": b }],
    ["by the whole name only", `${a}  bir-x-musl\n${b}  old/bir-y\n`, { "bir-x": null, "bir-y": null }],
    [
      "never by a short or foreign one",
      `${a.slice(1)}  bir-x\n${"G".repeat(64)}  bir-y\n`,
      { "bir-x": null, "bir-y": null },
    ],
  ])("are found %s", (_, sums, expected) => {
    for (const [file, sum] of Object.entries(expected)) expect(sumOf(sums, file)).toBe(sum);
  });
});

describe("versions", () => {
  test("come in the order of semver.org", () => {
    const order = [
      "0.9.0",
      "1.0.0-alpha",
      "1.0.0-alpha.1",
      "1.0.0-alpha.beta",
      "1.0.0-beta",
      "1.0.0-beta.2",
      "1.0.0-beta.11",
      "1.0.0-rc.1",
      "1.0.0",
      "1.2.0",
      "1.10.0",
      "2.0.0",
    ];
    for (const [i, a] of order.entries()) {
      for (const [j, b] of order.entries())
        expect(Math.sign(compareVersions(a, b)), `${a} ${b}`).toBe(Math.sign(i - j));
    }
    expect(compareVersions("1.0.0+a", "1.0.0+b")).toBe(0);
  });
});

describe("where a release comes from", () => {
  test.each([
    ["https://example.com/bir/", { kind: "url", base: "https://example.com/bir" }],
    ["http://127.0.0.1:80", { kind: "url", base: "http://127.0.0.1:80" }],
    ["http://[::1]:80/x", { kind: "url", base: "http://[::1]:80/x" }],
    ["file:///opt/bir", { kind: "folder", base: "/opt/bir" }],
    ["file://localhost/opt/bir", { kind: "folder", base: "/opt/bir" }],
    ["/opt/a%20b/", { kind: "folder", base: "/opt/a%20b" }],
    ["dist/release", { kind: "folder", base: "/work here/dist/release" }],
  ])("%s", (text, source) => {
    expect(releaseSource(text, "/work here")).toEqual(source);
  });

  test.each([
    ["", /no release of bir is published yet/],
    ["http://example.com/bir", /begins with http:/],
    ["http://localhost.example.com", /begins with http:/],
    ["http://127.0.0.1@example.com", /has a user in it/],
    ["https://ada:hunter2@example.com", /has a user in it/],
    ["https://example.com/?t=hunter2", /has a \?/],
    ["ftp://hunter2", /no kind of URL/],
    ["file://hunter2/x", /no kind of URL/],
    ["file:///a%20b", /has a % in it/],
    ["/a\nb", /control character/],
  ])("%j is refused, and not repeated", (text, says) => {
    const source = () => releaseSource(text, "/");
    expect(source).toThrow(says);
    expect(source).not.toThrow(/hunter2/);
  });

  test("a version has a folder of its own", () => {
    expect(releaseOf({ kind: "folder", base: "/r" }, "1.2.3")).toEqual({ kind: "folder", base: "/r/v1.2.3" });
    expect(releaseOf({ kind: "url", base: "https://r" }, undefined)).toEqual({ kind: "url", base: "https://r" });
  });
});

describe("the receipt", () => {
  test("is read as it was written, for its owner alone, in the layout of the install scripts", () => {
    const { home } = new TestCli();
    mkdirSync(home);
    const receipt = receiptFor(home, { executable: '/a "b" \\c/bir', pathFiles: ["/x", "/y"] });
    writeReceipt(home, receipt);
    expect(readReceipt(home)).toEqual(receipt);
    const path = join(home, "receipt.json");
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readFileSync(path, "utf8")).toContain(
      '  "pathFiles": [\n    "/x",\n    "/y"\n  ],\n  "pathFilesMade": [],\n',
    );
  });

  test.each(["", "{", "[]", "null", '{"format":2}', '{"format":1,"version":1}'])("%j is damaged", (text) => {
    const { home } = new TestCli();
    mkdirSync(home);
    writeFileSync(join(home, "receipt.json"), text);
    expect(() => readReceipt(home)).toThrow(/is damaged/);
  });
});

describe("bir self uninstall", () => {
  test("without a receipt, says how it goes then", async () => {
    const cli = new TestCli();
    for (const command of ["update", "uninstall"]) {
      expect(await cli.run("self", command)).toBe(3);
      expect(cli.stderr).toMatch(/not put here by its install script.*`bir uninstall --all` comes first/);
    }
  });

  test("asks, and takes anything but yes for no", async () => {
    const cli = installedCli({ terminal: { color: false, columns: 80, interactive: true } });
    for (const said of ["", "n", "maybe", null]) {
      cli.answers = said === null ? [] : [said];
      expect(await cli.run("self", "uninstall")).toBe(1);
      expect(cli.stderr).toMatch(/This removes .*\nGo on\? \[y\/N\] Nothing was removed\.\n$/s);
      expect(readReceipt(cli.home)).toBeDefined();
    }
    const silent = installedCli({});
    expect(await silent.run("self", "uninstall")).toBe(2);
    expect(silent.stderr).toContain("Add --yes");
    expect(await silent.run("self", "uninstall", "--keep-recordings", "--delete-recordings")).toBe(2);
  });

  test("comes out of hosts first, and removes nothing when that fails", async () => {
    const cli = installedCli({});
    const ledger = join(cli.home, "installed.json");
    const flags = { yes: true, "keep-recordings": false, "delete-recordings": false, json: false };
    writeFileSync(ledger, ledgerWith("written"));
    for (const status of [1, 0]) {
      // Also when it says that all went well and something is still there.
      await expect(selfUninstall(cli.context, flags, async () => status)).rejects.toThrow(
        /hosts would still start bir/,
      );
      expect(readReceipt(cli.home)).toBeDefined();
    }
    writeFileSync(ledger, "{");
    await expect(selfUninstall(cli.context, flags, async () => 0)).rejects.toThrow(/hosts would still start bir/);
    const unwrap = async () => {
      rmSync(ledger);
      return 0;
    };
    writeFileSync(ledger, ledgerWith("written"));
    expect(await selfUninstall(cli.context, flags, unwrap)).toBe(0);
    expect(() => readReceipt(cli.home)).toThrow(/not put here/);
  });

  test("comes out of hosts without a word about recordings, and tells what the installer had made", async () => {
    const cli = installedCli({});
    const profile = join(cli.userHome, ".bashrc");
    const receipt = receiptFor(cli.home, { pathFiles: [profile], pathFilesMade: [profile] });
    writeReceipt(cli.home, receipt);
    writeFileSync(profile, `${pathLine(dirname(receipt.executable))}\n`);
    mkdirSync(join(cli.userHome, ".cursor"));
    writeFileSync(join(cli.userHome, ".cursor", "mcp.json"), '{"mcpServers":{"db":{"command":"db"}}}');
    await cli.run("install", "--host", "cursor");
    expect(await cli.run("self", "uninstall", "--yes")).toBe(0);
    expect(cli.stderr).toContain("Cursor");
    expect(cli.stderr).not.toContain("What was recorded stays");
    expect(cli.stdout).toContain(`removed  ${profile}, which the installer had made\n`);
  });

  test("a ledger of what was taken back already is none", async () => {
    const cli = installedCli({});
    writeFileSync(join(cli.home, "installed.json"), ledgerWith("undone"));
    expect(await cli.run("self", "uninstall", "--yes")).toBe(0);
  });

  test("keeps what was recorded unless told otherwise, and what it does not know always", async () => {
    for (const [flag, left] of [
      ["--keep-recordings", ["mine.txt", "recordings.db", "recordings.db-wal", "recordings.db.corrupt-1", "spool"]],
      ["--delete-recordings", ["mine.txt"]],
    ] as const) {
      const cli = installedCli({});
      for (const name of ["recordings.db", "recordings.db-wal", "recordings.db.corrupt-1", "off", "mine.txt"]) {
        writeFileSync(join(cli.home, name), "");
      }
      for (const name of ["spool", "control", "log", "off.d"]) mkdirSync(join(cli.home, name));
      const told = (await cli.json("self", "uninstall", "--yes", flag)) as { recordings: string | null };
      expect(told.recordings).toBe(flag === "--keep-recordings" ? cli.home : null);
      expect([...new Bun.Glob("*").scanSync({ cwd: cli.home, onlyFiles: false })].sort()).toEqual(left);
    }
  });
});

/** A ledger with one change to a host's settings. */
function ledgerWith(state: "written" | "undone"): string {
  const row = { kind: "added", hosts: [], file: "/x", path: [], name: "a", state, undo: null, made: [] };
  return JSON.stringify({ version: 1, rows: [row] });
}

function receiptFor(home: string, fields: Partial<Receipt> = {}): Receipt {
  return {
    format: 1,
    version: "1.0.0",
    target: "linux-x64",
    executable: join(dirname(home), "gone", "bir"),
    sha256: "a".repeat(64),
    baseUrl: "/release",
    madeDirectories: [home],
    pathFiles: [],
    pathFilesMade: [],
    pathFilesGivenLineEnd: [],
    ...fields,
  };
}

/** One whose executable was deleted by hand: any other bir may then remove the rest. */
function installedCli(overrides: ConstructorParameters<typeof TestCli>[0]): TestCli {
  const cli = new TestCli(overrides);
  mkdirSync(cli.home);
  writeReceipt(cli.home, receiptFor(cli.home));
  return cli;
}
