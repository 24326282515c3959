import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { setUpFor } from "../../src/kit/installed.ts";

function homeWith(ledger: unknown): string {
  const home = mkdtempSync(join(tmpdir(), "bir-installed-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  if (ledger !== undefined) {
    writeFileSync(join(home, "installed.json"), typeof ledger === "string" ? ledger : JSON.stringify(ledger));
  }
  return home;
}

const NO = { isSetUp: false, hasHooks: false };
const YES = { isSetUp: true, hasHooks: false };
const HOOKED = { isSetUp: true, hasHooks: true };

describe("what the ledger says of a directory", () => {
  test.each<[string, unknown, object]>([
    ["no ledger", undefined, NO],
    ["no JSON", "{", NO],
    ["something else", [1], NO],
    ["rows that are none", { rows: [1, null, {}], setUp: 3 }, NO],
    ["it is set up", { setUp: { directories: ["/home/ada/shop"] }, rows: [] }, YES],
    ["a parent is set up", { setUp: { directories: ["/home/ada"] }, rows: [] }, YES],
    ["everything is set up", { setUp: { everywhere: true, directories: [] }, rows: [] }, YES],
    ["a part of it is set up", { setUp: { directories: ["/home/ada/shop/part"] }, rows: [] }, NO],
    ["one with a like name is set up", { setUp: { directories: ["/home/ada/sho"] }, rows: [] }, NO],
    ["an entry of it", { rows: [{ kind: "entry", scope: "project", directory: "/home/ada/shop" }] }, YES],
    ["a copy for a parent", { rows: [{ kind: "added", scope: "local", directory: "/home/ada" }] }, YES],
    ["an entry for the whole user", { rows: [{ kind: "entry", scope: "user", directory: null }] }, NO],
    ["hooks of it", { rows: [{ kind: "hooks", scope: "local", directory: "/home/ada/shop" }] }, HOOKED],
    ["hooks of another", { rows: [{ kind: "hooks", scope: "local", directory: "/home/ada/other" }] }, NO],
    ["hooks for the whole user", { rows: [{ kind: "hooks", scope: "user", directory: null }] }, HOOKED],
    ["hooks that were taken out", { rows: [{ kind: "hooks", scope: "user", directory: null, state: "undone" }] }, NO],
  ])("%s", async (_what, ledger, expected) => {
    expect(await setUpFor(["/home/ada/shop"], homeWith(ledger))).toEqual(expected);
  });

  test("any of several directories counts", async () => {
    const home = homeWith({ setUp: { directories: ["/b"] }, rows: [] });
    expect(await setUpFor(["/a", "/b/c"], home)).toEqual(YES);
  });
});
