import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import type { OwnDiscovery } from "../../src/control/discovery-files.ts";
import { askHealth, type HealthAnswer } from "../../src/control/health.ts";
import { makeControlDirectory, type ServeOptions, serve } from "../../src/control/serve.ts";
import type { Discovery } from "../../src/core/control-wire.ts";
import { discoveryPath, serverDiscoveryPath } from "../../src/kit/paths.ts";
import { ExclusiveLock } from "../../src/store/exclusive-lock.ts";
import { FakeRecorder, hookLine, hookReport, KeptLog, ownHome } from "./control-fixture.ts";

/** The life of a server, in this process: how it is found, what it does by itself, when it leaves. */

class TestServer {
  readonly home: string;
  readonly recorder: FakeRecorder;
  readonly log = new KeptLog();
  readonly lock: ExclusiveLock;
  readonly ended: Promise<void>;
  readonly #leave = new AbortController();
  own: OwnDiscovery | undefined;

  constructor(options: Partial<ServeOptions> = {}, home = ownHome(), recorder = new FakeRecorder()) {
    this.home = home;
    this.recorder = recorder;
    makeControlDirectory(home);
    const lock = ExclusiveLock.take(join(home, "control", "server.lock"));
    if (lock === null) throw new Error("there is a server already");
    this.lock = lock;
    this.ended = serve({
      home,
      lock,
      recorder,
      log: this.log,
      idleMs: 60_000,
      leave: this.#leave.signal,
      onReady: (own) => {
        this.own = own;
      },
      ...options,
    });
    onTestFinished(async () => {
      await this.leave().catch(() => {});
      lock.release();
    });
  }

  async leave(): Promise<void> {
    this.#leave.abort();
    await this.ended;
  }

  get discovery(): Discovery {
    return JSON.parse(readFileSync(serverDiscoveryPath(this.home), "utf8"));
  }

  async health(): Promise<HealthAnswer> {
    return await askHealth(this.discovery, 5000);
  }

  async post(route: string, body: unknown): Promise<Response> {
    const { url, token } = this.discovery;
    const headers = { authorization: `Bearer ${token}` };
    return await fetch(url + route, { method: "POST", headers, body: JSON.stringify(body) });
  }
}

describe("a server", () => {
  test("is found by its file, and says who it is", async () => {
    const server = new TestServer();
    expect(await server.health()).toEqual({
      kind: "here",
      health: {
        ok: true,
        version: "0.0.0-development",
        pid: process.pid,
        processStartedAt: server.own?.processStartedAt,
        startedAt: server.own?.startedAt,
        occupation: { sessions: 0, proxies: 0, openRuns: 0 },
      },
    });
    expect(server.own?.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(server.discovery.token).toMatch(/^[\w-]{43}$/);
  });

  test("writes a file for each directory that it is told of, and takes all with it", async () => {
    const server = new TestServer();
    expect((await server.post("/tool/pre", hookReport("r1"))).status).toBe(200);
    const path = discoveryPath("/home/ada/project", server.home);
    expect(JSON.parse(readFileSync(path, "utf8"))).toMatchObject({ url: server.own?.url, sessionId: "session-1" });
    await server.leave();
    expect([path, serverDiscoveryPath(server.home)].map(existsSync)).toEqual([false, false]);
    expect(server.recorder.isClosed).toBe(true);
  });

  test("has another token each time", async () => {
    const first = new TestServer();
    const { token } = first.discovery;
    await first.leave();
    first.lock.release();
    expect(new TestServer({}, first.home).discovery.token).not.toBe(token);
  });

  test("takes up what waits before it answers what it is asked", async () => {
    const home = ownHome();
    mkdirSync(join(home, "spool"), { mode: 0o700 });
    writeFileSync(join(home, "spool", "00000000-1.ndjson"), hookLine("spooled", 1));
    const recorder = new FakeRecorder();
    const slow = Promise.withResolvers<void>();
    recorder.before = () => slow.promise;
    const server = new TestServer({}, home, recorder);
    const answer = server.post("/tool/pre", hookReport("asked"));
    expect((await server.health()).kind).toBe("here");
    recorder.before = () => {};
    slow.resolve();
    expect((await answer).status).toBe(200);
    expect(recorder.hookIds()).toEqual(["spooled", "asked"]);
  });

  test("takes up what is left to it later, and gives the recorder its turn", async () => {
    const server = new TestServer({ idleMs: 60_000 });
    mkdirSync(join(server.home, "spool"), { mode: 0o700 });
    writeFileSync(join(server.home, "spool", "00000000-1.ndjson"), hookLine("later", 1));
    while (server.recorder.hooks.length === 0) await Bun.sleep(20);
    expect(server.recorder.hookIds()).toEqual(["later"]);
    expect(server.recorder.ticks).toBeGreaterThan(0);
  });

  test("outlives a turn of the recorder that fails", async () => {
    const server = new TestServer({ idleMs: 50 });
    server.recorder.sessions = 1;
    server.recorder.tick = () => {
      server.recorder.ticks++;
      throw new RangeError("hunter2");
    };
    while (server.recorder.ticks < 3) await Bun.sleep(10);
    expect((await server.health()).kind).toBe("here");
    expect(server.log.lines).toContain("fault while looking after the server: RangeError");
  });
});

describe("a server leaves", () => {
  test("when nothing uses it", async () => {
    const server = new TestServer({ idleMs: 50 });
    await server.ended;
    expect(existsSync(serverDiscoveryPath(server.home))).toBe(false);
    expect(server.log.lines.at(-1)).toBe("leaving: nothing uses it");
  });

  test("not while it has a session, and not because it is looked at", async () => {
    const server = new TestServer({ idleMs: 50 });
    server.recorder.sessions = 1;
    for (let ticks = server.recorder.ticks; server.recorder.ticks < ticks + 5; ) await Bun.sleep(10);
    expect((await server.health()).kind).toBe("here");
    server.recorder.sessions = 0;
    let isOver = false;
    server.ended.then(() => {
      isOver = true;
    });
    while (!isOver) await askHealth(server.own as unknown as Discovery, 1000);
    expect(server.log.lines.at(-1)).toBe("leaving: nothing uses it");
  });

  test("when it is switched down, also while it was starting", async () => {
    for (const early of [true, false]) {
      const home = ownHome();
      if (early) writeFileSync(join(home, "down"), "");
      const server = new TestServer({ idleMs: 500 }, home);
      server.recorder.sessions = 1;
      if (!early) writeFileSync(join(home, "down"), "");
      await server.ended;
      expect(server.log.lines.at(-1)).toBe("leaving: switched down");
      expect(existsSync(serverDiscoveryPath(home))).toBe(false);
    }
  });

  test("when its home is another one, without making it anew", async () => {
    const server = new TestServer({ idleMs: 500 });
    server.recorder.sessions = 1;
    const aside = `${server.home}-moved`;
    renameSync(server.home, aside);
    await server.ended;
    expect(existsSync(server.home)).toBe(false);
    // What it left is the other home's business; it leads nowhere.
    expect(existsSync(serverDiscoveryPath(aside))).toBe(true);
    rmSync(aside, { recursive: true });
  });

  test("though a request never ends", async () => {
    const server = new TestServer();
    const { url, token } = server.discovery;
    const body = new ReadableStream({ start: (controller) => controller.enqueue(new Uint8Array(10)) });
    const headers = { authorization: `Bearer ${token}` };
    const request = fetch(`${url}/tool/pre`, { method: "POST", headers, body }).catch(() => null);
    expect((await server.health()).kind).toBe("here");
    await server.leave();
    await request;
    expect(server.recorder.isClosed).toBe(true);
  });
});

describe("a server that cannot be found", () => {
  test("does not serve, and leaves nothing behind", async () => {
    const home = ownHome();
    makeControlDirectory(home);
    mkdirSync(serverDiscoveryPath(home));
    const server = new TestServer({}, home);
    await expect(server.ended).rejects.toThrow(/EISDIR|ENOTEMPTY|EEXIST/);
    expect(server.recorder.isClosed).toBe(true);
    expect(server.own).toBeUndefined();
  });
});

describe("asking for health", () => {
  const answering = (answer: () => Response | Promise<Response>) => {
    const other = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: answer });
    onTestFinished(() => other.stop(true));
    return `http://127.0.0.1:${other.port}`;
  };
  const discovery = (url: string): Discovery => ({
    url,
    token: "t",
    sessionId: null,
    pid: process.pid,
    startedAt: 1,
    processStartedAt: "boot/1",
  });
  const health = {
    ok: true,
    version: "1",
    pid: process.pid,
    processStartedAt: "boot/1",
    startedAt: 1,
    occupation: { sessions: 0, proxies: 0, openRuns: 0 },
  };

  test.each([
    ["another process", { ...health, pid: 1 }],
    ["another start", { ...health, processStartedAt: "boot/2" }],
    ["another time", { ...health, startedAt: 2 }],
    ["no occupation", { ...health, occupation: null }],
    ["nothing", null],
    ["a word", "ok"],
  ])("of %s is not believed", async (_what, answer) => {
    expect(await askHealth(discovery(answering(() => Response.json(answer))), 5000)).toEqual({ kind: "other" });
  });

  test("of what refuses, redirects, answers no JSON or is not there, neither", async () => {
    const target = answering(() => Response.json(health));
    expect((await askHealth(discovery(target), 5000)).kind).toBe("here");
    const others = [
      answering(() => Response.json(health, { status: 401 })),
      answering(() => Response.redirect(`${target}/health`)),
      answering(() => new Response("{")),
      "http://127.0.0.1:1",
      "http://localhost.example:80",
      "file:///etc/passwd",
      "",
    ];
    for (const url of others) expect(await askHealth(discovery(url), 5000), url).toEqual({ kind: "other" });
  });

  test("of what does not answer in time is told apart", async () => {
    const url = answering(() => new Promise<Response>(() => {}));
    expect(await askHealth(discovery(url), 50)).toEqual({ kind: "silent" });
  });
});
