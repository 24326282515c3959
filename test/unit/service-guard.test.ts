/** Who may ask the service: the token, a browser that was let in, and nobody from elsewhere. */

import { describe, expect, test } from "vitest";
import { SERVICE_ROUTES } from "../../src/core/api/service-routes.ts";
import { BrowserSessions } from "../../src/service/who/browser-sessions.ts";
import { PORT, TestService, TOKEN } from "./service-fixture.ts";

/** Each route with something in the place of what it takes out of the path. */
const ROUTES = Object.entries(SERVICE_ROUTES).map(([name, { method, path, access }]) => ({
  name,
  method,
  path: path.replaceAll(/\{\w+\}/g, "x"),
  access,
}));
const CLOSED = ROUTES.filter(({ access }) => access !== "anyone");
const NO_TOKEN = { authorization: null };

function init(method: string): RequestInit {
  return method === "GET" || method === "DELETE" ? { method } : { method, body: "{}" };
}

describe("a program", () => {
  test.each(CLOSED)("without the token gets nothing: $method $path", async ({ method, path }) => {
    const service = new TestService();
    for (const authorization of [null, "", "Bearer ", "Bearer wrong", `Basic ${TOKEN}`, TOKEN, `Bearer ${TOKEN}x`]) {
      const answer = await service.ask(path, init(method), { authorization, "content-type": "application/json" });
      expect(answer.status).toBe(401);
      expect(answer.headers.get("www-authenticate")).toBe("Bearer");
      expect(answer.headers.get("content-type")).toBe("application/problem+json");
      expect(await answer.json()).toEqual({ title: expect.any(String), status: 401, code: "unauthorized" });
    }
  });

  test("with a wrong token is refused even where a browser would be let in", async () => {
    const service = new TestService();
    const browser = await service.letIn();
    expect((await service.ask("/api/runs", {}, browser)).status).toBe(200);
    expect((await service.ask("/api/runs", {}, { ...browser, authorization: "Bearer no" })).status).toBe(401);
  });
});

describe("a request for another host's name", () => {
  test.each([
    "evil.example",
    `evil.example:${PORT}`,
    `127.0.0.1.evil.example:${PORT}`,
    "127.0.0.1",
    "127.0.0.1:80",
    `127.0.0.1:${PORT + 1}`,
    `127.0.0.2:${PORT}`,
    `0.0.0.0:${PORT}`,
    `localhost.:${PORT}`,
    `user@127.0.0.1:${PORT}`,
    `[::2]:${PORT}`,
    "",
  ])("is refused before anything else: %s", async (host) => {
    const service = new TestService();
    for (const path of ["/", "/chunk-abc.js", "/health", "/api/runs", "/nowhere"]) {
      expect((await service.ask(path, {}, { host })).status, path).toBe(403);
    }
    const code = service.service.sessions.newCode();
    expect((await service.send("POST", "/session", code, { host, ...NO_TOKEN })).status).toBe(403);
  });

  test.each([`127.0.0.1:${PORT}`, `localhost:${PORT}`, `LOCALHOST:${PORT}`, `[::1]:${PORT}`])(
    "of this machine: %s",
    async (host) => {
      expect((await new TestService().ask("/api/runs", {}, { host })).status).toBe(200);
    },
  );

  test("passes where the name was allowed, with any port, and no name that only begins so", async () => {
    const service = new TestService({ allowedHosts: ["recordings.example", "[fd00::1]"] });
    for (const host of ["recordings.example", "Recordings.Example:443", "[fd00::1]:7331"]) {
      expect((await service.ask("/health", {}, { host })).status, host).toBe(200);
    }
    for (const host of ["recordings.example.evil", "evil.recordings.example", "[fd00::12]"]) {
      expect((await service.ask("/health", {}, { host })).status, host).toBe(403);
    }
  });

  test("at port 80 needs no port in it", async () => {
    const service = new TestService();
    const request = new Request("http://localhost/health", { headers: { host: "localhost" } });
    expect((await service.service.fetch(request, 80)).status).toBe(200);
  });
});

describe("a page of another site", () => {
  test.each([
    { origin: "https://evil.example" },
    { origin: "null" },
    { origin: "" },
    { origin: `http://localhost:${PORT}` },
    { origin: `http://127.0.0.1:${PORT + 1}` },
    { origin: `http://127.0.0.1:${PORT}.evil.example` },
    { "sec-fetch-site": "cross-site" },
    { "sec-fetch-site": "same-site" },
    { "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "iframe" },
    { "sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors", "sec-fetch-dest": "script" },
  ])("gets nothing, with whatever it has: %o", async (headers) => {
    const service = new TestService();
    const browser = await service.letIn();
    for (const path of ["/", "/chunk-abc.js", "/health", "/api/runs", "/api/live"]) {
      expect((await service.ask(path, {}, headers)).status, path).toBe(403);
      expect((await service.ask(path, {}, { ...browser, ...headers })).status, path).toBe(403);
    }
    const { code } = service.service.sessions.newCode();
    expect((await service.send("POST", "/session", { code }, { ...NO_TOKEN, ...headers })).status).toBe(403);
    // It was not spent.
    expect((await service.send("POST", "/session", { code }, NO_TOKEN)).status).toBe(200);
  });

  test("may lead a person to the page", async () => {
    const visit = { "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document" };
    const service = new TestService();
    expect((await service.ask("/", {}, { ...NO_TOKEN, ...visit })).status).toBe(200);
    const answer = await service.ask("/api/runs", { method: "POST" }, { ...NO_TOKEN, ...visit });
    expect(answer.status).toBe(403);
  });

  test("is told apart from our own", async () => {
    const service = new TestService();
    const own = { origin: `http://127.0.0.1:${PORT}`, "sec-fetch-site": "same-origin" };
    expect((await service.ask("/api/runs", {}, own)).status).toBe(200);
    expect((await service.ask("/health", {}, { "sec-fetch-site": "none" })).status).toBe(200);
  });

  test("cannot ask first whether it may", async () => {
    const service = new TestService();
    const preflight = { origin: "https://evil.example", "access-control-request-method": "DELETE" };
    const answer = await service.ask("/api/runs/x", { method: "OPTIONS" }, preflight);
    expect(answer.status).toBe(403);
    expect([...answer.headers.keys()].filter((name) => name.startsWith("access-control"))).toEqual([]);
  });
});

describe("a browser", () => {
  test("is let in once with a code, and shows a cookie and a key from then on", async () => {
    const service = new TestService();
    const { code } = service.service.sessions.newCode();
    const answer = await service.send("POST", "/session", { code }, NO_TOKEN);
    expect(answer.status).toBe(200);
    const cookie = answer.headers.get("set-cookie") ?? "";
    expect(cookie).toMatch(new RegExp(`^bir-${PORT}=[\\w.-]+; Path=/; Max-Age=2592000; HttpOnly; SameSite=Strict$`));
    const { key } = (await answer.json()) as { key: string };
    expect(cookie).not.toContain(key);
    const again = await service.send("POST", "/session", { code }, NO_TOKEN);
    expect(again.status).toBe(401);
    expect(await again.json()).toMatchObject({ code: "code-spent" });
    expect(again.headers.get("set-cookie")).toBeNull();
    const both = { ...NO_TOKEN, cookie: `other=1; ${cookie.split(";")[0]}`, "x-bir-key": key };
    for (const path of ["/api/runs", "/api/facets", "/openapi.json"]) {
      expect((await service.ask(path, {}, both)).status).toBe(200);
      // One of the two is what a page on another port of this machine could come by.
      expect((await service.ask(path, {}, { ...both, "x-bir-key": null })).status).toBe(401);
      expect((await service.ask(path, {}, { ...both, "x-bir-key": `${key}x` })).status).toBe(401);
      expect((await service.ask(path, {}, { ...both, cookie: null })).status).toBe(401);
      expect((await service.ask(path, {}, { ...both, cookie: "bir-7332=x" })).status).toBe(401);
    }
    expect((await service.ask("/session/codes", { method: "POST" }, both)).status).toBe(401);
  });

  test.each(["", "x", "\u0000", "x".repeat(200)])("with a wrong code is not: %j", async (code) => {
    const service = new TestService();
    service.service.sessions.newCode();
    const answer = await service.send("POST", "/session", { code }, NO_TOKEN);
    expect([400, 401]).toContain(answer.status);
    expect(answer.headers.get("set-cookie")).toBeNull();
  });

  test("comes too late after two minutes", async () => {
    const service = new TestService();
    const early = service.service.sessions.newCode();
    const late = service.service.sessions.newCode();
    expect(early.expiresAt - service.now).toBe(120_000);
    service.now += 119_999;
    expect((await service.send("POST", "/session", { code: early.code }, NO_TOKEN)).status).toBe(200);
    service.now += 1;
    expect((await service.send("POST", "/session", { code: late.code }, NO_TOKEN)).status).toBe(401);
  });

  test("stays let in over a restart, for thirty days, and not behind another secret", () => {
    let now = 1_000_000;
    const sessions = new BrowserSessions("one secret", () => now);
    const admission = sessions.admit(sessions.newCode().code, new Headers(), PORT);
    const headers = new Headers({
      cookie: admission?.cookie.split(";")[0] ?? "",
      "x-bir-key": admission?.key ?? "",
    });
    expect(sessions.knows(headers, PORT)).toBe(true);
    expect(new BrowserSessions("one secret", () => now).knows(headers, PORT)).toBe(true);
    expect(new BrowserSessions("another one", () => now).knows(headers, PORT)).toBe(false);
    expect(sessions.knows(headers, PORT + 1)).toBe(false);
    now += 30 * 24 * 3600_000 - 1;
    expect(sessions.knows(headers, PORT)).toBe(true);
    now += 1;
    expect(sessions.knows(headers, PORT)).toBe(false);
  });

  test("that opens the page a second time keeps its first page working", async () => {
    const service = new TestService();
    const first = await service.letIn();
    const { code } = service.service.sessions.newCode();
    const answer = await service.send("POST", "/session", { code }, first);
    expect(((await answer.json()) as { key: string }).key).toBe(first["x-bir-key"]);
    expect(answer.headers.get("set-cookie")).toContain(first.cookie);
    // One that would soon end is replaced.
    service.now += 16 * 24 * 3600_000;
    const next = service.service.sessions.newCode();
    const renewed = await service.send("POST", "/session", { code: next.code }, first);
    expect(((await renewed.json()) as { key: string }).key).not.toBe(first["x-bir-key"]);
  });

  test("cannot make a cookie of its own", () => {
    const sessions = new BrowserSessions("secret", () => 1);
    const value = `${"A".repeat(43)}.9999999999999.${"B".repeat(43)}`;
    for (const cookie of [value, "", "..", "x".repeat(100_000), value.replace(".9", ".")]) {
      expect(sessions.knows(new Headers({ cookie: `bir-${PORT}=${cookie}`, "x-bir-key": "k" }), PORT)).toBe(false);
    }
  });

  test("codes that nobody uses are not kept for ever", () => {
    const sessions = new BrowserSessions("secret", () => 1);
    const [first = ""] = Array.from({ length: 60 }, () => sessions.newCode().code);
    expect(sessions.admit(first, new Headers(), PORT)).toBeNull();
    expect(sessions.admit(sessions.newCode().code, new Headers(), PORT)).not.toBeNull();
  });
});
