/** The control server as a process: one for a home whoever starts it, believed only when it answers, gone when it should be. */

import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect } from "vitest";
import type { Discovery } from "../../src/core/control-wire.ts";
import { downSchema, statusSchema, upSchema } from "../../src/core/schema/answers.ts";
import { serverDiscoveryPath } from "../../src/kit/paths.ts";
import { processStartedAt } from "../../src/kit/process-identity.ts";
import { BIR } from "../harness/locations.ts";
import { test } from "../harness/process-test.ts";
import { needs } from "../harness/requirement.ts";
import type { Sandbox } from "../harness/sandbox.ts";
import { hookLine, hookReport } from "../unit/control-fixture.ts";
import { ask, discoveryOf, endServer, head, RawConnection, READY, serverLog, startServer } from "./control-process.ts";
import { mountSmallDisk } from "./faults/small-disk.ts";

const linux = process.platform === "linux";

/** The control servers of a sandbox that are running. */
const servers = (box: Sandbox) => box.survivors().filter(({ command }) => command.includes("hooks serve"));

async function json(box: Sandbox, ...words: string[]): Promise<unknown> {
  const { stdout } = await box.bir([...words, "--json"]);
  return JSON.parse(stdout);
}

const up = async (box: Sandbox) => upSchema.parse(await json(box, "up"));
const down = async (box: Sandbox) => downSchema.parse(await json(box, "down"));
const status = async (box: Sandbox) => statusSchema.parse(await json(box, "status"));

/** Where a link leads; empty for one that went since it was listed. */
function linkIfThere(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return "";
  }
}

/** Writes a discovery file by hand. */
function forge(box: Sandbox, discovery: Partial<Discovery>): void {
  mkdirSync(join(box.birHome, "control"), { recursive: true, mode: 0o700 });
  const whole = { url: "http://127.0.0.1:1", token: "t", sessionId: null, pid: 1, startedAt: 1, processStartedAt: "x" };
  writeFileSync(serverDiscoveryPath(box.birHome), JSON.stringify({ ...whole, ...discovery }));
}

describe("a server", () => {
  test("answers, keeps its files private, and leaves none that leads to it", async ({ box }) => {
    const server = await startServer(box);
    const discovery = discoveryOf(box);
    expect(discovery).toMatchObject({ pid: server.pid, processStartedAt: processStartedAt(server.pid) });
    expect((await ask(discovery, "/tool/pre", hookReport("r1"))).status).toBe(200);
    for (const name of readdirSync(join(box.birHome, "control"))) {
      expect(statSync(join(box.birHome, "control", name)).mode & 0o777, name).toBe(0o600);
    }
    for (const directory of ["", "control", "log"]) {
      expect(statSync(join(box.birHome, directory)).mode & 0o777, directory).toBe(0o700);
    }
    expect(await endServer(server)).toBe(0);
    expect(readdirSync(join(box.birHome, "control")).filter((name) => name.endsWith(".json"))).toEqual([]);
    expect(serverLog(box)).not.toContain(discovery.token);
    expect(server.stderr.text()).not.toContain(discovery.token);
    expect(server.stdout.text()).toBe("");
  });

  test.for(["SIGTERM", "SIGINT", "SIGHUP"] as const)("goes well on %s", async (signal, { box }) => {
    expect(await endServer(await startServer(box), signal)).toBe(0);
    expect(existsSync(serverDiscoveryPath(box.birHome))).toBe(false);
  });

  test("stays when its terminal goes: nobody reads its stderr, its stdin ends", async ({ box }) => {
    const server = await startServer(box);
    server.closeStdout();
    server.closeStderr();
    await server.closeStdin();
    const second = await box.bir(["hooks", "serve"]);
    expect([second.code, second.stderr]).toEqual([0, "bir: a control server is there already.\n"]);
    expect((await ask(discoveryOf(box), "/health")).status).toBe(200);
    expect(await endServer(server)).toBe(0);
  });

  test("holds neither the directory that it was started in nor one that it is told of", async ({ box, task }) => {
    needs(task.context, linux, "what a process holds is read from /proc");
    const server = await startServer(box);
    await ask(discoveryOf(box), "/tool/pre", hookReport("r1", 1, { cwd: box.cwd }));
    expect(readlinkSync(`/proc/${server.pid}/cwd`)).toBe(box.birHome);
    const open = readdirSync(`/proc/${server.pid}/fd`).map((fd) => linkIfThere(`/proc/${server.pid}/fd/${fd}`));
    expect(open.filter((path) => path.startsWith(box.cwd))).toEqual([]);
    expect(await endServer(server)).toBe(0);
  });

  test("of a home that is given by a path from here stays in it", async ({ box }) => {
    const server = box.start([BIR, "hooks", "serve"], { env: { BIR_HOME: "rec" } });
    await server.stderr.untilMatch(READY);
    expect(existsSync(join(box.cwd, "rec", "control", "server.json"))).toBe(true);
    expect(await endServer(server)).toBe(0);
    expect(readdirSync(box.cwd)).toEqual(["rec"]);
    expect(readdirSync(join(box.cwd, "rec")).filter((name) => name === "rec")).toEqual([]);
  });

  test("leaves when nothing uses it", async ({ box }) => {
    const server = await startServer(box, ["--idle-ms", "100"]);
    expect(await server.exit()).toEqual({ code: 0, signal: null });
    expect(serverLog(box)).toContain("leaving: nothing uses it");
  });

  test("says what its command line takes", async ({ box }) => {
    for (const words of [["--idle-ms"], ["--idle-ms", "soon"], ["--port", "1"], ["x"], ["--idle-ms=1", "x"]]) {
      const { code, stderr } = await box.bir(["hooks", "serve", ...words]);
      expect([code, stderr.split("\n")], words.join(" ")).toEqual([2, [expect.stringContaining("--idle-ms N"), ""]]);
    }
    const help = await box.bir(["hooks", "serve", "--help"]);
    expect([help.code, help.stderr]).toEqual([0, ""]);
    expect(help.stdout).toContain("--idle-ms N");
  });
});

describe("starters at once", () => {
  test.for([2, 10])("%i of them make one server", async (count, { box }) => {
    const started = Array.from({ length: count }, () => box.start([BIR, "hooks", "serve"]));
    const outcomes = await Promise.all(
      started.map((one) => one.stderr.untilMatch(/serving at|is there already/).then(([said]) => said)),
    );
    expect(outcomes.filter((said) => said === "serving at")).toHaveLength(1);
    const serving = started[outcomes.indexOf("serving at")];
    for (const one of started.filter((other) => other !== serving)) {
      expect(await one.exit()).toEqual({ code: 0, signal: null });
    }
    expect(servers(box).map(({ pid }) => pid)).toEqual([serving?.pid]);
    expect(discoveryOf(box).pid).toBe(serving?.pid);
    if (serving !== undefined) expect(await endServer(serving)).toBe(0);
  });

  test("five times `bir up` is one server, and one of them started it", async ({ box }) => {
    const all = await Promise.all(Array.from({ length: 5 }, () => up(box)));
    expect(new Set(all.map(({ pid }) => pid)).size).toBe(1);
    expect(new Set(all.map(({ token }) => token)).size).toBe(1);
    // Those that came too late may still be about to end; that only one has ever served is in the log.
    expect(serverLog(box).match(/ serving at /g)).toHaveLength(1);
    while (servers(box).length > 1) await Bun.sleep(20);
    expect(servers(box).map(({ pid }) => pid)).toEqual([all[0]?.pid]);
    expect(serverLog(box).match(/ serving at /g)).toHaveLength(1);
    expect(await down(box)).toMatchObject({ server: "stopped", pid: all[0]?.pid, killed: false });
    expect(await box.untilNoneLeft()).toEqual([]);
  });

  test("one that comes while the last one leaves takes its place", async ({ box }) => {
    const old = await startServer(box);
    const slow = new RawConnection(discoveryOf(box).url);
    // A request that never ends keeps it for a while.
    await slow.send(head(discoveryOf(box), "POST", "/tool/pre", ["Content-Length: 100"]));
    await ask(discoveryOf(box), "/health");
    old.signal("SIGTERM");
    while (existsSync(serverDiscoveryPath(box.birHome))) await Bun.sleep(5);
    expect(old.running).toBe(true);
    const next = await startServer(box);
    expect((await old.exit()).code).toBe(0);
    expect(discoveryOf(box).pid).toBe(next.pid);
    expect((await ask(discoveryOf(box), "/health")).status).toBe(200);
    expect(await endServer(next)).toBe(0);
    slow.close();
  });
});

describe("DEG-14 a server that was killed", () => {
  test("is followed by another one at once, whose files lead to it", async ({ box }) => {
    let directory = "";
    for (let round = 0; round < 5; round++) {
      const server = await startServer(box);
      const { token } = discoveryOf(box);
      expect((await ask(discoveryOf(box), "/tool/pre", hookReport(`r${round}`, 1, { cwd: box.cwd }))).status).toBe(200);
      server.signal("SIGKILL");
      await server.exit();
      expect(discoveryOf(box).token).toBe(token);
      expect((await status(box)).server.state).toBe("absent");
      const [name = ""] = readdirSync(join(box.birHome, "control")).filter((one) => /^[0-9a-f]{16}\.json$/.test(one));
      directory = join(box.birHome, "control", name);
    }
    const next = await startServer(box);
    expect(JSON.parse(readFileSync(directory, "utf8"))).toMatchObject({ url: discoveryOf(box).url, pid: next.pid });
    expect(await endServer(next)).toBe(0);
    expect(existsSync(directory)).toBe(false);
  });

  test("while it was starting, whenever that is", async ({ box }) => {
    for (let ms = 0; ms < 60; ms += 6) {
      const server = box.start([BIR, "hooks", "serve"]);
      await Bun.sleep(ms);
      server.signal("SIGKILL");
      await server.exit();
    }
    const next = await startServer(box);
    expect((await ask(discoveryOf(box), "/health")).status).toBe(200);
    expect(await endServer(next)).toBe(0);
  });

  test("what waited for it is taken up by the next one", async ({ box }) => {
    mkdirSync(join(box.birHome, "spool"), { recursive: true, mode: 0o700 });
    const path = join(box.birHome, "spool", "00000000-1.ndjson");
    writeFileSync(path, hookLine("spooled", Date.now()), { mode: 0o600 });
    expect((await status(box)).spool).toMatchObject({ files: 1, unreadable: 0 });
    const server = await startServer(box);
    // A request is answered after the spool.
    expect((await ask(discoveryOf(box), "/tool/pre", hookReport("asked"))).status).toBe(200);
    expect(existsSync(path)).toBe(false);
    expect((await status(box)).spool).toEqual({ files: 0, sizeBytes: 0, oldestAt: null, unreadable: 0 });
    expect(await endServer(server)).toBe(0);
  });
});

describe("DEG-14 a server that was stopped", () => {
  test("stays the only one: no second one starts, and nobody takes its silence for its end", async ({ box, task }) => {
    needs(task.context, process.platform !== "win32", "Windows stops no process");
    const server = await startServer(box);
    server.signal("SIGSTOP");
    try {
      const second = await box.bir(["hooks", "serve"]);
      expect([second.code, second.stderr]).toEqual([0, "bir: a control server is there already.\n"]);
      const { server: seen } = await status(box);
      expect(seen).toMatchObject({ state: "silent", pid: server.pid, sessions: null });
      expect((await box.bir(["status"])).stdout).toContain(`does not answer (pid ${server.pid})`);
      const doctor = await box.bir(["doctor"]);
      expect(doctor.stdout).toContain(`kill -CONT ${server.pid}`);
      const started = await box.bir(["up"]);
      expect(started.code).toBe(1);
      expect(started.stderr).toMatch(/^bir: the control server \(pid \d+\) does not answer\. .*\n$/);
      expect(await down(box)).toEqual({ server: "silent", pid: server.pid, killed: false });
      expect(server.running).toBe(true);
    } finally {
      server.signal("SIGCONT");
    }
    // It was switched down while it could not hear of it.
    expect(await server.exit()).toEqual({ code: 0, signal: null });
  });
});

describe("a discovery file that names another process", () => {
  test("is not believed, and that process gets no signal", async ({ box }) => {
    const seen: (string | null)[] = [];
    const stranger = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      fetch: (request) => {
        seen.push(request.headers.get("authorization"));
        return Response.json({ ok: true, version: "9", pid: process.pid });
      },
    });
    const signals: string[] = [];
    const heard = () => signals.push("SIGTERM");
    process.on("SIGTERM", heard);
    try {
      forge(box, {
        url: `http://127.0.0.1:${stranger.port}`,
        pid: process.pid,
        processStartedAt: processStartedAt(process.pid) ?? "",
      });
      expect((await status(box)).server.state).toBe("absent");
      expect(await down(box)).toEqual({ server: "none", pid: null, killed: false });
      expect(seen).toContain("Bearer t");
      const { pid, alreadyRunning } = await up(box);
      expect(pid).not.toBe(process.pid);
      expect(alreadyRunning).toBe(false);
      expect(discoveryOf(box).pid).toBe(pid);
      expect(signals).toEqual([]);
      await down(box);
    } finally {
      process.off("SIGTERM", heard);
      await stranger.stop(true);
    }
    expect(await box.untilNoneLeft()).toEqual([]);
  });

  test.for([
    ["a process that is gone", { pid: 4_194_305 }],
    ["a pid that is used again", { pid: process.pid, processStartedAt: "boot/1" }],
    ["another machine", { url: "http://192.0.2.1:80" }],
    ["every process", { pid: -1 }],
    ["nothing", { url: "" }],
  ])("%s: is replaced", async ([, discovery], { box }) => {
    forge(box, discovery as Partial<Discovery>);
    expect((await status(box)).server.state).toBe("absent");
    expect(await down(box)).toEqual({ server: "none", pid: null, killed: false });
    rmSync(join(box.birHome, "down"));
    const server = await startServer(box);
    expect(discoveryOf(box).pid).toBe(server.pid);
    expect(statSync(serverDiscoveryPath(box.birHome)).mode & 0o777).toBe(0o600);
    expect(await endServer(server)).toBe(0);
  });

  test("is written anew by the server whose place it took", async ({ box }) => {
    const server = await startServer(box);
    forge(box, { pid: 1 });
    while (discoveryOf(box).pid !== server.pid) await Bun.sleep(20);
    expect((await status(box)).server).toMatchObject({ state: "running", pid: server.pid });
    expect(await endServer(server)).toBe(0);
  });
});

describe("down", () => {
  test("lasts: nothing starts a server until `bir up`", async ({ box }) => {
    await up(box);
    const { stdout } = await box.bir(["down"]);
    expect(stdout).toMatch(/^The control server \(pid \d+\) is stopped\.\nProxies record by themselves/);
    expect(await box.untilNoneLeft()).toEqual([]);
    const refused = await box.bir(["hooks", "serve"]);
    expect([refused.code, refused.stderr]).toEqual([
      0,
      "bir: the control server is switched down: `bir up` starts it.\n",
    ]);
    expect((await status(box)).server).toMatchObject({ state: "absent", down: true });
    expect((await box.bir(["status"])).stdout).toContain("`bir up` starts it again");
    expect(await down(box)).toEqual({ server: "none", pid: null, killed: false });
    const { alreadyRunning } = await up(box);
    expect(alreadyRunning).toBe(false);
    expect((await status(box)).server).toMatchObject({ state: "running", down: false });
    await down(box);
    expect(await box.untilNoneLeft()).toEqual([]);
  });

  test("wins over a server that is just starting", async ({ box }) => {
    for (let ms = 0; ms < 50; ms += 10) {
      const server = box.start([BIR, "hooks", "serve"]);
      await Bun.sleep(ms);
      await down(box);
      expect((await server.exit()).code, `after ${ms} ms`).toBe(0);
      rmSync(join(box.birHome, "down"));
    }
  });

  test("kills a server that does not go, when it has proven that it is the server", async ({ box, task }) => {
    needs(task.context, linux, "the program that stands for it reads its own start time from /proc");
    // It answers as the server that the file names, and does not care for signals.
    const program = box.file(
      "deaf.ts",
      `import { writeFileSync } from "node:fs";
       process.on("SIGTERM", () => {});
       const [path, startedAt] = process.argv.slice(2);
       const own = { pid: process.pid, startedAt: 1, processStartedAt: "" };
       const server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () =>
         Response.json({ ok: true, version: "1", ...own, occupation: { sessions: 0, proxies: 0, openRuns: 0 } }) });
       const stat = (await Bun.file("/proc/self/stat").text()).split(") ")[1].split(" ");
       const boot = (await Bun.file("/proc/sys/kernel/random/boot_id").text()).slice(0, 8);
       own.processStartedAt = boot + "/" + stat[19];
       writeFileSync(path, JSON.stringify({ ...own, url: "http://127.0.0.1:" + server.port, token: "t", sessionId: null }));
       console.log("ready");`,
    );
    mkdirSync(join(box.birHome, "control"), { recursive: true, mode: 0o700 });
    const deaf = box.start([process.execPath, program, serverDiscoveryPath(box.birHome)]);
    await deaf.stdout.untilText("ready");
    expect(await down(box)).toEqual({ server: "stopped", pid: deaf.pid, killed: true });
    expect((await deaf.exit()).signal).toBe("SIGKILL");
  });
});

describe("`bir up`", () => {
  test("says where the server is, and its token only in JSON", async ({ box }) => {
    const first = await box.bir(["up"]);
    expect([first.code, first.stderr]).toEqual([0, ""]);
    expect(first.stdout).toMatch(/^The control server is running at http:\/\/127\.0\.0\.1:\d+ \(pid \d+\)\./);
    const { token, url, alreadyRunning } = await up(box);
    expect(first.stdout).not.toContain(token);
    expect(alreadyRunning).toBe(true);
    expect((await ask({ url, token }, "/health")).status).toBe(200);
    const [server] = servers(box);
    expect(server?.command).not.toContain(token);
    if (linux) expect(readFileSync(`/proc/${server?.pid}/environ`, "utf8")).not.toContain(token);
    await down(box);
    expect(await box.untilNoneLeft()).toEqual([]);
  });

  test("asks this machine directly, whatever proxy is set for others", async ({ box }) => {
    const seen: string[] = [];
    const trap = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      fetch: (request) => {
        seen.push(request.url);
        return new Response("");
      },
    });
    const proxy = `http://127.0.0.1:${trap.port}`;
    const env = { HTTP_PROXY: proxy, http_proxy: proxy, ALL_PROXY: proxy, all_proxy: proxy };
    expect((await box.bir(["up"], { env })).code).toBe(0);
    expect((await box.bir(["status"], { env })).stdout).toContain("running: ");
    expect((await box.bir(["down"], { env })).stdout).toContain("is stopped");
    expect(seen).toEqual([]);
    await trap.stop(true);
    expect(await box.untilNoneLeft()).toEqual([]);
  });

  test("`bir off` does not stop the server", async ({ box }) => {
    const { pid } = await up(box);
    await box.bir(["off"]);
    expect((await status(box)).server).toMatchObject({ state: "running", pid });
    await down(box);
    expect(await box.untilNoneLeft()).toEqual([]);
  });
});

describe("DEG-13 a home that cannot be used", () => {
  test("on a full disk: one line, exit 3, nothing half written", async ({ box, task }) => {
    const disk = mountSmallDisk(box.birHome, 1);
    needs(task.context, disk !== null, "only root may mount a small disk");
    try {
      disk?.fill();
      const { code, stderr } = await box.bir(["hooks", "serve"]);
      expect(code).toBe(3);
      expect(stderr).toMatch(/^bir: the control server cannot start: .*disk is full.*\n$/);
      expect(existsSync(serverDiscoveryPath(box.birHome))).toBe(false);
      const control = join(box.birHome, "control");
      expect(existsSync(control) ? readdirSync(control).filter((name) => /json|tmp/.test(name)) : []).toEqual([]);
      disk?.free();
      const server = await startServer(box);
      expect(await endServer(server)).toBe(0);
    } finally {
      disk?.unmount();
    }
  });

  test("that is a file, or that cannot be made: one line, exit 3", async ({ box }) => {
    const file = box.file("home", "x");
    for (const home of [file, join(file, "below"), "/proc/nowhere"]) {
      const { code, stderr } = await box.bir(["hooks", "serve"], { env: { BIR_HOME: home } });
      expect(code, home).toBe(3);
      expect(stderr).toMatch(/^bir: the control server cannot start: [^\n]*\n$/);
      expect(stderr).toContain(home);
      const started = await box.bir(["up"], { env: { BIR_HOME: home } });
      expect([started.code, started.stderr.split("\n")]).toEqual([3, [expect.stringContaining(home), ""]]);
    }
  });

  test("that is removed while it serves: the server goes, and does not bring it back", async ({ box }) => {
    const server = await startServer(box);
    rmSync(box.birHome, { recursive: true });
    expect(await server.exit()).toEqual({ code: 0, signal: null });
    expect(existsSync(box.birHome)).toBe(false);
    const next = await startServer(box);
    expect(await endServer(next)).toBe(0);
  });
});
