/** `bir self update` of an installed executable: in one step, after the new one is proven, and the old one whatever goes wrong. */

import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect } from "vitest";
import packageJson from "../../package.json" with { type: "json" };
import { CA_FILE } from "../fakes/http/certificates.ts";
import { answer } from "../fakes/http/raw-server.ts";
import { BIR } from "../harness/locations.ts";
import { test } from "../harness/process-test.ts";
import { fileNeeds } from "../harness/requirement.ts";
import type { CliResult, Sandbox } from "../harness/sandbox.ts";
import {
  FILE,
  fillRelease,
  install,
  installed,
  makeRelease,
  REAL,
  ReleaseServer,
  receiptOf,
  runScript,
  SHELLS,
  type Shell,
  sha256,
  tree,
} from "./install-fixture.ts";

const SH = (SHELLS.find(([name]) => Bun.which(name) !== null) ?? SHELLS[0]) as Shell;
const NEWER = "99.0.0";
const { version: OURS } = packageJson;

/** Puts the executable under test where the install script puts it; answers the folder that it came from. */
async function installReal(box: Sandbox): Promise<string> {
  const release = makeRelease(box, REAL, "real");
  expect(await install(box, SH, { BIR_BASE_URL: release, BIR_NO_MODIFY_PATH: "1" })).toMatchObject({ code: 0 });
  return release;
}

async function update(box: Sandbox, env: Record<string, string> = {}, ...flags: string[]): Promise<CliResult> {
  return await runScript(box, [installed(box), "self", "update", ...flags], env);
}

if (fileNeeds(process.platform !== "win32", "a POSIX system")) {
  test("gets what is published where it came from, and says when that is what is here", async ({ box }) => {
    const release = await installReal(box);
    expect(await update(box)).toMatchObject({
      code: 0,
      stderr: "",
      stdout: `bir ${OURS} is the newest that is published.\n`,
    });
    fillRelease(release, { version: NEWER });
    const before = statSync(installed(box)).ino;
    const check = await update(box, {}, "--check", "--json");
    expect(JSON.parse(check.stdout)).toEqual({
      state: "available",
      from: OURS,
      to: null,
      executable: installed(box),
      serverPid: null,
    });
    expect(statSync(installed(box)).ino).toBe(before);

    const lists = receiptOf(box);
    const done = await update(box);
    expect(done).toMatchObject({ code: 0, stderr: "" });
    expect(done.stdout).toBe(`bir ${NEWER} is in the place of ${OURS}: ${installed(box)}\n`);
    expect(sha256(installed(box))).toBe(sha256(join(release, FILE)));
    expect(statSync(installed(box)).mode & 0o777).toBe(0o755);
    expect(receiptOf(box)).toEqual({ ...lists, version: NEWER, sha256: sha256(installed(box)) });
    expect(statSync(join(box.birHome, "receipt.json")).mode & 0o777).toBe(0o600);
    expect(readdirSync(dirname(installed(box)))).toEqual(["bir"]);
  });

  test("from a server, which BIR_BASE_URL names, and from there again", async ({ box }) => {
    await installReal(box);
    const release = makeRelease(box, { version: NEWER });
    const server = await ReleaseServer.start(release);
    const done = await update(box, { BIR_BASE_URL: server.url() }, "--json");
    expect(done).toMatchObject({ code: 0, stderr: "" });
    expect(JSON.parse(done.stdout)).toMatchObject({ state: "updated", from: OURS, to: NEWER });
    expect(receiptOf(box).baseUrl).toBe(server.url());
    expect(server.asked).toEqual(["SHA256SUMS", FILE]);
  });

  test("over https, from whom it trusts, through redirects, never to http", async ({ box }) => {
    await installReal(box);
    const release = makeRelease(box, { version: NEWER });
    const server = await ReleaseServer.start(release, {}, true);
    const to = (url: string) => (peer: { write: (bytes: Buffer) => Promise<void> }) =>
      peer.write(answer("", { location: url }, "302 Found"));
    const target = server.url("localhost");
    const redirecting = await ReleaseServer.start(
      box.cwd,
      { SHA256SUMS: to(`${target}/SHA256SUMS`), [FILE]: to(`${target}/${FILE}`) },
      true,
    );
    const downgrading = await ReleaseServer.start(box.cwd, { SHA256SUMS: to("http://192.0.2.1/SHA256SUMS") }, true);
    const before = tree(box.home);
    const stranger = await update(box, { BIR_BASE_URL: target });
    expect(stranger).toMatchObject({ code: 4, stdout: "" });
    expect(stranger.stderr).toMatch(/could not be got: the certificate is not trusted/);
    const trusting = { NODE_EXTRA_CA_CERTS: CA_FILE };
    const lower = await update(box, { ...trusting, BIR_BASE_URL: downgrading.url("localhost") });
    expect(lower.stderr).toMatch(/redirects from https to http/);
    expect(tree(box.home)).toEqual(before);
    expect(server.asked).toEqual([]);
    const done = await update(box, { ...trusting, BIR_BASE_URL: redirecting.url("localhost") });
    expect(done).toMatchObject({ code: 0, stderr: "" });
  });

  test("a version by its name, older ones too; never an older one by itself", async ({ box }) => {
    await installReal(box);
    const all = makeRelease(box, { version: "0.0.1" }, "all");
    makeRelease(box, { version: "0.0.1" }, "all/v0.0.1");
    makeRelease(box, { version: "7.7.7" }, "all/v0.0.2");
    const env = { BIR_BASE_URL: all };
    const before = tree(box.home);
    const older = await update(box, env);
    expect(older).toMatchObject({ code: 0, stderr: "" });
    expect(older.stdout).toContain(`What is published is older (0.0.1) than bir ${OURS}, which stays.`);
    const other = await update(box, env, "--version", "0.0.2");
    expect(other).toMatchObject({ code: 1, stdout: "" });
    expect(other.stderr).toMatch(/this is bir 7\.7\.7, not 0\.0\.2/);
    expect((await update(box, env, "--version", "../v0.0.1")).code).toBe(2);
    expect(tree(box.home)).toEqual(before);
    expect(await update(box, env, "--version", "v0.0.1")).toMatchObject({ code: 0, stderr: "" });
    expect(receiptOf(box)).toMatchObject({ version: "0.0.1", baseUrl: all });
  });

  describe("leaves all as it was, and says why, when", () => {
    const cases: [
      what: string,
      code: number,
      says: RegExp,
      arrange: (box: Sandbox) => Promise<Record<string, string>>,
    ][] = [
      [
        "the checksum is another one",
        1,
        /has another checksum than SHA256SUMS says/,
        async (box) => ({ BIR_BASE_URL: makeRelease(box, { version: NEWER, sum: "a".repeat(64) }) }),
      ],
      [
        "this platform is not in the release",
        1,
        /does not name bir-/,
        async (box) => {
          const release = makeRelease(box);
          writeFileSync(join(release, "SHA256SUMS"), "");
          return { BIR_BASE_URL: release };
        },
      ],
      ["the folder holds no release", 1, /there is no SHA256SUMS in/, async (box) => ({ BIR_BASE_URL: box.cwd })],
      [
        "the executable is missing in the folder",
        1,
        /could not be copied: there is no such file/,
        async (box) => {
          const release = makeRelease(box, { version: NEWER });
          rmSync(join(release, FILE));
          return { BIR_BASE_URL: release };
        },
      ],
      [
        "the server has nothing",
        4,
        /the server answered HTTP 404/,
        async (box) => ({ BIR_BASE_URL: (await ReleaseServer.start(box.cwd)).url() }),
      ],
      [
        "nobody answers",
        4,
        /could not be got/,
        async (box) => {
          const server = await ReleaseServer.start(box.cwd, { SHA256SUMS: () => {} });
          return { BIR_BASE_URL: server.url(), BIR_DOWNLOAD_TIMEOUT_MS: "500" };
        },
      ],
      [
        "the server falls silent in the middle",
        4,
        /the server sent nothing for 500 ms/,
        async (box) => {
          const server = await ReleaseServer.start(makeRelease(box, { version: NEWER }), {
            [FILE]: (peer) => peer.write("HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\nbegun"),
          });
          return { BIR_BASE_URL: server.url(), BIR_DOWNLOAD_TIMEOUT_MS: "500" };
        },
      ],
      [
        "the download is cut off",
        4,
        /the connection ended before the answer did/,
        async (box) => {
          const server = await ReleaseServer.start(makeRelease(box, { version: NEWER }), {
            [FILE]: async (peer) => {
              await peer.write("HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\nbegun");
              peer.end();
            },
          });
          return { BIR_BASE_URL: server.url() };
        },
      ],
      [
        "the list of checksums never ends",
        4,
        /sends more than that file may be/,
        async (box) => {
          const server = await ReleaseServer.start(box.cwd, {
            SHA256SUMS: (peer) => peer.write(answer("x".repeat(100_000))),
          });
          return { BIR_BASE_URL: server.url() };
        },
      ],
      [
        "the new one does not run here",
        1,
        /does not run on this machine/,
        async (box) => ({ BIR_BASE_URL: makeRelease(box, { executable: "#!/nowhere/sh\n" }) }),
      ],
      [
        "where it comes from may not be used",
        1,
        /begins with http:/,
        async () => ({ BIR_BASE_URL: "http://example.com" }),
      ],
    ];

    test.for(cases)("%s", async ([, code, says, arrange], { box }) => {
      await installReal(box);
      const before = tree(box.home);
      const done = await update(box, await arrange(box));
      expect(done).toMatchObject({ code, stdout: "" });
      expect(done.stderr).toMatch(says);
      expect(done.stderr.split("\n")).toHaveLength(2);
      expect(tree(box.home)).toEqual(before);
    });

    test("nothing is published", async ({ box }) => {
      await installReal(box);
      const receipt = { ...receiptOf(box), baseUrl: "" };
      writeFileSync(join(box.birHome, "receipt.json"), JSON.stringify(receipt));
      const done = await update(box);
      expect(done).toMatchObject({ code: 1, stdout: "" });
      expect(done.stderr).toMatch(/^bir: no release of bir is published yet\. Make one, .*dist\/release/);
      expect(JSON.parse((await update(box, {}, "--json")).stdout).error.code).toBe("nothing-published");
    });
  });

  test("goes on with what runs, and says that the control server is still the old one", async ({ box }) => {
    const release = await installReal(box);
    const bir = installed(box);
    const proxy = box.start([bir, "proxy", "--server-name", "cat", "--", "cat"]);
    await proxy.write("1\n");
    await proxy.stdout.untilText("1\n");
    const up = JSON.parse((await runScript(box, [bir, "up", "--json"], {})).stdout);
    fillRelease(release, { version: NEWER });
    const done = await update(box);
    expect(done.stdout).toContain(`The control server (pid ${up.pid}) runs the old one until it leaves`);
    await proxy.write("2\n");
    await proxy.stdout.untilText("2\n");
    expect(await proxy.finish()).toEqual({ code: 0, signal: null });
    expect((await runScript(box, [BIR, "down"], {})).code).toBe(0);
  });

  test("killed in the middle, the old one is there; what was left goes with the next uninstall", async ({ box }) => {
    const before = tree(box.home);
    await installReal(box);
    const old = sha256(installed(box));
    const server = await ReleaseServer.start(makeRelease(box, { version: NEWER }), { [FILE]: () => {} });
    const child = box.start([installed(box), "self", "update"], { env: { BIR_BASE_URL: server.url() } });
    await server.untilAsked(FILE);
    child.signal("SIGKILL");
    await child.exit();
    expect(sha256(installed(box))).toBe(old);
    expect(readdirSync(dirname(installed(box)))).toHaveLength(2);
    expect((await runScript(box, [installed(box), "self", "uninstall", "--yes"], {})).code).toBe(0);
    expect(tree(box.home)).toEqual(before);
  });

  test("only the installed one renews itself; by a link it does", async ({ box }) => {
    await installReal(box);
    const other = await runScript(box, [BIR, "self", "update"], {});
    expect(other).toMatchObject({ code: 2, stdout: "" });
    expect(other.stderr).toContain(installed(box));
    mkdirSync(join(box.home, "links"));
    const link = join(box.home, "links", "recorder");
    symlinkSync(installed(box), link);
    appendFileSync(installed(box), "x");
    const done = await runScript(box, [link, "self", "update"], {});
    expect(done.stdout).toBe(`bir ${OURS} was renewed: ${installed(box)}\n`);
    expect(existsSync(link)).toBe(true);
  });

  test("without a receipt it says how it goes then", async ({ box }) => {
    const done = await runScript(box, [BIR, "self", "update"], {});
    expect(done).toMatchObject({ code: 3, stdout: "" });
    expect(done.stderr).toMatch(/not put here by its install script/);
  });
}
