import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { Problem } from "../../src/core/problem.ts";
import { Ledger, type LedgerRow, rowKey } from "../../src/hosts/ledger.ts";
import { install, listOf, target } from "./hosts-entry-fixture.ts";

/** The file that says what was changed. */

let directory: string;
let path: string;
const ROWS = install('{"mcpServers":{"a":{"command":"x"},"b":{"command":"y"}}}', [
  target(listOf("plain", "json")),
]).rows;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "bir-ledger-"));
  path = join(directory, "home", "installed.json");
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

function states(): string[] {
  return Ledger.read(path).rows.map((row) => `${row.name} ${row.state}`);
}

test("rows are announced, confirmed, retired and then forgotten; the file is its owner's alone and goes with the last", () => {
  const ledger = Ledger.read(path);
  ledger.announce(ROWS);
  ledger.save();
  expect(states()).toEqual(["a pending", "b pending"]);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(statSync(join(directory, "home")).mode & 0o777).toBe(0o700);
  ledger.confirm(ROWS);
  ledger.save();
  expect(states()).toEqual(["a written", "b written"]);
  const keys = ROWS.map(rowKey);
  ledger.retire(keys, false);
  ledger.save();
  expect(states()).toEqual(["a undone", "b undone"]);
  ledger.retire(keys, true);
  ledger.save();
  expect(existsSync(path)).toBe(false);
});

test("a row that is announced stays beside the one it will replace, once", () => {
  const ledger = Ledger.read(path);
  ledger.confirm(ROWS);
  const renewed = ROWS.map((row): LedgerRow => ({ ...row, scope: "project" }));
  ledger.announce(renewed);
  ledger.announce(renewed);
  expect(ledger.rows.map((row) => row.state)).toEqual(["written", "written", "pending", "pending"]);
  ledger.confirm(renewed);
  expect(ledger.rows.map((row) => row.scope)).toEqual(["project", "project"]);
});

test("what it reads is what it wrote", () => {
  const ledger = Ledger.read(path);
  ledger.confirm(ROWS);
  ledger.save();
  const text = readFileSync(path, "utf8");
  const again = Ledger.read(path);
  expect(again.rows).toEqual(ledger.rows);
  again.save();
  expect(readFileSync(path, "utf8")).toBe(text);
});

describe("what is no ledger is said to be none, and stays", () => {
  test.each([
    "",
    "{",
    "[]",
    '{"version":2,"rows":[]}',
    '{"version":1,"rows":[{"kind":"entry"}]}',
    '{"version":1,"rows":5}',
  ])("%j", (text) => {
    path = join(directory, "installed.json");
    writeFileSync(path, text);
    expect(() => Ledger.read(path)).toThrow(Problem);
    expect(readFileSync(path, "utf8")).toBe(text);
  });

  test("a directory in its place", () => {
    chmodSync(directory, 0o700);
    expect(() => Ledger.read(directory)).toThrow(/it is a directory/);
  });
});
