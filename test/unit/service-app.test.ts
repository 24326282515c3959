/** The routes of the service: what they answer, and how they refuse. */

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { SERVICE_ROUTES } from "../../src/core/api/service-routes.ts";
import { foldRun } from "../../src/core/fold.ts";
import type { Run } from "../../src/core/run.ts";
import type { EventPage, RunItem, RunPage } from "../../src/core/service-wire.ts";
import { StoreReader } from "../../src/store/reader.ts";
import { eventfulRun, RUN_A, RUN_B, RunWriter, T0, text } from "./cli-fixture.ts";
import { TestService } from "./service-fixture.ts";

const PROTECTION = {
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
};

function finished(id: string, at: number, words = "hello"): RunWriter {
  return new RunWriter(id, at).update({ input: words }).call("echo", `{"message":"${words}"}`, text(words), 5).end();
}

async function problem(answer: Response): Promise<Record<string, unknown>> {
  expect(answer.headers.get("content-type")).toBe("application/problem+json");
  const value = (await answer.json()) as Record<string, unknown>;
  expect(value).toMatchObject({ status: answer.status, code: expect.stringMatching(/^[a-z]+(?:-[a-z]+)*$/) });
  return value;
}

describe("reading", () => {
  test("lists runs, page by page, without one twice or missing", async () => {
    const service = new TestService();
    const ids = Array.from({ length: 7 }, (_, i) => `run_${i}`);
    service.cli.record(...ids.map((id, i) => finished(id, T0 + i)));
    const seen: string[] = [];
    let after = "";
    for (let pages = 0; pages < 10; pages++) {
      const page = await service.json<RunPage>(`/api/runs?limit=3${after}`);
      expect(page.total).toBe(pages === 0 ? 7 : null);
      seen.push(...page.runs.map(({ id }) => id));
      if (page.next === null) break;
      after = `&after=${encodeURIComponent(page.next)}`;
    }
    expect(seen).toEqual(ids.toReversed());
  });

  test("tells what of a query it did not understand", async () => {
    const service = new TestService();
    const page = await service.json<RunPage>("/api/runs?q=is%3Apurple");
    expect(page.issues).toEqual([expect.objectContaining({ start: 0, end: 9 })]);
  });

  test("gives one run, its events, a step and a note as they were recorded", async () => {
    const service = new TestService();
    service.cli.record(eventfulRun());
    const reader = StoreReader.open(join(service.home, "recordings.db"));
    const run = reader.run(RUN_A) as Run;
    reader.close();
    const { steps, notes, ...summary } = run;
    expect(await service.json(`/api/runs/${RUN_A}`)).toMatchObject({ ...summary, stepCount: steps.length });

    const whole = await service.ask(`/api/runs/${RUN_A}/events`);
    const body = await whole.text();
    // A number that no double holds stays what it was.
    expect(body).toContain("12345678901234567890");
    expect(body).toContain('"a":1.0');
    const page = JSON.parse(body) as EventPage;
    expect(page.more).toBe(false);
    expect(foldRun(page.events)).toEqual(JSON.parse(JSON.stringify(run)));

    const [step] = steps;
    const [note] = notes;
    const stepText = await (await service.ask(`/api/runs/${RUN_A}/steps/${step?.id}`)).text();
    expect(stepText).toContain("12345678901234567890");
    expect(JSON.parse(stepText)).toEqual(JSON.parse(JSON.stringify(step)));
    expect(await service.json(`/api/runs/${RUN_A}/notes/${note?.seq}`)).toEqual(note);
  });

  test("gives events from a position on, and says whether there are more", async () => {
    const service = new TestService();
    service.cli.record(eventfulRun());
    const first = await service.json<EventPage>(`/api/runs/${RUN_A}/events?limit=4&payloads=brief`);
    expect([first.events.length, first.more]).toEqual([4, true]);
    const rest = await service.json<EventPage>(`/api/runs/${RUN_A}/events?after=${first.position}`);
    const all = await service.json<EventPage>(`/api/runs/${RUN_A}/events`);
    expect([...first.events, ...rest.events].map(({ type }) => type)).toEqual(all.events.map(({ type }) => type));
    expect(await service.json(`/api/runs/${RUN_A}/events?after=${rest.position}`)).toEqual({
      events: [],
      position: rest.position,
      more: false,
      isAbandoned: false,
    });
  });

  test("ends a page of whole payloads before it is too long to be held", async () => {
    const service = new TestService();
    const run = new RunWriter(RUN_A, T0);
    const large = text("x".repeat(1024 * 1024));
    for (let i = 0; i < 30; i++) run.call("big", "{}", large, 1);
    service.cli.record(run.end());
    const seen: EventPage["events"] = [];
    let after = 0;
    for (let more = true; more; ) {
      const answer = await service.ask(`/api/runs/${RUN_A}/events?limit=5000&after=${after}`);
      const body = await answer.text();
      expect(body.length).toBeLessThan(20 * 1024 * 1024);
      const page = JSON.parse(body) as EventPage;
      seen.push(...page.events);
      ({ position: after, more } = page);
    }
    expect(seen).toHaveLength(62);
  });

  test("compares and exports", async () => {
    const service = new TestService();
    service.cli.record(eventfulRun(), finished(RUN_B, T0));
    expect(await service.json(`/api/compare?left=${RUN_A}&right=${RUN_A}`)).toMatchObject({ firstDifference: null });
    expect(await service.json(`/api/compare?left=${RUN_A}&right=${RUN_B}`)).toMatchObject({ firstDifference: 0 });
    for (const [format, type] of [
      ["ndjson", "application/x-ndjson"],
      ["md", "text/markdown"],
      ["html", "text/html"],
    ]) {
      const answer = await service.ask(`/api/runs/${RUN_A}/export?format=${format}`);
      expect(answer.headers.get("content-type")).toContain(type);
      expect(answer.headers.get("content-disposition")).toBe(`attachment; filename="${RUN_A}.${format}"`);
      expect(await answer.text()).toContain("12345678901234567890");
    }
    const without = new TestService({ page: null });
    without.cli.record(finished(RUN_A, T0));
    const answer = await without.ask(`/api/runs/${RUN_A}/export?format=html`);
    expect(await problem(answer)).toMatchObject({ status: 503, code: "no-page" });
  });

  test("answers as if there were nothing while there is no store, and never makes one", async () => {
    const service = new TestService();
    expect(await service.json("/api/runs")).toEqual({
      runs: [],
      total: 0,
      next: null,
      index: { isCurrent: true, done: 1 },
      issues: [],
    });
    expect(await service.json("/api/search?q=x")).toMatchObject({ hits: [], next: null });
    expect(await service.json("/api/facets")).toEqual({ hosts: [], servers: [], tools: [] });
    expect((await service.ask(`/api/runs/${RUN_A}`)).status).toBe(404);
    service.cli.record(finished(RUN_A, T0));
    expect(await service.json<RunPage>("/api/runs")).toMatchObject({ total: 1 });
  });

  test("HEAD answers as GET does, without a body", async () => {
    const service = new TestService();
    service.cli.record(finished(RUN_A, T0));
    for (const path of [
      "/",
      "/chunk-abc.js",
      "/health",
      "/api/runs",
      `/api/runs/${RUN_A}`,
      "/api/live",
      "/openapi.json",
    ]) {
      const answer = await service.ask(path, { method: "HEAD" });
      expect([path, answer.status, await answer.text()]).toEqual([path, 200, ""]);
      expect(answer.headers.get("content-type"), path).toBeTruthy();
      if (path === "/api/live") continue;
      const { byteLength } = await (await service.ask(path)).arrayBuffer();
      expect([path, answer.headers.get("content-length")]).toEqual([path, String(byteLength)]);
    }
    expect(await service.json("/api/service")).toMatchObject({ listeners: 0 });
  });

  test("ids of runs that others sent may hold anything", async () => {
    const service = new TestService();
    const ids = ["a/b", "100%", "%2F", "a b?c#d", "ünïcode", "日本", "__proto__", "a\\b", "{runId}", ";x=1", "a%00b"];
    service.cli.record(...ids.map((id, i) => finished(id, T0 + i)));
    for (const id of ids) {
      const path = `/api/runs/${encodeURIComponent(id)}`;
      expect((await service.json<RunItem>(path)).id).toBe(id);
      expect((await service.json<EventPage>(`${path}/events`)).events[0]?.runId).toBe(id);
      const answer = await service.ask(`${path}/export?format=ndjson`);
      expect(answer.headers.get("content-disposition")).toMatch(/^attachment; filename="[\w-]+\.ndjson"$/);
    }
  });
});

describe("refusing", () => {
  test.each([
    ["/api/runs?limit=0", "limit"],
    ["/api/runs?limit=201", "limit"],
    ["/api/runs?limit=x", "limit"],
    ["/api/runs?limit=1.5", "limit"],
    [`/api/runs?q=${"x".repeat(2001)}`, "q"],
    ["/api/runs/x/events?payloads=purple", "payloads"],
    ["/api/runs/x/events?after=-1", "after"],
    ["/api/runs/x/events?limit=99999", "limit"],
    ["/api/runs/x/notes/purple", "seq"],
    ["/api/runs/x/export?format=purple", "format"],
    ["/api/compare?left=purple", "right"],
    ["/api/live?after=purple", "after"],
  ])("says which part of %s is wrong, and not what stood there", async (path, part) => {
    const service = new TestService();
    const answer = await service.ask(path);
    const body = await answer.clone().text();
    expect(await problem(answer)).toMatchObject({ status: 400, code: "invalid-request", issues: [{ path: part }] });
    expect(body).not.toContain("purple");
  });

  test("ignores what a query holds beside what the route takes", async () => {
    const service = new TestService();
    expect((await service.ask("/api/runs?purple=1&limit=5&limit=6&__proto__=x")).status).toBe(200);
    expect((await service.ask("/api/runs?after=")).status).toBe(200);
  });

  test("a place in a list that is none", async () => {
    const service = new TestService();
    service.cli.record(finished(RUN_A, T0));
    for (const path of ["/api/runs?after=purple", "/api/search?q=hello&after=purple"]) {
      const answer = await service.ask(path);
      const body = await answer.clone().text();
      expect(await problem(answer), path).toMatchObject({ status: 400, code: "bad-cursor" });
      expect(body).not.toContain("purple");
    }
  });

  test.each([
    ["/api/runs/purple", "no-such-run"],
    ["/api/runs/purple/events", "no-such-run"],
    ["/api/runs/purple/export", "no-such-run"],
    ["/api/runs/purple/steps/purple", "no-such-step"],
    ["/api/runs/purple/notes/1", "no-such-note"],
    ["/api/compare?left=purple&right=purple", "no-such-run"],
  ])("%s: there is none", async (path, code) => {
    const service = new TestService();
    service.cli.record(finished(RUN_A, T0));
    const answer = await service.ask(path);
    const body = await answer.clone().text();
    expect(await problem(answer)).toMatchObject({ status: 404, code });
    expect(body).not.toContain("purple");
  });

  test.each(["/nowhere", "/api", "/api/nowhere", "/api/runs/x/y", "/recordings", "/../etc/passwd", "/api/runs/"])(
    "there is no %s",
    async (path) => {
      const service = new TestService();
      expect(await problem(await service.ask(path))).toMatchObject({ status: 404 });
    },
  );

  test("other methods of a path, and says which it takes", async () => {
    const service = new TestService();
    for (const { path } of Object.values(SERVICE_ROUTES)) {
      const at = path.replaceAll(/\{\w+\}/g, "x");
      const answer = await service.ask(at, { method: "PUT", body: "{}" });
      expect((await problem(answer)).status, at).toBe(405);
      const allowed = Object.values(SERVICE_ROUTES)
        .filter((route) => route.path === path)
        .flatMap(({ method }) => (method === "GET" ? [method, "HEAD"] : [method]));
      expect(answer.headers.get("allow")?.split(", ").sort(), at).toEqual(allowed.sort());
    }
    expect((await service.ask("/", { method: "POST", body: "{}" })).status).toBe(405);
  });

  test("bodies that are no JSON, not said to be, too large, or of another shape", async () => {
    const service = new TestService();
    const send = (body: string, type: string | null = "application/json") =>
      service.send("POST", "/session", body, { "content-type": type });
    expect(await problem(await send('{"code": purple'))).toEqual({
      status: 400,
      code: "not-json",
      title: expect.any(String),
    });
    for (const body of ["null", "[]", '"purple"', '{"code":1}', '{"code":"x","purple":1}', "{}"]) {
      const answer = await send(body);
      const said = await answer.clone().text();
      expect(await problem(answer), body).toMatchObject({ status: 400, code: "invalid-request" });
      expect(said).not.toContain("purple");
    }
    for (const type of ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", null]) {
      expect((await problem(await send('{"code":"x"}', type))).status, String(type)).toBe(415);
    }
    expect((await send('{"code":"x"}', "Application/JSON; charset=utf-8")).status).toBe(401);
    expect((await problem(await send(`{"code":"${"x".repeat(5000)}"}`))).status).toBe(413);
  });

  test("what a handler has not thought of is a fault of ours, told to nobody but the log", async () => {
    const service = new TestService({
      own: {
        get pid(): number {
          throw new TypeError("purple");
        },
        processStartedAt: "",
        startedAt: 1,
      },
    });
    const answer = await service.ask("/api/service");
    const body = await answer.clone().text();
    expect(await problem(answer)).toEqual({ status: 500, code: "fault", title: "a fault of ours" });
    expect(body).not.toContain("purple");
    expect(service.log.lines).toEqual(["fault while answering a request: TypeError"]);
  });

  test("says in words when the store cannot be read, and tries again", async () => {
    const service = new TestService();
    mkdirSync(service.home, { recursive: true });
    writeFileSync(
      join(service.home, "recordings.db"),
      "this is no database, but long enough to be looked at".repeat(200),
    );
    const answer = await service.ask("/api/runs");
    expect(answer.headers.get("retry-after")).toBe("5");
    expect(await problem(answer)).toMatchObject({ status: 503, code: "store-corrupt", detail: expect.any(String) });
  });
});

describe("every answer", () => {
  test("has what keeps recorded content from becoming anything that runs", async () => {
    const service = new TestService();
    service.cli.record(finished(RUN_A, T0));
    const asked: [string, RequestInit?, Record<string, string>?][] = [
      ["/"],
      ["/chunk-abc.js"],
      ["/health"],
      ["/api/runs"],
      ["/api/live"],
      [`/api/runs/${RUN_A}/export?format=html`],
      ["/openapi.json"],
      ["/nowhere"],
      ["/api/runs?limit=0"],
      ["/api/runs", { method: "PUT" }],
      ["/api/runs", {}, { authorization: "no" }],
      ["/api/runs", {}, { host: "evil.example" }],
      ["/", {}, { "if-none-match": "*" }],
    ];
    for (const [path, init, headers] of asked) {
      const answer = await service.ask(path, init, headers);
      expect(Object.fromEntries(answer.headers), path).toMatchObject(PROTECTION);
      const isFile = path === "/" || path.startsWith("/chunk");
      if (!isFile) expect(answer.headers.get("cache-control"), path).toBe("no-store");
      expect(
        [...answer.headers.keys()].some((name) => name.startsWith("access-control")),
        path,
      ).toBe(false);
      await answer.body?.cancel();
    }
  });
});

describe("the page", () => {
  test("is there for everybody, is kept by hash, and asked for anew", async () => {
    const service = new TestService();
    const page = await service.ask("/", {}, { authorization: null });
    expect([page.status, page.headers.get("cache-control")]).toEqual([200, "no-cache"]);
    expect(await page.text()).toContain('src="/chunk-abc.js"');
    const script = await service.ask("/chunk-abc.js?x=1", {}, { authorization: null });
    expect(script.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
    expect(script.headers.get("content-type")).toBe("text/javascript;charset=utf-8");
    const etag = script.headers.get("etag") ?? "";
    for (const tag of [etag, `"x", ${etag}`, etag.replace("W/", ""), "*"]) {
      const again = await service.ask("/chunk-abc.js", {}, { "if-none-match": tag });
      expect([tag, again.status, await again.text(), again.headers.get("etag")]).toEqual([tag, 304, "", etag]);
    }
    expect((await service.ask("/chunk-abc.js", {}, { "if-none-match": '"x"' })).status).toBe(200);
    expect((await service.ask("/", {}, { "if-none-match": etag })).status).toBe(200);
  });

  test("is sent short to who can read that", async () => {
    const service = new TestService();
    for (const [accepted, coding] of [
      ["gzip, deflate, br", "gzip"],
      ["gzip;q=1.0", "gzip"],
      ["gzip;q=0, br", null],
      ["br", null],
      ["", null],
    ]) {
      const answer = await service.ask("/chunk-def.css", {}, { "accept-encoding": accepted ?? "" });
      expect([accepted, answer.headers.get("content-encoding")]).toEqual([accepted, coding]);
      const bytes = new Uint8Array(await answer.arrayBuffer());
      expect(Number(answer.headers.get("content-length"))).toBe(bytes.length);
      expect(new TextDecoder().decode(coding === null ? bytes : Bun.gunzipSync(bytes))).toBe("body { color: red }");
    }
  });

  test("that was never built says so", async () => {
    const service = new TestService({ page: null });
    expect(await problem(await service.ask("/"))).toMatchObject({ status: 404, code: "no-page" });
    expect((await service.ask("/health")).status).toBe(200);
  });
});
