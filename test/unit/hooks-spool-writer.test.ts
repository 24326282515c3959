import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { spoolDirectory } from "../../src/kit/paths.ts";
import { processStartedAt } from "../../src/kit/process-identity.ts";
import { appendToSpool } from "../../src/kit/spool-writer.ts";

/** What is left for the next server: whole lines, in the file of this process, up to a bound. */

let home = "";
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "bir-test-"));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const MIB = 1024 * 1024;

/** A file of this size that takes no room. */
function fill(name: string, sizeBytes: number): void {
  mkdirSync(spoolDirectory(home), { recursive: true });
  writeFileSync(join(spoolDirectory(home), name), "");
  truncateSync(join(spoolDirectory(home), name), sizeBytes);
}

test("lines of one process stand in one file, in their order", () => {
  expect(["1\n", "2\n", "3\n"].map((line) => appendToSpool(line, home))).toEqual(["kept", "kept", "kept"]);
  const [name = "", ...others] = readdirSync(spoolDirectory(home));
  expect(others).toEqual([]);
  const boot = process.platform === "linux" ? processStartedAt(process.pid)?.split("/")[0] : "0";
  expect(name).toBe(`${boot}-${process.pid}.ndjson`);
  expect(readFileSync(join(spoolDirectory(home), name), "utf8")).toBe("1\n2\n3\n");
  if (process.platform !== "win32") {
    expect(lstatSync(join(spoolDirectory(home), name)).mode & 0o777).toBe(0o600);
    expect(lstatSync(spoolDirectory(home)).mode & 0o777).toBe(0o700);
  }
});

test("a file that was taken away is begun anew", () => {
  appendToSpool("1\n", home);
  rmSync(spoolDirectory(home), { recursive: true });
  expect(appendToSpool("2\n", home)).toBe("kept");
  const [name = ""] = readdirSync(spoolDirectory(home));
  expect(readFileSync(join(spoolDirectory(home), name), "utf8")).toBe("2\n");
});

test("nothing more is left where 64 MiB wait", () => {
  fill("0-1.ndjson", 60 * MIB);
  expect(appendToSpool(`${"x".repeat(MIB)}\n`, home)).toBe("kept");
  expect(appendToSpool(`${"x".repeat(4 * MIB)}\n`, home)).toBe("full");
  expect(readdirSync(spoolDirectory(home))).toHaveLength(2);
});

test("many files count as well", () => {
  for (let i = 0; i < 300; i++) fill(`0-${i + 1000}.ndjson`, MIB / 4);
  expect(appendToSpool("1\n", home)).toBe("full");
});

test("nothing is written through a link", () => {
  const elsewhere = join(home, "elsewhere");
  writeFileSync(elsewhere, "");
  appendToSpool("1\n", home);
  const path = join(spoolDirectory(home), readdirSync(spoolDirectory(home))[0] ?? "");
  rmSync(path);
  symlinkSync(elsewhere, path);
  expect(appendToSpool("2\n", home)).toBe("failed");
  expect(readFileSync(elsewhere, "utf8")).toBe("");
});

test("a home that is none is no fault", () => {
  writeFileSync(join(home, "file"), "");
  expect(appendToSpool("1\n", join(home, "file"))).toBe("failed");
});
