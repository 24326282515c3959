/** The routes of the control server: who may ask, what a body has to be, and what is answered. */

import { describe, expect, test } from "vitest";
import { controlApp } from "../../src/control/app.ts";
import { guardWith } from "../../src/control/guard.ts";
import { Use } from "../../src/control/use.ts";
import { FakeRecorder, hookReport, KeptLog, registration, stepText } from "./control-fixture.ts";

const TOKEN = "the-token-of-this-server";
const PORT = 4711;

class TestApp {
  readonly recorder = new FakeRecorder();
  readonly log = new KeptLog();
  readonly use = new Use();
  readonly heard: [readonly (string | null)[], string | null][] = [];
  letThrough = () => {};
  /** How often the spool was asked for before the recorder was told. */
  spoolLooks = 0;
  readonly #app;

  constructor({ isReady = true } = {}) {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.letThrough = resolve;
    if (isReady) resolve();
    this.#app = controlApp({
      guard: guardWith(TOKEN),
      recorder: this.recorder,
      use: this.use,
      log: this.log,
      ready: promise,
      takeUpSpool: async () => {
        if (this.recorder.hooks.length === 0) this.spoolLooks++;
      },
      health: () => ({ ok: true }),
      heardOf: (directories, sessionId) => this.heard.push([directories, sessionId]),
    });
  }

  async send(path: string, init: RequestInit = {}, headers: Record<string, string | null> = {}): Promise<Response> {
    const all = { host: `127.0.0.1:${PORT}`, authorization: `Bearer ${TOKEN}`, ...headers };
    const kept = Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== null);
    const request = new Request(`http://127.0.0.1:${PORT}${path}`, { ...init, headers: Object.fromEntries(kept) });
    return await this.#app.fetch(request, { port: PORT });
  }

  async post(path: string, body: unknown): Promise<Response> {
    return await this.send(path, { method: "POST", body: typeof body === "string" ? body : JSON.stringify(body) });
  }
}

const HOOK_ROUTES = ["/session/start", "/session/prompt", "/tool/pre", "/tool/post", "/session/stop", "/session/end"];
const POST_ROUTES = [...HOOK_ROUTES, "/proxy/register", "/proxy/step"];

describe("who may ask", () => {
  test.each([...POST_ROUTES, "/health", "/nowhere"])("nobody without the token: %s", async (path) => {
    const app = new TestApp();
    const method = path === "/health" ? "GET" : "POST";
    for (const authorization of [null, "", "Bearer ", "Bearer wrong", `Basic ${TOKEN}`, TOKEN, `Bearer ${TOKEN}x`]) {
      const answer = await app.send(path, { method, ...(method === "POST" ? { body: "{}" } : {}) }, { authorization });
      expect(answer.status, String(authorization)).toBe(401);
      expect(answer.headers.get("www-authenticate")).toBe("Bearer");
    }
    expect(app.recorder.hooks).toEqual([]);
  });

  test.each([
    null,
    "",
    "evil.example",
    "127.0.0.1",
    "127.0.0.1:1",
    `evil.example:${PORT}`,
    `127.0.0.1.evil.example:${PORT}`,
    `127.0.0.1:${PORT}, evil.example`,
    `[::1]:${PORT}`,
  ])("nobody who was led here by another name: host %s", async (host) => {
    expect((await new TestApp().send("/health", {}, { host })).status).toBe(403);
  });

  test.each([`127.0.0.1:${PORT}`, `localhost:${PORT}`, `LOCALHOST:${PORT}`])("host %s may", async (host) => {
    expect((await new TestApp().send("/health", {}, { host })).status).toBe(200);
  });

  test.each(["http://evil.example", "null", `http://127.0.0.1:${PORT}`, ""])(
    "no page of a browser, even with the token: origin %j",
    async (origin) => {
      const app = new TestApp();
      expect((await app.send("/health", {}, { origin })).status).toBe(403);
      const preflight = await app.send("/tool/pre", { method: "OPTIONS" }, { origin, authorization: null });
      expect(preflight.status).toBe(403);
      expect([...preflight.headers.keys()].filter((name) => name.startsWith("access-control"))).toEqual([]);
    },
  );
});

describe("what there is to ask", () => {
  test.each(["/", "/nowhere", "/tool", "/tool/pre/", "/TOOL/PRE", "//health", "/proxy/step/x"])(
    "%s is not a route",
    async (path) => {
      const answer = await new TestApp().post(path, {});
      expect(answer.status).toBe(404);
      expect(answer.headers.get("content-type")).toBe("application/problem+json");
    },
  );

  test.each(["GET", "PUT", "DELETE", "PATCH", "HEAD"])("%s is not a method of what takes reports", async (method) => {
    for (const route of POST_ROUTES) {
      const answer = await new TestApp().send(route, { method });
      expect(answer.status, route).toBe(405);
      expect(answer.headers.get("allow")).toBe("POST");
    }
  });

  test("health is asked with GET", async () => {
    const answer = await new TestApp().post("/health", {});
    expect([answer.status, answer.headers.get("allow")]).toEqual([405, "GET"]);
  });
});

describe("a hook's report", () => {
  test.each(HOOK_ROUTES)("is taken under %s, and answered as the recorder says", async (route) => {
    const app = new TestApp();
    const answer = await app.post(route, hookReport("r1"));
    expect([answer.status, await answer.json()]).toEqual([200, { stragglers: 0, injectedId: null }]);
    expect(app.recorder.hooks).toMatchObject([{ route, report: hookReport("r1") }]);
    expect(app.heard).toEqual([[[null, "/home/ada/project"], "session-1"]]);
    // What ends a run is taken after what waits in the spool.
    expect(app.spoolLooks).toBe(route === "/session/prompt" || route === "/session/end" ? 1 : 0);
  });

  test("that could not be read is taken as that", async () => {
    const app = new TestApp();
    const malformed = { ...hookReport("r1"), fact: null, malformed: { reason: "cut short", sessionId: null } };
    expect((await app.post("/tool/post", malformed)).status).toBe(200);
    expect(app.recorder.hooks[0]?.report.malformed).toEqual({ reason: "cut short", sessionId: null });
  });

  test("waits for what the spool holds", async () => {
    const app = new TestApp({ isReady: false });
    const answer = app.post("/tool/pre", hookReport("r1"));
    expect((await app.send("/health")).status).toBe(200);
    expect(app.recorder.hooks).toEqual([]);
    app.letThrough();
    expect((await answer).status).toBe(200);
  });
});

describe("a proxy", () => {
  test("registers, and is known under its id", async () => {
    const app = new TestApp();
    const answer = await app.post("/proxy/register", registration({ sessionId: "s", projectDir: "/p" }));
    expect([answer.status, await answer.json()]).toEqual([200, { proxyId: "proxy-1" }]);
    expect(app.heard).toEqual([[["/p", "/home/ada/project"], "s"]]);
    const body = `{"proxyId":"proxy-1","reports":[${stepText("r1")},{"kind":"gap","reportId":"r2","at":1,"reason":"x","lost":1}]}`;
    const taken = await app.post("/proxy/step", body);
    expect([taken.status, await taken.json()]).toEqual([200, { accepted: 2 }]);
    expect(app.recorder.told[0]?.told.map(({ kind }) => kind)).toEqual(["step", "gap"]);
  });

  test("that is not known is told so, whatever it reports", async () => {
    for (const reports of ["[]", `[${stepText("r1")}]`]) {
      const answer = await new TestApp().post("/proxy/step", `{"proxyId":"nobody","reports":${reports}}`);
      expect([answer.status, await answer.json()]).toMatchObject([404, { code: "unknown-proxy" }]);
    }
  });

  test("has its payloads taken as they are written", async () => {
    const app = new TestApp();
    const proxyId = app.recorder.register(registration());
    const args = '{ "n": 12345678901234567890, "e":1e400, "a":1, "a":2.0 }';
    const body = `{"proxyId":"${proxyId}","reports":[${stepText("r1", `"args":${args},"result":null`)}]}`;
    expect((await app.post("/proxy/step", body)).status).toBe(200);
    expect(app.recorder.told[0]?.told).toMatchObject([{ args, result: null, callRef: "r1" }]);
  });
});

describe("a body that is not what the route takes", () => {
  const SECRET = "hunter2-do-not-repeat";

  test.each([
    ["no JSON", `{"reportId":"${SECRET}"`],
    ["nothing", ""],
    ["another type", `"${SECRET}"`],
    ["a wrong member", JSON.stringify({ ...hookReport("r1"), at: SECRET, app: null })],
    ["neither a fact nor why there is none", JSON.stringify({ ...hookReport("r1"), fact: null })],
    ["a kind of fact that nobody knows", JSON.stringify(hookReport("r1", 1, { kind: SECRET }))],
    ["keys of its own", JSON.stringify({ [SECRET]: SECRET })],
  ])("of %s is refused, and not quoted", async (_what, body) => {
    for (const route of POST_ROUTES) {
      const app = new TestApp();
      const answer = await app.post(route, body);
      const text = await answer.text();
      expect([answer.status, answer.headers.get("content-type")]).toEqual([400, "application/problem+json"]);
      expect(text).not.toContain("hunter2");
      expect(app.recorder.hooks).toEqual([]);
      expect(app.log.lines).toEqual([]);
    }
  });

  test("is told where it is wrong", async () => {
    const bad = await new TestApp().post("/tool/pre", { ...hookReport("r1", 1, { isCut: "x" }), at: -1 });
    expect(await bad.json()).toEqual({
      title: "the body is not what this route takes",
      status: 400,
      code: "invalid-body",
      issues: [
        { path: "at", code: "too_small" },
        { path: "fact.isCut", code: "invalid_type" },
      ],
    });
    const body = `{"proxyId":"p","reports":[${stepText("a")},${stepText("b").replace('"ok"', '"odd"')},{"kind":"gap","reportId":"c","at":1,"reason":"x","lost":-1}]}`;
    const { issues } = (await (await new TestApp().post("/proxy/step", body)).json()) as { issues: object[] };
    expect(issues).toEqual([
      { path: "reports[1].status", code: "invalid_value" },
      { path: "reports[2].lost", code: "too_small" },
    ]);
  });

  test("is told in at most twenty places", async () => {
    const reports = Array.from({ length: 100 }, () => ({ kind: "gap" }));
    const answer = await new TestApp().post("/proxy/step", { proxyId: "p", reports });
    expect(((await answer.json()) as { issues: object[] }).issues).toHaveLength(20);
  });
});

describe("trouble behind the routes", () => {
  test("DEG-13 what the store does not take is to be tried again", async () => {
    const app = new TestApp();
    const proxyId = app.recorder.register(registration());
    app.recorder.refuse();
    const answers = [
      await app.post("/tool/pre", hookReport("r1")),
      await app.post("/proxy/step", `{"proxyId":"${proxyId}","reports":[${stepText("r2")}]}`),
    ];
    expect(answers.map(({ status, headers }) => [status, headers.get("retry-after")])).toEqual([
      [503, "1"],
      [503, "1"],
    ]);
    expect(app.log.lines[0]).toContain("(DEG-13)");
    app.recorder.refuse(true);
    const kept = await app.post("/tool/pre", hookReport("r1"));
    expect([kept.status, kept.headers.get("retry-after")]).toEqual([504, "1"]);
    app.recorder.accept();
    expect((await app.post("/tool/pre", hookReport("r1"))).status).toBe(200);
  });

  test("a fault of ours is answered without a word of it, and logged by its kind", async () => {
    const app = new TestApp();
    app.recorder.before = () => {
      throw new RangeError("hunter2");
    };
    const answer = await app.post("/tool/pre", hookReport("r1"));
    expect([answer.status, await answer.json()]).toEqual([
      500,
      { title: "a fault of ours", status: 500, code: "fault" },
    ]);
    expect(app.log.lines).toEqual(["fault while answering a request: RangeError"]);
  });

  test("a server that is leaving takes nothing new, and ends what is under way", async () => {
    const app = new TestApp({ isReady: false });
    const underWay = app.post("/tool/pre", hookReport("r1"));
    const left = app.use.leave();
    const late = await app.post("/tool/pre", hookReport("r2"));
    expect([late.status, late.headers.get("connection")]).toEqual([503, "close"]);
    app.letThrough();
    expect((await underWay).status).toBe(200);
    await left;
    expect(app.recorder.hookIds()).toEqual(["r1"]);
  });
});
