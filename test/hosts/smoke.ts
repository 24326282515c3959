/**
 * Starts executables of a release that are for other systems than this one, as far as they can be started here. Not a part of the
 * gate, which runs linux-arm64 and linux-x64-musl already: wine is large, and is not Windows.
 *
 *   apt-get install wine64 wine gcc-mingw-w64-x86-64-win32 musl gcc
 *   bun run build --all && bun test/hosts/smoke.ts [dist/release]
 */

import { spawnSync } from "node:child_process";
import {
  appendFileSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import packageJson from "../../package.json" with { type: "json" };
import { linuxX64Musl } from "./foreign-platforms.ts";

const RELEASE = resolve(process.argv[2] ?? join(import.meta.dirname, "..", "..", "dist", "release"));
const CALL = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","arguments":{}}}\n';
const STEP_MS = 120_000;

let failures = 0;

function check(what: string, isRight: boolean, seen: string): void {
  if (!isRight) failures++;
  console.log(`${isRight ? "ok     " : "FAILED "} ${what}${isRight ? "" : `\n${seen}`}`);
}

function run(
  command: readonly string[],
  env: Record<string, string>,
  input = "",
): { code: number | null; seen: string } {
  const [program = "", ...args] = command;
  const environment = { PATH: process.env.PATH ?? "", ...env };
  const { status, stdout, stderr } = spawnSync(program, args, {
    env: environment,
    input,
    encoding: "utf8",
    timeout: STEP_MS,
  });
  return { code: status, seen: `${stdout}${stderr}` };
}

function musl(scratch: string): void {
  const platform = linuxX64Musl(scratch);
  if (platform.lack !== undefined) {
    console.log(`skipped linux-x64-musl: ${platform.lack}`);
    return;
  }
  const bir = [...platform.prefix, join(RELEASE, "bir-linux-x64-musl")];
  const env = { ...platform.env, HOME: scratch, BIR_HOME: join(scratch, "bir") };
  const version = run([...bir, "--version"], env);
  check("linux-x64-musl tells its version", version.seen === `${packageJson.version}\n`, version.seen);
  const server = ["env", ...Object.keys(platform.env).flatMap((name) => ["-u", name]), "cat"];
  const relayed = run([...bir, "proxy", "--server-name", "cat", "--", ...server], env, CALL);
  check("linux-x64-musl relays", relayed.seen === CALL, relayed.seen);
  const list = run([...bir, "run", "list", "--json"], env);
  check("linux-x64-musl records", list.seen.includes('"stepCount": 1'), list.seen);
}

function windows(scratch: string): void {
  const compiler = Bun.which("x86_64-w64-mingw32-gcc");
  if (Bun.which("wine") === null || compiler === null) {
    console.log("skipped windows-x64: no wine or no x86_64-w64-mingw32-gcc (see the beginning of this file)");
    return;
  }
  const env = {
    HOME: scratch,
    WINEPREFIX: join(scratch, "wine"),
    WINEDEBUG: "-all",
    WINEDLLOVERRIDES: "mscoree,mshtml=",
    BIR_HOME: "C:\\birhome",
  };
  const wine = (...args: string[]) => run(["wine", ...args], env);
  try {
    const drive = join(env.WINEPREFIX, "drive_c");
    wine("reg", "add", "HKCU\\Software\\Wine", "/v", "Version", "/d", "win10", "/f");
    const source = join(import.meta.dirname, "bcryptprimitives.c");
    run(
      [compiler, "-shared", "-o", join(drive, "windows", "system32", "bcryptprimitives.dll"), source, "-ladvapi32"],
      env,
    );
    for (const directory of ["tools", "rel", "birhome"]) mkdirSync(join(drive, directory));
    copyFileSync(join(RELEASE, "bir-windows-x64.exe"), join(drive, "tools", "bir.exe"));

    const version = wine("C:\\tools\\bir.exe", "--version");
    check("windows-x64 tells its version", version.seen.trim() === packageJson.version, version.seen);
    writeFileSync(join(drive, "in.txt"), CALL);
    const relayed = wine(
      "cmd",
      "/c",
      "type C:\\in.txt | C:\\tools\\bir.exe proxy --server-name find -- C:\\windows\\system32\\findstr.exe j",
    );
    check("windows-x64 relays", relayed.code === 0, relayed.seen);
    const list = wine("C:\\tools\\bir.exe", "run", "list", "--json");
    check("windows-x64 records", list.seen.includes('"stepCount": 1'), list.seen);
    updated(drive, wine);
  } finally {
    run(["wineserver", "-k"], env);
    run(["wineserver", "-w"], env);
  }
}

/** A running program's file is renamed, and another one takes its name. */
function updated(drive: string, wine: (...args: string[]) => { seen: string }): void {
  const next = join(drive, "rel", "bir-windows-x64.exe");
  copyFileSync(join(drive, "tools", "bir.exe"), next);
  appendFileSync(next, "x");
  const sum = new Bun.CryptoHasher("sha256").update(readFileSync(next)).digest("hex");
  writeFileSync(join(drive, "rel", "SHA256SUMS"), `${sum}  bir-windows-x64.exe\r\n`);
  const receipt = {
    format: 1,
    version: packageJson.version,
    target: "windows-x64",
    executable: "C:\\tools\\bir.exe",
    sha256: "",
    baseUrl: "C:\\rel",
    madeDirectories: [],
    pathFiles: [],
    pathFilesMade: [],
    pathFilesGivenLineEnd: [],
  };
  writeFileSync(join(drive, "birhome", "receipt.json"), JSON.stringify(receipt, null, 2));
  const { seen } = wine("C:\\tools\\bir.exe", "self", "update", "--json");
  const isNew = readFileSync(join(drive, "tools", "bir.exe")).equals(readFileSync(next));
  check("windows-x64 puts another executable in its own place", isNew && seen.includes('"state": "updated"'), seen);
}

if (!existsSync(join(RELEASE, "SHA256SUMS"))) throw new Error(`there is no release in ${RELEASE}: bun run build --all`);
const scratch = mkdtempSync(join(tmpdir(), "bir-smoke-"));
try {
  for (const [name, work] of Object.entries({ musl, windows })) {
    const own = join(scratch, name);
    mkdirSync(own);
    work(own);
  }
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
process.exitCode = failures === 0 ? 0 : 1;
