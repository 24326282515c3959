import { existsSync, mkdirSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import type { Discovery } from "../../src/core/control-wire.ts";
import { doctorSchema, downSchema, problemSchema, statusSchema, upSchema } from "../../src/core/schema/answers.ts";
import { VERSION } from "../../src/version.ts";
import { T0, TestCli } from "./cli-fixture.ts";

/** What the command line says of the control server; servers here are stand-ins that only know `/health`. */

/** No process has this number. */
const NOBODY = 4_194_305;

interface StandIn {
  version?: string;
  answer?: "health" | "nothing" | "refusal";
}

/** Answers as the server of this home would; `alive` in the context decides whether its process is there. */
function serveFor(cli: TestCli, { version = VERSION, answer = "health" }: StandIn = {}): Discovery {
  const own = { pid: NOBODY, startedAt: T0, processStartedAt: "boot/1" };
  const occupation = { sessions: 2, proxies: 1, openRuns: 0 };
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: () => {
      if (answer === "nothing") return new Promise<Response>(() => {});
      if (answer === "refusal") return new Response(null, { status: 401 });
      return Response.json({ ok: true, version, ...own, occupation });
    },
  });
  onTestFinished(() => server.stop(true));
  const discovery = { ...own, url: `http://127.0.0.1:${server.port}`, token: "the-token", sessionId: null };
  mkdirSync(join(cli.home, "control"), { recursive: true });
  writeFileSync(join(cli.home, "control", "server.json"), JSON.stringify(discovery), { mode: 0o600 });
  return discovery;
}

const line = (cli: TestCli, name: string) => cli.stdout.split("\n").find((one) => one.startsWith(name));

describe("bir status", () => {
  test("of a server that answers", async () => {
    const cli = new TestCli();
    const { url } = serveFor(cli);
    await cli.run("status");
    expect(line(cli, "Control server")).toBe(
      `Control server  running: 2 sessions, 1 proxy, 0 open runs, started 3 min ago, pid ${NOBODY}`,
    );
    const { server } = statusSchema.parse(await cli.json("status"));
    expect(server).toEqual({
      state: "running",
      down: false,
      url,
      pid: NOBODY,
      version: VERSION,
      startedAt: T0,
      sessions: 2,
      proxies: 1,
      openRuns: 0,
    });
    expect(cli.stdout).not.toContain("the-token");
  });

  test("of none, of one that is switched down, and of one whose file is left over", async () => {
    const cli = new TestCli();
    await cli.run("status");
    expect(line(cli, "Control server")).toBe("Control server  not running; what needs it starts it");
    serveFor(cli, { answer: "refusal" });
    cli.alive.push(`${NOBODY} boot/1`);
    await cli.run("status");
    expect(line(cli, "Control server")).toBe("Control server  not running; what needs it starts it");
    writeFileSync(join(cli.home, "down"), "");
    await cli.run("status");
    expect(line(cli, "Control server")).toBe(
      "Control server  down: proxies record by themselves. `bir up` starts it again.",
    );
  });

  test("of one that does not answer, which is there or gone", async () => {
    const cli = new TestCli();
    serveFor(cli, { answer: "nothing" });
    await cli.run("status");
    expect(line(cli, "Control server")).toBe("Control server  not running; what needs it starts it");
    cli.alive.push(`${NOBODY} boot/1`);
    await cli.run("status");
    expect(line(cli, "Control server")).toBe(
      `Control server  ✗ does not answer (pid ${NOBODY}); sessions go on without it`,
    );
  });

  test("of what waits for it", async () => {
    const cli = new TestCli();
    const spool = join(cli.home, "spool");
    mkdirSync(join(spool, "unreadable"), { recursive: true });
    for (const [name, minutesAgo] of [
      ["a-1.ndjson", 7],
      ["a-2.ndjson", 2],
      ["a-3.1.taken", 60],
    ] as const) {
      writeFileSync(join(spool, name), "x".repeat(1000));
      const seconds = (T0 + (3 - minutesAgo) * 60_000) / 1000;
      utimesSync(join(spool, name), seconds, seconds);
    }
    await cli.run("status");
    expect(line(cli, "Waiting")).toBe(
      "Waiting         2 report files for the control server (2.0 KiB, the oldest from 7 min ago)",
    );
    writeFileSync(join(spool, "unreadable", "a-9.ndjson"), "x");
    expect(statusSchema.parse(await cli.json("status")).spool).toEqual({
      files: 2,
      sizeBytes: 2000,
      oldestAt: T0 - 4 * 60_000,
      unreadable: 1,
    });
  });
});

describe("bir doctor", () => {
  const found = async (cli: TestCli) => {
    const { findings } = doctorSchema.parse(await cli.json("doctor"));
    return findings.filter(({ check }) => check === "control-server");
  };

  test("is content with a server that answers, with none, and with one that is switched down", async () => {
    const cli = new TestCli();
    expect(await found(cli)).toMatchObject([{ severity: "ok" }]);
    mkdirSync(cli.home, { mode: 0o700 });
    writeFileSync(join(cli.home, "down"), "", { mode: 0o600 });
    expect(await found(cli)).toMatchObject([{ severity: "info", hint: "`bir up` starts it again." }]);
    serveFor(cli);
    expect(await found(cli)).toMatchObject([{ severity: "ok" }]);
  });

  test("warns of one that is silent, of another version, and of what waits in vain", async () => {
    const silent = new TestCli();
    serveFor(silent, { answer: "nothing" });
    silent.alive.push(`${NOBODY} boot/1`);
    const [first] = await found(silent);
    expect(first).toMatchObject({ severity: "warning", hint: expect.stringContaining(`kill -CONT ${NOBODY}`) });

    const other = new TestCli();
    serveFor(other, { version: "0.0.1" });
    expect(await found(other)).toMatchObject([{ severity: "warning", hint: "Start it anew: bir down && bir up" }]);

    const waiting = new TestCli();
    mkdirSync(join(waiting.home, "spool"), { recursive: true });
    const path = join(waiting.home, "spool", "a-1.ndjson");
    writeFileSync(path, "x");
    utimesSync(path, T0 / 1000 - 3600, T0 / 1000 - 3600);
    expect(await found(waiting)).toMatchObject([
      { severity: "ok" },
      { severity: "warning", message: "the control server is waited for by 1 report file, the oldest from 1 h ago" },
    ]);
    utimesSync(path, T0 / 1000 + 175, T0 / 1000 + 175);
    expect(await found(waiting)).toMatchObject([
      { severity: "ok" },
      { severity: "warning", hint: "`bir up` starts it, and it takes it up." },
    ]);
    serveFor(waiting);
    expect(await found(waiting)).toMatchObject([{ severity: "ok" }]);
  });
});

describe("bir up and bir down", () => {
  test("up finds the server that runs, and takes the switch back", async () => {
    const cli = new TestCli();
    const { url } = serveFor(cli);
    writeFileSync(join(cli.home, "down"), "");
    expect(await cli.run("up")).toBe(0);
    expect(cli.stdout).toBe(`The control server is running already at ${url} (pid ${NOBODY}): 2 sessions, 1 proxy.\n`);
    expect(existsSync(join(cli.home, "down"))).toBe(false);
    expect(upSchema.parse(await cli.json("up"))).toMatchObject({ url, token: "the-token", alreadyRunning: true });
  });

  test("up does not start one beside one that is silent", async () => {
    const cli = new TestCli();
    serveFor(cli, { answer: "nothing" });
    cli.alive.push(`${NOBODY} boot/1`);
    expect(problemSchema.parse(await cli.json("up")).error.code).toBe("server-silent");
  });

  test("down throws the switch, also where there is no home yet", async () => {
    const cli = new TestCli();
    expect(downSchema.parse(await cli.json("down"))).toEqual({ server: "none", pid: null, killed: false });
    expect(statSync(join(cli.home, "down")).mode & 0o777).toBe(0o600);
    expect(statSync(cli.home).mode & 0o777).toBe(0o700);
    expect(await cli.run("down")).toBe(0);
    expect(cli.stdout).toMatch(/^The control server was not running; nothing starts it now\.\nProxies record /);
  });

  test("down of a server that is gone before it can be told is done", async () => {
    const cli = new TestCli();
    serveFor(cli);
    expect(downSchema.parse(await cli.json("down"))).toEqual({ server: "stopped", pid: NOBODY, killed: false });
  });

  test("a home that cannot be used is a problem of its own", async () => {
    const cli = new TestCli();
    writeFileSync(cli.home, "a file");
    for (const command of ["up", "down"]) {
      expect(await cli.run(command)).toBe(3);
      expect(cli.stderr).toContain(`${cli.home} is not a directory`);
    }
  });
});
