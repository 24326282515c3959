/** `bir serve` as a process: how it starts and ends, that there is one of it, what it leaves behind. */

import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect } from "vitest";
import type { EventPage, LiveMessages, RunItem, RunPage } from "../../src/core/service-wire.ts";
import { test } from "../harness/process-test.ts";
import { needs } from "../harness/requirement.ts";
import type { Sandbox } from "../harness/sandbox.ts";
import { SentEvents } from "../unit/service-sse.ts";
import { ask, endService, json, recordRun, runIds, send, startService } from "./service-process.ts";

const discoveryPath = (box: Sandbox) => join(box.birHome, "view", "server.json");

describe("starting", () => {
  test("says where it is, and how another bir may write to it, without its token", async ({ box }) => {
    const serving = await startService(box);
    expect(serving.said).toEqual({
      url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
      pid: serving.process.pid,
      version: expect.any(String),
      tokenFile: join(box.birHome, "service.json"),
    });
    await serving.process.stderr.untilText("service.json");
    expect(serving.process.stderr.text()).toContain(`Serving at ${serving.url}/ until Ctrl-C.`);
    expect(await json(serving, "/health")).toEqual({ ok: true, service: "bir", version: serving.said.version });
    expect(await json(serving, "/api/service")).toMatchObject({ pid: serving.process.pid, listeners: 0 });
    const head = await ask(serving, "/api/runs", { method: "HEAD" });
    const whole = await (await ask(serving, "/api/runs")).arrayBuffer();
    expect(head.headers.get("content-length")).toBe(String(whole.byteLength));
    const status = await box.bir(["status"]);
    expect(status.stdout).toContain(`\nPage            ${serving.url}/ (pid ${serving.said.pid})\n`);
    const said = serving.process.stdout.text() + serving.process.stderr.text() + serving.process.command.join(" ");
    expect(said).not.toContain(serving.token);
    expect(await endService(serving)).toBe(0);
    const log = readFileSync(join(box.birHome, "log", "service.log"), "utf8");
    expect(log).toContain(`serving at ${serving.url}`);
    expect(log).not.toContain(serving.token);
  });

  test("keeps what lets others in to its owner, and the same from one start to the next", async ({ box, task }) => {
    needs(task.context, process.platform !== "win32", "Windows has no such modes");
    const first = await startService(box);
    for (const name of ["service.json", "view/server.json", "log/service.log"]) {
      expect([name, statSync(join(box.birHome, name)).mode & 0o777]).toEqual([name, 0o600]);
    }
    for (const name of ["", "view", "log"]) expect(statSync(join(box.birHome, name)).mode & 0o777).toBe(0o700);
    await endService(first);
    const second = await startService(box);
    expect(second.token).toBe(first.token);
    await endService(second);
    rmSync(join(box.birHome, "service.json"));
    const third = await startService(box);
    expect(third.token).not.toBe(first.token);
    await endService(third);
  });

  test("on a port that another program has is refused in words, and without --port takes another one", async ({
    box,
  }) => {
    const other = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response("x") });
    try {
      const taken = await box.bir(["serve", "--port", String(other.port)]);
      expect([taken.code, taken.stdout]).toEqual([1, ""]);
      expect(taken.stderr).toContain(`cannot listen on 127.0.0.1, port ${other.port}: another program listens there`);
      const { stdout } = await box.bir(["serve", "--port", String(other.port), "--json"]);
      expect(JSON.parse(stdout)).toMatchObject({ error: { code: "port-taken" } });
      expect(existsSync(discoveryPath(box))).toBe(false);
    } finally {
      await other.stop(true);
    }
    const usual = await startService(box, ["serve", "--json"]);
    expect(await json(usual, "/health")).toMatchObject({ ok: true });
    await endService(usual);
  });

  test.each([
    [["--port", "x"], /`x` does not fit `--port`: write a number up to 65535/],
    [["--port", "70000"], /does not fit `--port`/],
    [["--host", "example.com"], /does not fit `--host`: write an address/],
    [["purple"], /`purple` is one word too many/],
  ])("with %j is refused in words", async (args, words) => {
    const { Sandbox: Box } = await import("../harness/sandbox.ts");
    const box = new Box();
    const { code, stderr } = await box.bir(["serve", ...args]);
    expect([code, stderr]).toEqual([2, expect.stringMatching(words)]);
    await box.dispose();
  });

  test("where nothing can be kept says why", async ({ box }) => {
    writeFileSync(box.birHome, "");
    const { code, stderr } = await box.bir(["serve", "--port", "0"]);
    expect(code).toBe(3);
    expect(stderr).toContain(`${box.birHome} is not a directory`);
  });
});

describe("another address", () => {
  test("is listened on beside this machine's own, and asked for by the names that were allowed", async ({
    box,
    task,
  }) => {
    needs(task.context, process.platform === "linux", "only Linux has more than one address of its own without asking");
    const flags = ["--host", "127.0.0.2", "--allow-host", "recordings.test", "--allow-host", "Other.Test"];
    const serving = await startService(box, ["serve", "--port", "0", "--json", ...flags]);
    const there = { url: `http://127.0.0.2:${serving.port}`, token: serving.token };
    for (const at of [serving, there]) expect((await ask(at, "/api/runs")).status).toBe(200);
    for (const [host, status] of [
      ["recordings.test", 200],
      [`other.test:${serving.port}`, 200],
      ["evil.test", 403],
    ] as const) {
      expect([host, (await ask(there, "/api/runs", {}, { host })).status]).toEqual([host, status]);
    }
    expect((await ask(there, "/api/runs", {}, { authorization: null })).status).toBe(401);
    expect(await endService(serving)).toBe(0);
  });

  test("says what listening everywhere means", async ({ box }) => {
    const serving = await startService(box, ["serve", "--port", "0", "--json", "--host", "0.0.0.0"]);
    await serving.process.stderr.untilText("--allow-host NAME");
    expect(serving.process.stderr.text()).toContain("Whoever reaches 0.0.0.0 can ask");
    expect((await ask(serving, "/api/runs")).status).toBe(200);
    expect(await endService(serving)).toBe(0);
  });
});

describe("the one service of a home", () => {
  test("a second one says where the first is, and leaves it alone", async ({ box }) => {
    const first = await startService(box);
    const { code, stderr } = await box.bir(["serve", "--port", "0"]);
    expect([code, stderr]).toEqual([1, expect.stringContaining(`this home is served already, at ${first.url}/`)]);
    const { stdout } = await box.bir(["serve", "--json"]);
    expect(JSON.parse(stdout)).toMatchObject({ error: { code: "served-already" } });
    expect(await json(first, "/health")).toMatchObject({ ok: true });
    expect(await endService(first)).toBe(0);
    expect(existsSync(discoveryPath(box))).toBe(false);
  });

  test("one that was killed is followed by another, whatever it left", async ({ box }) => {
    const first = await startService(box);
    first.process.signal("SIGKILL");
    await first.process.exit();
    expect(existsSync(discoveryPath(box))).toBe(true);
    const second = await startService(box);
    expect(JSON.parse(readFileSync(discoveryPath(box), "utf8"))).toMatchObject({
      pid: second.process.pid,
      url: second.url,
    });
    expect(await endService(second)).toBe(0);
  });

  test("is found again when its discovery file was removed", async ({ box }) => {
    const serving = await startService(box);
    rmSync(discoveryPath(box));
    while (!existsSync(discoveryPath(box))) await Bun.sleep(20);
    expect(await endService(serving)).toBe(0);
  });

  test("goes when its home is another one", async ({ box }) => {
    const serving = await startService(box);
    renameSync(box.birHome, `${box.birHome}-moved`);
    expect((await serving.process.exit()).code).toBe(0);
    expect(existsSync(box.birHome)).toBe(false);
  });
});

describe("ending", () => {
  test.for(["SIGTERM", "SIGINT", "SIGHUP"] as const)(
    "at %s ends its streams and answers, and exits with 0",
    async (signal, { box }) => {
      const serving = await startService(box);
      const stream = new SentEvents((await ask(serving, "/api/live")).body as ReadableStream<Uint8Array>);
      await stream.next();
      expect(await endService(serving, signal)).toBe(0);
      for (let event = await stream.next(); event !== null; ) event = await stream.next();
      expect(existsSync(discoveryPath(box))).toBe(false);
      expect(await box.untilNoneLeft()).toEqual([]);
    },
  );

  test("carries out the deletions that are pending", async ({ box }) => {
    const [id, kept, restored] = [await recordRun(box), await recordRun(box), await recordRun(box)];
    const serving = await startService(box);
    for (const one of [id, restored])
      expect((await ask(serving, `/api/runs/${one}`, { method: "DELETE" })).status).toBe(202);
    expect((await ask(serving, `/api/runs/${restored}/restore`, { method: "POST" })).status).toBe(204);
    expect(new Set(await runIds(box))).toEqual(new Set([id, kept, restored]));
    expect(await endService(serving)).toBe(0);
    expect(new Set(await runIds(box))).toEqual(new Set([kept, restored]));
  });

  test("deletes a run of any id, and never another whose id begins like that of one that is gone", async ({ box }) => {
    const serving = await startService(box);
    for (const id of ["1", "10", "latest", "a\u0000b", "--all"]) {
      expect((await send(serving, "POST", "/recordings/runs", { id })).status).toBe(201);
      await send(serving, "POST", `/recordings/runs/${encodeURIComponent(id)}/finish`, {});
    }
    for (const id of ["1", "latest", "a\u0000b", "--all"])
      expect((await ask(serving, `/api/runs/${encodeURIComponent(id)}`, { method: "DELETE" })).status).toBe(202);
    expect((await box.bir(["run", "delete", "1", "--yes"])).code).toBe(0);
    expect(await endService(serving)).toBe(0);
    expect(await runIds(box)).toEqual(["10"]);
  });

  test("killed before, it has deleted nothing", async ({ box }) => {
    const id = await recordRun(box);
    const serving = await startService(box);
    await ask(serving, `/api/runs/${id}`, { method: "DELETE" });
    serving.process.signal("SIGKILL");
    await serving.process.exit();
    expect(await runIds(box)).toEqual([id]);
  });
});

describe("serving", () => {
  test("what is recorded while it runs, from the first run of a home on", async ({ box }) => {
    const serving = await startService(box);
    expect(await json<RunPage>(serving, "/api/runs")).toMatchObject({ runs: [], total: 0, next: null });
    const stream = new SentEvents((await ask(serving, "/api/live")).body as ReadableStream<Uint8Array>);
    const id = await recordRun(box, 3);
    const { data } = await stream.nextOf<LiveMessages["runs"]>("runs");
    expect(data.changed.map((run) => run.id)).toEqual([id]);
    const page = await json<RunPage>(serving, "/api/runs");
    expect(page.runs).toMatchObject([{ id, stepCount: 3, status: "completed", wrappedServers: ["fake"] }]);
    expect(await json<RunItem>(serving, `/api/runs/${id}`)).toMatchObject({ id });
    const events = await json<EventPage>(serving, `/api/runs/${id}/events`);
    expect(events.events.filter(({ type }) => type === "step.closed")).toHaveLength(3);
    await stream.close();
    expect(await endService(serving)).toBe(0);
  });

  test("a run as it grows, call by call", async ({ box }) => {
    const serving = await startService(box);
    const proxy = box.startProxy(box.fake("--quiet"));
    await proxy.call(0, "echo", { text: "first" });
    let id = "";
    while (id === "") id = (await json<RunPage>(serving, "/api/runs")).runs[0]?.id ?? "";
    const stream = new SentEvents((await ask(serving, `/api/live?run=${id}`)).body as ReadableStream<Uint8Array>);
    const closed = new Set<string>();
    for (let call = 1; closed.size < 20; ) {
      const { data } = await stream.nextOf<EventPage>("events");
      for (const event of data.events) if (event.type === "step.closed") closed.add(event.stepId);
      if (call < 20) await proxy.call(call++, "echo", { text: "more" });
    }
    expect((await proxy.finish()).code).toBe(0);
    for (;;) {
      const { data } = await stream.nextOf<EventPage>("events");
      if (data.events.some(({ type }) => type === "run.closed")) break;
    }
    await stream.close();
    expect(await endService(serving)).toBe(0);
  });

  test("no run that a command has deleted meanwhile", async ({ box }) => {
    const [gone, kept] = [await recordRun(box), await recordRun(box)];
    const serving = await startService(box);
    const stream = new SentEvents((await ask(serving, "/api/live")).body as ReadableStream<Uint8Array>);
    await stream.nextOf("index");
    expect((await box.bir(["run", "delete", gone, "--yes"])).code).toBe(0);
    expect((await stream.nextOf<LiveMessages["runs"]>("runs")).data.removed).toEqual([gone]);
    expect((await json<RunPage>(serving, "/api/runs")).runs.map(({ id }) => id)).toEqual([kept]);
    expect((await ask(serving, `/api/runs/${gone}`)).status).toBe(404);
    await stream.close();
    expect(await endService(serving)).toBe(0);
  });

  test("deletes ten seconds later, and nothing of the run is left on the disk", async ({ box }) => {
    const id = await recordRun(box, 1, "a-word-that-is-nowhere-else");
    const serving = await startService(box);
    expect(await json(serving, "/api/search?q=nowhere")).toMatchObject({ hits: [expect.anything()] });
    const answer = await ask(serving, `/api/runs/${id}`, { method: "DELETE" });
    expect(answer.status).toBe(202);
    expect(await json<RunPage>(serving, "/api/runs")).toMatchObject({ runs: [] });
    while ((await runIds(box)).length > 0) await Bun.sleep(200);
    await box.untilNoneLeft(0);
    expect(await endService(serving)).toBe(0);
    const files = readdirSync(box.birHome).filter((name) => /\.db/.test(name));
    for (const name of files) {
      expect([name, readFileSync(join(box.birHome, name)).includes("a-word-that-is-nowhere-else")]).toEqual([
        name,
        false,
      ]);
    }
  });

  test("never deletes a run that is being recorded", async ({ box }) => {
    const serving = await startService(box);
    const proxy = box.startProxy(box.fake("--quiet"));
    await proxy.call(0, "echo", { text: "x" });
    let id = "";
    while (id === "") id = (await json<RunPage>(serving, "/api/runs")).runs[0]?.id ?? "";
    const answer = await ask(serving, `/api/runs/${id}`, { method: "DELETE" });
    expect([answer.status, ((await answer.json()) as { code: string }).code]).toEqual([409, "run-is-recorded"]);
    expect((await proxy.finish()).code).toBe(0);
    expect(await endService(serving)).toBe(0);
  });

  test("deletes a run of another recorder that never ended it", async ({ box }) => {
    const serving = await startService(box);
    const run = { id: "theirs", input: "their prompt", metadata: {} };
    expect((await send(serving, "POST", "/recordings/runs", run)).status).toBe(201);
    expect(await json<RunPage>(serving, "/api/runs")).toMatchObject({ runs: [{ id: "theirs", status: "running" }] });
    expect((await box.bir(["run", "delete", "theirs", "--yes"])).code).toBe(0);
    expect(await json<RunPage>(serving, "/api/runs")).toMatchObject({ runs: [] });
    expect((await send(serving, "POST", "/recordings/runs", run)).status).toBe(201);
    expect((await ask(serving, "/api/runs/theirs", { method: "DELETE" })).status).toBe(202);
    expect(await endService(serving)).toBe(0);
    expect(await runIds(box)).toEqual([]);
  });

  test("takes in what another recorder sends, and shows it", async ({ box }) => {
    const serving = await startService(box);
    const sent = [
      await send(serving, "POST", "/recordings/runs", { id: "theirs", input: "their prompt", metadata: {} }),
      await send(serving, "POST", "/recordings/runs/theirs/steps", {
        id: "1",
        stepIndex: 0,
        type: "tool_selected",
        toolName: "search",
        toolInput: { q: "x" },
      }),
      await send(serving, "POST", "/recordings/runs/theirs/steps", {
        id: "2",
        stepIndex: 1,
        type: "tool_response",
        toolOutput: "y",
      }),
      await send(serving, "POST", "/recordings/runs/theirs/finish", { finalOutput: "their answer", metrics: {} }),
    ];
    for (const answer of sent) expect(Math.floor(answer.status / 100)).toBe(2);
    expect(await json<RunItem>(serving, "/api/runs/theirs")).toMatchObject({
      input: "their prompt",
      finalAnswer: "their answer",
      status: "completed",
      stepCount: 1,
    });
    expect(
      (await ask(serving, "/recordings/runs", { method: "POST", body: "{}" }, { authorization: null })).status,
    ).toBe(401);
    expect(await endService(serving)).toBe(0);
    expect(await runIds(box)).toEqual(["theirs"]);
  });

  test("the page, whose files are all there, and nothing else", async ({ box }) => {
    const serving = await startService(box);
    const page = await ask(serving, "/", {}, { authorization: null });
    const html = await page.text();
    expect(page.headers.get("content-security-policy")).toContain("default-src 'none'");
    const files = [...html.matchAll(/(?:src|href)="(\/[^"]+)"/g)].map(([, path = ""]) => path);
    expect(files.length).toBeGreaterThanOrEqual(2);
    for (const path of files) {
      const file = await ask(serving, path, {}, { authorization: null });
      expect([path, file.status, file.headers.get("cache-control")]).toEqual([
        path,
        200,
        "public, max-age=31536000, immutable",
      ]);
      expect((await file.text()).length).toBeGreaterThan(100);
    }
    expect((await ask(serving, "/main.tsx", {}, { authorization: null })).status).toBe(404);
    expect(await endService(serving)).toBe(0);
  });

  test("says in words that the store is damaged or newer, goes on, and shows the next one", async ({ box }) => {
    mkdirSync(box.birHome, { recursive: true, mode: 0o700 });
    const store = join(box.birHome, "recordings.db");
    writeFileSync(store, "no database at all ".repeat(1000), { mode: 0o600 });
    const serving = await startService(box);
    const answer = await ask(serving, "/api/runs");
    expect(answer.status).toBe(503);
    expect(answer.headers.get("retry-after")).toBe("5");
    expect(await answer.json()).toMatchObject({
      code: "store-corrupt",
      detail: expect.stringContaining("begins a new store"),
    });
    const stream = new SentEvents((await ask(serving, "/api/live")).body as ReadableStream<Uint8Array>);
    const proxy = box.startProxy(box.fake("--quiet"));
    await proxy.call(0, "echo", { text: "after the damage" });
    expect((await proxy.finish()).code).toBe(0);
    const { data } = await stream.nextOf<LiveMessages["runs"]>("runs");
    const { runs } = await json<RunPage>(serving, "/api/runs");
    expect(runs.map(({ id }) => id)).toEqual(data.changed.map(({ id }) => id));
    expect(runs).toHaveLength(1);
    await stream.close();
    expect(await endService(serving)).toBe(0);
  });
});
