/** What the two install scripts and the executable have to say alike, held together without a PowerShell to run the one with. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { executableName, TARGETS } from "../../packaging/targets.ts";
import { ENV_VARIABLES } from "../../src/kit/env.ts";
import { WINDOWS_USER_PATH } from "../../src/kit/windows-user-path.ts";
import { PATH_MARK } from "../../src/roles/cli/self/path-line.ts";
import type { Receipt } from "../../src/roles/cli/self/receipt.ts";
import { RELEASE_URL } from "../../src/roles/cli/self/release-source.ts";

const INSTALL = join(import.meta.dirname, "..", "..", "install");
const sh = readFileSync(join(INSTALL, "install.sh"), "utf8");
const ps1 = readFileSync(join(INSTALL, "install.ps1"), "utf8");

const RECEIPT: Record<keyof Receipt, true> = {
  format: true,
  version: true,
  target: true,
  executable: true,
  sha256: true,
  baseUrl: true,
  madeDirectories: true,
  pathFiles: true,
  pathFilesMade: true,
  pathFilesGivenLineEnd: true,
};

/** What is between the quotes of an assignment. */
function assigned(text: string, name: string): string | undefined {
  return new RegExp(`^\\s*\\$?${name} ?= ?'([^']*)'$`, "m").exec(text)?.[1];
}

describe("constants", () => {
  test("releases are published at one place, or nowhere yet", () => {
    expect(assigned(sh, "RELEASE_URL")).toBe(RELEASE_URL);
    expect(assigned(ps1, "ReleaseUrl")).toBe(RELEASE_URL);
  });

  test("every target of a release is known to the script of its system, and no other", () => {
    const names = TARGETS.map(({ name }) => name);
    const isWindows = (name: string) => name.startsWith("windows");
    expect(assigned(sh, "TARGETS")?.split(" ")).toEqual(names.filter((name) => !isWindows(name)));
    expect(assigned(ps1, "Targets")?.split(" ")).toEqual(names.filter(isWindows));
    for (const name of names)
      expect(executableName(name, `bir-${name}`)).toMatch(isWindows(name) ? /\.exe$/ : /^bir-[a-z0-9-]+$/);
    expect(sh).toContain("file=bir-$target\n");
    expect(ps1).toContain('$file = "bir-$target.exe"\n');
  });

  test("what marks our line, and the Path of a user of Windows", () => {
    expect(assigned(sh, "PATH_MARK")).toBe(PATH_MARK);
    expect(assigned(ps1, "UserPath")).toBe(WINDOWS_USER_PATH);
  });
});

describe("both scripts", () => {
  test.each(Object.keys(RECEIPT))("write `%s` into the receipt", (field) => {
    for (const script of [sh, ps1]) expect(script).toMatch(new RegExp(`["' ]${field}\\b`));
  });

  test("read the variables that the executable knows, and no others of ours", () => {
    const known = ENV_VARIABLES.map(({ name }) => name as string);
    for (const script of [sh, ps1]) {
      const read = new Set(script.match(/\bBIR_[A-Z_]+\b/g));
      // One that is set to nothing, so that running programs hear of a change.
      read.delete("BIR_PATH_CHANGED");
      for (const name of read) expect(known).toContain(name);
      for (const name of ["BIR_BASE_URL", "BIR_VERSION", "BIR_INSTALL_DIR", "BIR_NO_MODIFY_PATH", "BIR_HOME"]) {
        expect([...read]).toContain(name);
      }
    }
  });

  test("refuse in the same words", () => {
    const refusals = (text: string) =>
      new Set([...text.matchAll(/(?:fail|Stop-Here) '([^']+)'/g)].map(([, said]) => said));
    const [posix, windows] = [refusals(sh), refusals(ps1)];
    const both = [...posix].filter((said) => windows.has(said));
    expect(both).toEqual(
      expect.arrayContaining([
        "no release of bir is published yet",
        "BIR_BASE_URL begins with http://",
        "BIR_BASE_URL has a user in it",
        "BIR_VERSION is no version",
        "BIR_DOWNLOAD_TIMEOUT_MS is no number of milliseconds",
      ]),
    );
    const onlyOnWindows = [...windows].filter((said) => !posix.has(said));
    expect(onlyOnWindows).toEqual([
      "this is not Windows",
      "this Windows has no curl.exe",
      "the new bir does not run on this machine",
    ]);
  });

  test("hand curl the same limits", () => {
    for (const script of [sh, ps1]) {
      for (const option of ["--fail", "--connect-timeout", "--speed-limit 1", "--speed-time", "=https", "--tlsv1.2"]) {
        expect(script).toContain(option);
      }
      expect(script).not.toMatch(/--insecure|\s-k\s|no-check-certificate/);
    }
  });

  test("are one call on their last line, and strip nothing", () => {
    expect(sh).toMatch(/\n\}\n\n\{ _install_bir; \}\n$/);
    expect(ps1).toMatch(/\n\}\n\n& \{ Install-Bir \}\n$/);
    for (const script of [sh, ps1]) expect(script).not.toMatch(/^\s*(?:strip|sudo|eval|Invoke-Expression|iex)\b/m);
    // Before the function there are comments alone.
    expect(
      sh
        .slice(0, sh.indexOf("\n_install_bir() {"))
        .split("\n")
        .filter((line) => !/^(?:#.*)?$/.test(line)),
    ).toEqual([]);
    expect(
      ps1
        .slice(0, ps1.indexOf("\nfunction Install-Bir {"))
        .split("\n")
        .filter((line) => !/^(?:#.*)?$/.test(line)),
    ).toEqual([]);
  });
});

describe("install.ps1", () => {
  test("is plain ASCII: Windows PowerShell 5.1 takes anything else for another encoding", () => {
    expect([...ps1].filter((letter) => letter > "~" || (letter < " " && letter !== "\n"))).toEqual([]);
  });

  test("closes every bracket it opens", () => {
    const code = ps1.replace(/'[^'\n]*'|"(?:`.|[^"`\n])*"|#.*$/gm, "");
    for (const [open, close] of ["{}", "()", "[]"].map((pair) => pair.split("") as [string, string])) {
      expect(code.split(open).length, open).toBe(code.split(close).length);
    }
  });
});
