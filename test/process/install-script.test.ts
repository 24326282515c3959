/**
 * install/install.sh in every shell that people run it by, out of a folder and from a server: what it puts where, that nothing
 * changes when anything is wrong, and that `bir self uninstall` gives back the home as it was.
 */

import { spawnSync } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect } from "vitest";
import packageJson from "../../package.json" with { type: "json" };
import { pathLine } from "../../src/roles/cli/self/path-line.ts";
import { CA_FILE } from "../fakes/http/certificates.ts";
import { answer } from "../fakes/http/raw-server.ts";
import { test } from "../harness/process-test.ts";
import { fileNeeds, needs } from "../harness/requirement.ts";
import type { Sandbox } from "../harness/sandbox.ts";
import {
  FILE,
  fillRelease,
  INSTALL_SH,
  install,
  installed,
  makeRelease,
  needsShell,
  pathIn,
  programs,
  REAL,
  ReleaseServer,
  receiptOf,
  runScript,
  SHELLS,
  type Shell,
  sha256,
  TARGET,
  tree,
} from "./install-fixture.ts";

const SH = SHELLS[0] as Shell;
/** A root that is bound by modes as another user is. */
const OBEYING_MODES =
  process.getuid?.() === 0 ? ["setpriv", "--bounding-set=-dac_override,-dac_read_search", "--"] : [];

if (fileNeeds(process.platform !== "win32", "a POSIX system")) {
  describe.each(SHELLS)("in %s", (...shell) => {
    test("out of a folder: the executable, its receipt, a line for PATH; and all of it taken back", async ({
      box,
      task,
    }) => {
      needsShell(task.context, shell);
      const release = makeRelease(box, REAL);
      writeFileSync(join(box.home, ".bashrc"), "# mine, without an end");
      chmodSync(join(box.home, ".bashrc"), 0o640);
      const before = tree(box.home);

      const done = await install(box, shell, { BIR_BASE_URL: release });
      expect(done).toMatchObject({ code: 0, stderr: "" });
      expect(done.stdout).toContain(`bir ${packageJson.version} is installed: ${installed(box)}\n`);
      expect(done.stdout).toContain("bir install");
      expect(statSync(installed(box)).mode & 0o777).toBe(0o755);
      expect(statSync(box.birHome).mode & 0o777).toBe(0o700);
      expect(statSync(join(box.birHome, "receipt.json")).mode & 0o777).toBe(0o600);
      const files = [join(box.home, ".bashrc"), join(box.home, ".profile")];
      expect(receiptOf(box)).toEqual({
        format: 1,
        version: packageJson.version,
        target: TARGET,
        executable: installed(box),
        sha256: sha256(installed(box)),
        baseUrl: release,
        madeDirectories: [join(box.home, ".local"), join(box.home, ".local", "bin"), box.birHome],
        pathFiles: files,
        pathFilesMade: [files[1]],
        pathFilesGivenLineEnd: [files[0]],
      });
      const line = `${pathLine(join(box.home, ".local", "bin"))}\n`;
      expect(readFileSync(files[0] ?? "", "utf8")).toBe(`# mine, without an end\n${line}`);
      expect(readFileSync(files[1] ?? "", "utf8")).toBe(line);

      const once = tree(box.home);
      const again = await install(box, shell, { BIR_BASE_URL: release });
      expect(again).toMatchObject({ code: 0, stderr: "" });
      expect(again.stdout).toContain(`bir ${packageJson.version} was installed already`);
      expect(tree(box.home)).toEqual(once);

      const removal = await runScript(box, [installed(box), "self", "uninstall", "--yes"], {});
      expect(removal).toMatchObject({ code: 0, stderr: "" });
      expect(removal.stdout).toMatch(/bir is no longer on this machine\.\n$/);
      expect(tree(box.home)).toEqual(before);
    });

    test("from a server, then a newer one in its place", async ({ box, task }) => {
      needsShell(task.context, shell);
      const release = makeRelease(box, { version: "1.0.0" });
      const server = await ReleaseServer.start(release);
      expect(await install(box, shell, { BIR_BASE_URL: server.url() })).toMatchObject({ code: 0, stderr: "" });
      expect(receiptOf(box)).toMatchObject({ version: "1.0.0", baseUrl: server.url() });
      const first = receiptOf(box);

      fillRelease(release, { version: "2.0.0" });
      const newer = await install(box, shell, { BIR_BASE_URL: `${server.url()}/` });
      expect(newer).toMatchObject({ code: 0, stderr: "" });
      expect(newer.stdout).toContain("bir 2.0.0 is installed");
      expect(sha256(installed(box))).toBe(sha256(join(release, FILE)));
      expect(receiptOf(box)).toEqual({ ...first, version: "2.0.0", sha256: sha256(installed(box)) });
      expect(server.asked).toEqual(["SHA256SUMS", FILE, "SHA256SUMS", FILE]);
      expect(readdirSync(join(box.home, ".local", "bin"))).toEqual(["bir"]);
    });

    describe("changes nothing, and says why, when", () => {
      const bounded = { BIR_DOWNLOAD_TIMEOUT_MS: "1000" };
      const cases: [what: string, says: RegExp, arrange: (box: Sandbox) => Promise<Record<string, string>>][] = [
        [
          "the checksum is another one",
          /has another checksum than SHA256SUMS says/,
          async (box) => ({ BIR_BASE_URL: makeRelease(box, { version: "2.0.0", sum: "a".repeat(64) }) }),
        ],
        [
          "the list of checksums is damaged",
          /SHA256SUMS in \S+ is damaged/,
          async (box) => ({ BIR_BASE_URL: makeRelease(box, { version: "2.0.0", sum: "abc" }) }),
        ],
        [
          "the list does not name this platform",
          /does not name bir-/,
          async (box) => {
            const release = makeRelease(box);
            writeFileSync(join(release, "SHA256SUMS"), `${"a".repeat(64)}  bir-plan9\n`);
            return { BIR_BASE_URL: release };
          },
        ],
        ["the folder is none of a release", /there is no SHA256SUMS in /, async (box) => ({ BIR_BASE_URL: box.cwd })],
        ["the folder is not there", /there is no folder nowhere/, async () => ({ BIR_BASE_URL: "nowhere" })],
        [
          "the server has no such file",
          /SHA256SUMS could not be got/,
          async (box) => ({ BIR_BASE_URL: (await ReleaseServer.start(box.cwd)).url() }),
        ],
        [
          "the server fails",
          /could not be got/,
          async (box) => {
            const fails = (peer: { write: (bytes: Buffer) => Promise<void> }) =>
              peer.write(answer("", {}, "500 Internal Server Error"));
            return {
              BIR_BASE_URL: (
                await ReleaseServer.start(makeRelease(box, { version: "2.0.0" }), { [FILE]: fails })
              ).url(),
            };
          },
        ],
        [
          "the download is cut off",
          /could not be got/,
          async (box) => {
            const release = makeRelease(box, { version: "2.0.0" });
            const whole = answer(readFileSync(join(release, FILE)));
            const server = await ReleaseServer.start(release, {
              [FILE]: async (peer) => {
                await peer.write(whole.subarray(0, -5));
                peer.end();
              },
            });
            return { BIR_BASE_URL: server.url() };
          },
        ],
        [
          "the download is cut off where nobody can tell by its length",
          /has another checksum/,
          async (box) => {
            const release = makeRelease(box, { version: "2.0.0" });
            const server = await ReleaseServer.start(release, {
              [FILE]: async (peer) => {
                await peer.write("HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n");
                await peer.write(readFileSync(join(release, FILE)).subarray(0, -5));
                peer.end();
              },
            });
            return { BIR_BASE_URL: server.url() };
          },
        ],
        [
          "the server never answers",
          /could not be got/,
          async (box) => ({
            ...bounded,
            BIR_BASE_URL: (await ReleaseServer.start(makeRelease(box), { SHA256SUMS: () => {} })).url(),
          }),
        ],
        [
          "the new executable does not run",
          /does not run on this machine/,
          async (box) => ({ BIR_BASE_URL: makeRelease(box, { executable: "#!/bin/sh\nexit 1\n" }) }),
        ],
        [
          "the new executable says no version",
          /does not tell its version/,
          async (box) => ({ BIR_BASE_URL: makeRelease(box, { executable: "#!/bin/sh\necho what is this\n" }) }),
        ],
        [
          "it is another version than was asked for",
          /this is bir 2\.0\.0, not 3\.0\.0/,
          async (box) => {
            makeRelease(box, { version: "2.0.0" }, "releases/v3.0.0");
            return { BIR_BASE_URL: join(box.directory, "releases"), BIR_VERSION: "v3.0.0" };
          },
        ],
      ];

      test.for(cases)("%s", async ([, says, arrange], { box, task }) => {
        needsShell(task.context, shell);
        const old = makeRelease(box, { version: "1.0.0" }, "old");

        // Nothing is there yet: nothing is left.
        const empty = tree(box.home);
        const env = await arrange(box);
        const first = await install(box, shell, env);
        expect(first.code).toBe(1);
        expect(first.stderr).toMatch(says);
        expect(tree(box.home)).toEqual(empty);

        // An older one is there: it stays.
        expect((await install(box, shell, { BIR_BASE_URL: old })).code).toBe(0);
        const before = tree(box.home);
        const second = await install(box, shell, env);
        expect(second.code).toBe(1);
        expect(second.stderr).toMatch(says);
        expect(tree(box.home)).toEqual(before);
      });
    });

    test("in directories with all that a shell could trip over", async ({ box, task }) => {
      needsShell(task.context, shell);
      const home = join(box.directory, `a b 'c' "d" $HOME \`e\` \\f ü & (g)`);
      mkdirSync(home);
      const env = { HOME: home, BIR_HOME: join(home, "my recordings") };
      const before = tree(home);
      const release = makeRelease(box, REAL);
      const base = join(box.directory, `rel ease's`);
      symlinkSync(release, base);
      const done = await install(box, shell, { ...env, BIR_BASE_URL: base });
      expect(done).toMatchObject({ code: 0, stderr: "" });
      const bin = join(home, ".local", "bin");
      for (const command of [
        ["bash", "-c", '. "$HOME/.bashrc"; . "$HOME/.profile"; printf %s "$PATH"'],
        ["dash", "-c", '. "$HOME/.profile"; . "$HOME/.profile"; printf %s "$PATH"'],
      ]) {
        expect(pathIn(box, command, env).filter((one) => one === bin)).toEqual([bin]);
      }
      const again = await install(box, shell, { ...env, BIR_BASE_URL: base });
      expect(again.stdout).toContain("was installed already");
      const bir = join(bin, "bir");
      expect(await runScript(box, [bir, "self", "update"], env)).toMatchObject({ code: 0, stderr: "" });
      expect(await runScript(box, [bir, "self", "uninstall", "--yes"], env)).toMatchObject({ code: 0, stderr: "" });
      expect(tree(home)).toEqual(before);
    });

    test("by the name of its directory alone, relative", async ({ box, task }) => {
      needsShell(task.context, shell);
      makeRelease(box, {}, "project/dist");
      const done = await install(box, shell, {
        BIR_BASE_URL: "dist",
        BIR_INSTALL_DIR: "bin/",
        BIR_HOME: "../home/.bir",
      });
      expect(done).toMatchObject({ code: 0, stderr: "" });
      const receipt = JSON.parse(readFileSync(join(box.home, ".bir", "receipt.json"), "utf8"));
      expect(receipt).toMatchObject({
        executable: join(box.cwd, "bin", "bir"),
        baseUrl: join(box.cwd, "dist"),
      });
    });

    test("a directory that may not be written to", async ({ box, task }) => {
      needsShell(task.context, shell);
      needs(
        task.context,
        OBEYING_MODES.length === 0 || Bun.which("setpriv") !== null,
        "modes bind root only through setpriv(1)",
      );
      const closed = join(box.home, "closed");
      mkdirSync(closed, { mode: 0o555 });
      const before = tree(box.home);
      const release = makeRelease(box);
      for (const directory of [closed, join(closed, "bin")]) {
        const done = await runScript(box, [...OBEYING_MODES, ...shell[1], INSTALL_SH], {
          BIR_BASE_URL: release,
          BIR_INSTALL_DIR: directory,
        });
        expect(done.code).toBe(1);
        expect(done.stderr).toContain("Set BIR_INSTALL_DIR to a directory of yours.");
        expect(tree(box.home)).toEqual(before);
      }
      const done = await runScript(box, [...OBEYING_MODES, ...shell[1], INSTALL_SH], {
        BIR_BASE_URL: release,
        BIR_HOME: join(closed, "bir"),
      });
      expect(done.code).toBe(1);
      expect(done.stderr).toContain("Set BIR_HOME to a directory of yours.");
      expect(tree(box.home)).toEqual(before);
    });

    test("read from a pipe and cut off anywhere, it does nothing", { timeout: 240_000 }, async ({ box, task }) => {
      needsShell(task.context, shell);
      const release = makeRelease(box);
      const script = readFileSync(INSTALL_SH);
      const env = { ...box.env(), BIR_BASE_URL: release };
      const [name, words] = shell;
      // Every byte in the shell of most systems; in the others every line's end, the last lines whole, and samples.
      const cuts = Array.from({ length: script.length - 1 }, (_, cut) => cut).filter(
        (cut) =>
          name === "dash" || cut % 7 === 0 || script[cut] === 10 || script[cut - 1] === 10 || cut > script.length - 200,
      );
      const next = cuts.values();
      const work = async (): Promise<void> => {
        for (const cut of next) {
          const child = Bun.spawn([...words], {
            env,
            cwd: box.cwd,
            stdio: [script.subarray(0, cut), "ignore", "ignore"],
          });
          await child.exited;
          const found = readdirSync(box.home);
          if (found.length > 0) throw new Error(`cut at ${cut} of ${script.length}, it made ${found}`);
        }
      };
      await Promise.all([work(), work(), work()]);
      // The same way, whole, it does what it is for.
      const whole = box.start(words, { env: { BIR_BASE_URL: release } });
      await whole.write(script);
      expect(await whole.finish()).toEqual({ code: 0, signal: null });
      expect(existsSync(installed(box))).toBe(true);
    });
  });

  describe("getting it", () => {
    test.for(["wget", "busybox wget"])("by %s, where there is no curl", async (kind, { box, task }) => {
      needs(task.context, Bun.which(kind.split(" ")[0] ?? "") !== null, `there is no ${kind}`);
      const release = makeRelease(box);
      const server = await ReleaseServer.start(release);
      const also = kind === "wget" ? {} : { wget: `exec busybox wget "$@"` };
      const PATH = programs(box, ["curl"], also);
      const before = tree(box.home);
      const done = await install(box, SH, { PATH, BIR_BASE_URL: server.url(), BIR_NO_MODIFY_PATH: "1" });
      expect(done).toMatchObject({ code: 0, stderr: "" });
      expect(server.asked).toEqual(["SHA256SUMS", FILE]);
      // Nothing of the downloader's own is left.
      expect(
        Object.keys(tree(box.home))
          .filter((path) => !(path in before))
          .sort(),
      ).toEqual([".local", ".local/bin", ".local/bin/bir", ".baseinstrunner", ".baseinstrunner/receipt.json"].sort());
      rmSync(join(release, FILE));
      fillRelease(release, { version: "3.0.0" });
      rmSync(join(release, FILE));
      const failed = await install(box, SH, { PATH, BIR_BASE_URL: server.url() });
      expect(failed.code).toBe(1);
      expect(failed.stderr).toMatch(/404/);
    });

    test("without curl and wget, or without anything to check a checksum with, says what to install", async ({
      box,
    }) => {
      const server = await ReleaseServer.start(makeRelease(box));
      const none = await install(box, SH, { PATH: programs(box, ["curl", "wget"]), BIR_BASE_URL: server.url() });
      expect(none).toMatchObject({ code: 1, stdout: "" });
      expect(none.stderr).toMatch(/^bir: there is neither curl nor wget\. Install one of them/);
      const unchecked = programs(box, ["sha256sum", "shasum", "openssl"]);
      const done = await install(box, SH, { PATH: unchecked, BIR_BASE_URL: server.url() });
      expect(done.code).toBe(1);
      expect(done.stderr).toContain("Install sha256sum, shasum or openssl.");
      expect(readdirSync(box.home)).toEqual([]);
    });

    test.for([["sha256sum"], ["sha256sum", "shasum"]])("checks without %s", async (without, { box, task }) => {
      needs(
        task.context,
        Bun.which("shasum") !== null && Bun.which("openssl") !== null,
        "there is no shasum or no openssl",
      );
      const PATH = programs(box, without);
      const right = await install(box, SH, { PATH, BIR_BASE_URL: makeRelease(box) });
      expect(right).toMatchObject({ code: 0, stderr: "" });
      const wrong = makeRelease(box, { version: "2.0.0", sum: "b".repeat(64) }, "wrong");
      expect(await install(box, SH, { PATH, BIR_BASE_URL: wrong })).toMatchObject({ code: 1 });
    });

    /** Its TLS library knows no variable for it. */
    const wgetrc = (box: Sandbox) => box.file("wgetrc", `ca_certificate = ${CA_FILE}\n`);

    describe.each([["curl"], ["wget"]])("over https, by %s", (tool) => {
      const other = tool === "curl" ? "wget" : "curl";

      test("trusts whom it should, and follows to https", async ({ box, task }) => {
        needs(task.context, Bun.which(tool) !== null, `there is no ${tool}`);
        const env = { PATH: programs(box, [other]), CURL_CA_BUNDLE: CA_FILE, WGETRC: wgetrc(box) };
        const release = makeRelease(box);
        const server = await ReleaseServer.start(release, {}, true);
        const redirecting = await ReleaseServer.start(
          box.cwd,
          {
            SHA256SUMS: (peer) =>
              peer.write(answer("", { location: `${server.url("localhost")}/SHA256SUMS` }, "302 Found")),
            [FILE]: (peer) => peer.write(answer("", { location: `${server.url("localhost")}/${FILE}` }, "302 Found")),
          },
          true,
        );
        const stranger = await install(box, SH, { PATH: env.PATH, BIR_BASE_URL: server.url("localhost") });
        expect(stranger.code).toBe(1);
        expect(server.asked).toEqual([]);
        const done = await install(box, SH, { ...env, BIR_BASE_URL: redirecting.url("localhost") });
        expect(done).toMatchObject({ code: 0, stderr: "" });
        expect(server.asked).toEqual(["SHA256SUMS", FILE]);
      });

      test("never goes on without it", async ({ box, task }) => {
        needs(task.context, Bun.which(tool) !== null, `there is no ${tool}`);
        const env = { PATH: programs(box, [other]), CURL_CA_BUNDLE: CA_FILE, WGETRC: wgetrc(box) };
        const plain = await ReleaseServer.start(makeRelease(box));
        const server = await ReleaseServer.start(
          box.cwd,
          { SHA256SUMS: (peer) => peer.write(answer("", { location: `${plain.url()}/SHA256SUMS` }, "302 Found")) },
          true,
        );
        const done = await install(box, SH, { ...env, BIR_BASE_URL: server.url("localhost") });
        expect(done.code).toBe(1);
        expect(done.stderr).toContain("SHA256SUMS could not be got");
        expect(plain.asked).toEqual([]);
        expect(readdirSync(box.home)).toEqual([]);
      });
    });

    test("does not ask a proxy for what is on this machine", async ({ box }) => {
      const server = await ReleaseServer.start(makeRelease(box));
      for (const without of ["wget", "curl"]) {
        const env = { PATH: programs(box, [without]), http_proxy: "http://127.0.0.1:9", BIR_BASE_URL: server.url() };
        expect((await install(box, SH, env)).code).toBe(0);
      }
    });

    test.for([
      ["http://example.com/bir", /Only https:\/\/ is taken/],
      ["http://localhost.example.com", /Only https:\/\/ is taken/],
      ["http://127.0.0.1:80x/", /no port after its :/],
      ["http://127.0.0.1:80@example.com/", /has a user in it/],
      ["https://ada:hunter2@example.com/bir", /has a user in it/],
      ["https://example.com/bir?token=hunter2", /has a \?, a # or a space in it/],
      ["ftp://example.com/hunter2", /no kind of URL/],
      ["file://example.com/hunter2", /no kind of URL/],
      ["file:///a%20b", /has a % in it/],
      ["/a\tb", /control character/],
    ] as const)("refuses %s", async ([url, says], { box }) => {
      const done = await install(box, SH, { BIR_BASE_URL: url });
      expect(done).toMatchObject({ code: 1, stdout: "" });
      expect(done.stderr).toMatch(says);
      expect(done.stderr).not.toContain("hunter2");
      expect(done.stderr.split("\n")).toHaveLength(2);
      expect(readdirSync(box.home)).toEqual([]);
    });

    test("out of file:// and out of a version's own folder", async ({ box }) => {
      makeRelease(box, { version: "1.2.3" }, "all/v1.2.3");
      const base = join(box.directory, "all");
      const done = await install(box, SH, { BIR_BASE_URL: `file://${base}`, BIR_VERSION: "1.2.3" });
      expect(done).toMatchObject({ code: 0, stderr: "" });
      // What comes next is the newest again, from where all of them are.
      expect(receiptOf(box)).toMatchObject({ version: "1.2.3", baseUrl: base });
      const bad = await install(box, SH, { BIR_BASE_URL: base, BIR_VERSION: "../1" });
      expect(bad.stderr).toMatch(/BIR_VERSION is no version/);
    });

    test("says that nothing is published, and what to do", async ({ box }) => {
      const done = await install(box, SH, {});
      expect(done).toMatchObject({ code: 1, stdout: "" });
      expect(done.stderr).toMatch(/^bir: no release of bir is published yet\. Make one, .*dist\/release/);
    });
  });

  describe("the machine", () => {
    const uname = (system: string, processor: string) =>
      `case $1 in -s) echo ${system} ;; -m) echo ${processor} ;; -o) echo ${system} ;; esac`;

    /** With programs that say these things; answers the target that it looks for, or what it says. */
    async function targetOn(box: Sandbox, says: Record<string, string>): Promise<string> {
      const PATH = programs(box, Object.keys(says), says);
      const { stderr } = await install(box, SH, { PATH, BIR_BASE_URL: box.cwd });
      return stderr;
    }

    test.for([
      ["Linux", "x86_64", "echo 'ldd (Debian GLIBC 2.36-9)'", "linux-x64"],
      ["Linux", "aarch64", "echo 'ldd (GNU libc) 2.39'", "linux-arm64"],
      ["Linux", "x86_64", "echo 'musl libc (x86_64)' >&2; exit 1", "linux-x64-musl"],
      ["Darwin", "x86_64", "exit 1", "darwin-x64"],
      ["Darwin", "arm64", "exit 1", "darwin-arm64"],
    ] as const)("%s on %s with a loader that answers `%s` is %s", async ([system, processor, ldd, target], { box }) => {
      writeFileSync(join(box.cwd, "SHA256SUMS"), "");
      const said = await targetOn(box, { uname: uname(system, processor), ldd, sysctl: "exit 1" });
      expect(said).toContain(`does not name bir-${target}.`);
    });

    test("an Apple processor behind Rosetta is an Apple processor", async ({ box }) => {
      writeFileSync(join(box.cwd, "SHA256SUMS"), "");
      const sysctl = `[ "$*" = "-n sysctl.proc_translated" ] && echo 1`;
      const said = await targetOn(box, { uname: uname("Darwin", "x86_64"), sysctl });
      expect(said).toContain("does not name bir-darwin-arm64.");
    });

    test.for([
      [{ uname: uname("FreeBSD", "amd64") }, "there is no bir for FreeBSD."],
      [{ uname: uname("Linux", "riscv64") }, "there is no bir for a processor of the kind riscv64."],
      [{ uname: uname("Linux", "i686") }, "there is no bir for a processor of the kind i686."],
      [{ uname: uname("MINGW64_NT-10.0", "x86_64") }, "Run install.ps1 in PowerShell."],
      [{ uname: uname("Linux", "aarch64"), ldd: "echo musl" }, "there is no bir for linux-arm64-musl."],
      [{ uname: uname("Linux", "x86_64"), getconf: "echo 32" }, "this system is a 32-bit one."],
    ] as [Record<string, string>, string][])("%j is refused", async ([says, message], { box }) => {
      expect(await targetOn(box, says)).toContain(message);
      expect(readdirSync(box.home)).toEqual([]);
    });

    test("no home, and root in another's home by sudo", async ({ box, task }) => {
      const release = makeRelease(box);
      expect((await install(box, SH, { BIR_BASE_URL: release, HOME: "" })).stderr).toMatch(/HOME is not set/);
      needs(task.context, process.getuid?.() === 0, "this is not run by root");
      const theirs = join(box.directory, "theirs");
      mkdirSync(theirs);
      spawnSync("chown", ["1234", theirs]);
      const env = { BIR_BASE_URL: release, HOME: theirs, BIR_HOME: join(theirs, "bir") };
      expect((await install(box, SH, { ...env, SUDO_USER: "ada" })).stderr).toMatch(/Run it without sudo/);
      expect(readdirSync(theirs)).toEqual([]);
      expect((await install(box, SH, env)).code).toBe(0);
    });
  });

  describe("what is there already", () => {
    test("another program of that name, or a link, is left", async ({ box }) => {
      const release = makeRelease(box);
      mkdirSync(join(box.home, ".local", "bin"), { recursive: true });
      writeFileSync(installed(box), "#!/bin/sh\necho another\n");
      const before = tree(box.home);
      expect((await install(box, SH, { BIR_BASE_URL: release })).stderr).toMatch(/is another program\. Move it away/);
      expect(tree(box.home)).toEqual(before);
      rmSync(installed(box));
      symlinkSync(join(release, FILE), installed(box));
      expect((await install(box, SH, { BIR_BASE_URL: release })).stderr).toMatch(/is a link\. Remove it/);
      rmSync(installed(box));
      // One of ours that was copied there by hand is renewed.
      writeFileSync(installed(box), readFileSync(join(release, FILE)));
      expect((await install(box, SH, { BIR_BASE_URL: release })).code).toBe(0);
    });

    test("one that is installed elsewhere is renewed there, and never doubled", async ({ box }) => {
      const release = makeRelease(box);
      const BIR_INSTALL_DIR = join(box.home, "tools");
      expect((await install(box, SH, { BIR_BASE_URL: release, BIR_INSTALL_DIR })).code).toBe(0);
      const doubled = await install(box, SH, { BIR_BASE_URL: release, BIR_INSTALL_DIR: join(box.home, "other") });
      expect(doubled.stderr).toContain(`bir is installed already, as ${join(BIR_INSTALL_DIR, "bir")}.`);
      fillRelease(release, { version: "2.0.0" });
      expect((await install(box, SH, { BIR_BASE_URL: release })).stdout).toContain(join(BIR_INSTALL_DIR, "bir"));
      expect(readdirSync(box.home).sort()).toEqual([".baseinstrunner", ".bashrc", ".profile", "tools"]);
      // Deleted by hand, it may be put elsewhere.
      rmSync(BIR_INSTALL_DIR, { recursive: true });
      expect((await install(box, SH, { BIR_BASE_URL: release })).stdout).toContain(installed(box));
    });

    test("a receipt of a later format is left alone", async ({ box }) => {
      mkdirSync(box.birHome);
      writeFileSync(join(box.birHome, "receipt.json"), '{\n  "format": 2\n}\n');
      const done = await install(box, SH, { BIR_BASE_URL: makeRelease(box) });
      expect(done.stderr).toContain("Take the newest install.sh.");
    });
  });

  describe("PATH", () => {
    const bin = (box: Sandbox) => join(box.home, ".local", "bin");

    test.for([
      ["bash, with a .bash_profile", "/bin/bash", [".bash_profile", ".profile"], [".bashrc", ".bash_profile"]],
      ["bash, with a .profile", "/usr/bin/bash", [".bashrc", ".profile"], [".bashrc", ".profile"]],
      ["zsh", "/usr/bin/zsh", [], [".zshrc"]],
      ["fish", "/usr/bin/fish", [], [".config/fish/conf.d/bir.fish"]],
      ["another shell", "/bin/ksh", [".bashrc"], [".profile"]],
      ["no shell that is known", "", [], [".profile"]],
    ] as const)("of %s", async ([, SHELL, there, edited], { box }) => {
      for (const name of there) writeFileSync(join(box.home, name), "# mine\n");
      const before = tree(box.home);
      const release = makeRelease(box, REAL);
      const done = await install(box, SH, { BIR_BASE_URL: release, SHELL });
      expect(done).toMatchObject({ code: 0, stderr: "" });
      expect(receiptOf(box).pathFiles).toEqual(edited.map((name) => join(box.home, name)));
      for (const name of there.filter((one) => !(edited as readonly string[]).includes(one))) {
        expect(readFileSync(join(box.home, name), "utf8")).toBe("# mine\n");
      }
      expect((await install(box, SH, { BIR_BASE_URL: release, SHELL })).code).toBe(0);
      for (const name of edited) {
        expect(readFileSync(join(box.home, name), "utf8").match(/# bir: put here by its installer/g)).toHaveLength(1);
      }
      expect((await runScript(box, [installed(box), "self", "uninstall", "--yes"], {})).code).toBe(0);
      expect(tree(box.home)).toEqual(before);
    });

    test.for([
      ["zsh", ["zsh", "-ic", 'echo "$PATH"']],
      ["fish", ["fish", "-ic", "string join : $PATH"]],
      ["bash", ["bash", "-ic", 'echo "$PATH"']],
      ["bash", ["bash", "-lc", 'echo "$PATH"']],
    ] as [string, string[]][])("holds in a new %s (%j)", async ([shell, command], { box, task }) => {
      needs(task.context, Bun.which(shell) !== null, `there is no ${shell}`);
      expect((await install(box, SH, { BIR_BASE_URL: makeRelease(box), SHELL: `/bin/${shell}` })).code).toBe(0);
      expect(pathIn(box, command).filter((one) => one === bin(box))).toEqual([bin(box)]);
    });

    test("is left where the directory is on it already, and where a person says so", async ({ box }) => {
      const release = makeRelease(box);
      const PATH = `${process.env.PATH}:${bin(box)}`;
      const there = await install(box, SH, { BIR_BASE_URL: release, PATH });
      expect(there).toMatchObject({ code: 0, stderr: "" });
      expect(there.stdout).not.toContain("export PATH");
      const told = await install(box, SH, { BIR_BASE_URL: release, BIR_NO_MODIFY_PATH: "1" });
      expect(told.stdout).toContain(`Put ${bin(box)} on your PATH yourself.`);
      expect(readdirSync(box.home).sort()).toEqual([".baseinstrunner", ".local"]);
      expect(receiptOf(box).pathFiles).toEqual([]);
    });

    test("is left, and told, where the shell's file cannot be written or is not ours", async ({ box }) => {
      const release = makeRelease(box);
      mkdirSync(join(box.home, ".zshrc"));
      const directory = await install(box, SH, { BIR_BASE_URL: release, SHELL: "/bin/zsh" });
      expect(directory).toMatchObject({ code: 0, stderr: "" });
      expect(directory.stdout).toContain(".zshrc cannot be written. Put");
      const conf = join(box.home, ".config", "fish", "conf.d");
      mkdirSync(conf, { recursive: true });
      writeFileSync(join(conf, "bir.fish"), "# somebody's\n");
      const foreign = await install(box, SH, { BIR_BASE_URL: release, SHELL: "/bin/fish" });
      expect(foreign.stdout).toContain("bir.fish is there already. Put");
      expect(readFileSync(join(conf, "bir.fish"), "utf8")).toBe("# somebody's\n");
      const colon = await install(box, SH, {
        BIR_BASE_URL: release,
        HOME: `${box.home}/a:b`,
        BIR_HOME: `${box.home}/c`,
      });
      expect(colon.stdout).toContain("A directory with a : in its name cannot be on PATH");
    });

    test("through a link stays a link, and a line after ours stays", async ({ box }) => {
      const release = makeRelease(box, REAL);
      const real = box.file("dotfiles-zshrc", "# mine");
      symlinkSync(real, join(box.home, ".zshrc"));
      expect((await install(box, SH, { BIR_BASE_URL: release, SHELL: "/bin/zsh" })).code).toBe(0);
      appendFileSync(real, "# later\n");
      const done = await runScript(box, [installed(box), "self", "uninstall", "--yes"], {});
      expect(done).toMatchObject({ code: 0, stderr: "" });
      expect(readFileSync(real, "utf8")).toBe("# mine\n# later\n");
      expect(readdirSync(box.home)).toEqual([".zshrc"]);
    });
  });

  test("a server that falls silent in the middle is not waited for", async ({ box }) => {
    const server = await ReleaseServer.start(makeRelease(box), {
      [FILE]: (peer) => peer.write("HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nbegun"),
    });
    for (const without of ["wget", "curl"]) {
      const env = { BIR_BASE_URL: server.url(), BIR_DOWNLOAD_TIMEOUT_MS: "1000", PATH: programs(box, [without]) };
      const done = await install(box, SH, env);
      expect(done.code).toBe(1);
      expect(done.stderr).toContain("could not be got");
      expect(readdirSync(box.home)).toEqual([]);
    }
  });

  test("ended by a signal in the middle, it leaves nothing", async ({ box }) => {
    const server = await ReleaseServer.start(makeRelease(box), { [FILE]: () => {} });
    let times = 0;
    for (const [signal, code] of [
      ["SIGTERM", 143],
      ["SIGINT", 130],
      ["SIGHUP", 129],
    ] as const) {
      // A session of its own: the downloader is told too, as by a terminal.
      const child = box.start(["setsid", "dash", INSTALL_SH], { env: { BIR_BASE_URL: server.url() } });
      await server.untilAsked(FILE, ++times);
      process.kill(-child.pid, signal);
      expect((await child.exit()).code).toBe(code);
      expect(readdirSync(box.home)).toEqual([]);
    }
  });

  test("shellcheck finds nothing in it", ({ task }) => {
    const shellcheck = Bun.which("shellcheck");
    needs(task.context, shellcheck !== null, "there is no shellcheck (apt-get install shellcheck)");
    const { stdout, status } = spawnSync(shellcheck ?? "", ["--shell=sh", INSTALL_SH], { encoding: "utf8" });
    expect(stdout).toBe("");
    expect(status).toBe(0);
  });
}
