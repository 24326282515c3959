/** Recorded sessions on their way to a recordings service, by the built executable: what arrives, and what nobody gets to see. */

import { existsSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect } from "vitest";
import { statusSchema } from "../../src/core/schema/answers.ts";
import { serverDiscoveryPath } from "../../src/kit/paths.ts";
import { HttpService } from "../fakes/recordings-service/http-service.ts";
import { Deadline } from "../harness/deadline.ts";
import { BIR } from "../harness/locations.ts";
import { test } from "../harness/process-test.ts";
import { listRuns, onlyRun } from "../harness/recorded-runs.ts";
import type { RunningProcess } from "../harness/running-process.ts";
import type { Sandbox } from "../harness/sandbox.ts";

const services: HttpService[] = [];
afterEach(async () => {
  for (const service of services.splice(0)) await service.close();
});

async function start(port = 0): Promise<HttpService> {
  const service = await HttpService.start(port);
  services.push(service);
  return service;
}

async function login(box: Sandbox, url: string, token: string, ...more: string[]): Promise<void> {
  const { code, stdout, stderr } = await box.bir(["login", "--url", url, "--token-stdin", ...more], { stdin: token });
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout).not.toContain(token);
}

/** A session of so many calls behind a proxy that nobody has told of a server. */
async function session(box: Sandbox, calls: number, first = 0): Promise<RunningProcess> {
  const host = box.startProxy(box.fake());
  await host.request("i", "initialize", { protocolVersion: "2025-11-25", clientInfo: { name: "t", version: "1" } });
  for (let n = first; n < first + calls; n++)
    await host.call(n, "echo", { text: `n${n}` }, { "x/toolUseId": `toolu_${n}` });
  return host;
}

async function ended(host: RunningProcess): Promise<void> {
  await host.closeStdin();
  expect((await host.exit()).code).toBe(0);
}

async function down(box: Sandbox): Promise<void> {
  expect((await box.bir(["down"])).code).toBe(0);
}

/** Every run that was sent was ended there. */
function isFinished(service: HttpService, runs = 1): boolean {
  const kept = [...service.kept.runs.values()];
  return kept.length === runs && kept.every(({ effects }) => effects.some(({ kind }) => kind === "finish"));
}

/** Every file under a directory, as one text. */
function textUnder(directory: string, except: readonly string[] = []): string {
  return readdirSync(directory, { recursive: true, encoding: "utf8" })
    .map((name) => join(directory, name))
    .filter((path) => statSync(path).isFile() && !except.some((name) => path.endsWith(name)))
    .map((path) => readFileSync(path, "latin1"))
    .join("\n");
}

describe("a proxy that records by itself", () => {
  test("has its run sent while it goes on, and the token is seen nowhere", async ({ box }) => {
    const service = await start();
    await login(box, service.url, service.token);
    const host = await session(box, 5);
    await service.until(() => [...service.kept.runs.values()].some(({ effects }) => effects.length === 11));
    for (const { pid } of box.survivors()) {
      const seen = ["cmdline", "environ"].map((name) => readFileSync(`/proc/${pid}/${name}`, "latin1")).join();
      expect(seen).not.toContain(service.token);
    }
    await host.call(9, "echo", { text: "the last" });
    await ended(host);
    await service.until(() => isFinished(service));
    const run = await onlyRun(box);
    expect(run.tier).toBe("standalone");
    const effects = service.kept.effectsOf(run.id);
    const rows = run.steps.flatMap(({ id }) => [`${id}-selected`, `${id}-response`]);
    expect(
      effects
        .slice(0, -1)
        .map(({ id }) => id)
        .sort(),
    ).toEqual(rows.sort());
    expect(effects.at(-1)?.kind).toBe("finish");
    await down(box);
    expect(textUnder(box.birHome, ["credentials.json"])).not.toContain(service.token);
    expect(host.stderr.text()).not.toContain("bir:");
  });

  test("starts nothing where no service is named, and none after `bir down`", async ({ box }) => {
    await ended(await session(box, 1));
    expect(existsSync(join(box.birHome, "control"))).toBe(false);
    const service = await start();
    await login(box, service.url, service.token);
    await down(box);
    await ended(await session(box, 1));
    expect(box.survivors()).toEqual([]);
    expect(service.seen.filter(({ method }) => method === "POST")).toEqual([]);
    expect(await listRuns(box)).toHaveLength(2);
    // What was recorded meanwhile is sent once there is a server.
    await box.bir(["up"]);
    await service.until(() => isFinished(service));
    await down(box);
  });
});

describe("DEG-21 a service that is not there for now", () => {
  test("gets everything, once, though the sender was killed in the middle of it", async ({ box }) => {
    const service = await start();
    await login(box, service.url, service.token);
    const host = await session(box, 40);
    await ended(host);
    await service.until(() => service.seen.length > 4);
    process.kill(serverPid(box), "SIGKILL");
    await box.untilNoneLeft();
    await ended(await session(box, 3, 50));
    await service.until(() => isFinished(service, 2));
    for (const { id } of await listRuns(box)) {
      const ids = service.kept.effectsOf(id).map((effect) => effect.id);
      expect(new Set(ids).size).toBe(ids.length);
    }
    const [second, first] = await listRuns(box);
    expect(service.kept.effectsOf(first?.id ?? "")).toHaveLength(81);
    expect(service.kept.effectsOf(second?.id ?? "")).toHaveLength(7);
    await down(box);
  });

  test("waits for another sign-in, which is noticed at once", async ({ box }) => {
    const service = await start();
    await login(box, service.url, service.token);
    const token = service.token;
    service.token = "another-token";
    const host = await session(box, 2);
    await service.until(() =>
      service.seen.some(({ method, path }) => method === "POST" && path === "/recordings/runs"),
    );
    expect(service.kept.runs.size).toBe(0);
    await untilStatus(
      box,
      ({ service: told }) => told?.trouble === "it does not know the token (HTTP 401): sign in again",
    );
    await login(box, service.url, service.token);
    await ended(host);
    await service.until(() => isFinished(service));
    await untilStatus(box, ({ service: told }) => told?.trouble === null && told.waitingRuns === 0);
    await down(box);
    const log = readFileSync(join(box.birHome, "log", "server.log"), "utf8");
    expect(log).toContain("it does not know the token (HTTP 401). What waits is sent later (DEG-21)");
    expect(log).not.toContain(token);
  });

  test("holds up no session: it hangs, and calls are answered all the same", async ({ box }) => {
    const service = await start();
    await login(box, service.url, service.token);
    service.fault = () => "hang";
    const host = await session(box, 30);
    await service.until(() => service.seen.length > 2);
    await ended(host);
    const told = await untilStatus(box, ({ service: told }) => told?.waitingRuns === 1);
    expect(told.service?.waitingEvents).toBeGreaterThan(50);
    await down(box);
  });
});

describe("another bir", () => {
  test("as the service has the same run", async ({ box }) => {
    const there = join(box.directory, "there");
    const serving = box.start([BIR, "serve", "--port", "0", "--json"], { env: { BIR_HOME: there } });
    const [, url = ""] = await serving.stdout.untilMatch(/"url": "([^"]+)"/);
    const [, tokenFile = ""] = await serving.stdout.untilMatch(/"tokenFile": "([^"]+)"/);
    const { token } = JSON.parse(readFileSync(tokenFile, "utf8")) as { token: string };
    await login(box, url, token);
    const host = await session(box, 30);
    await host.call("big", "big", { bytes: 300_000 });
    await host.call("odd", "echo", { text: "\u0000é\u202e", n: 1e21 });
    await ended(host);
    await untilStatus(box, ({ service }) => service?.waitingRuns === 0 && service.lastSuccessAt !== null);
    const run = await onlyRun(box);
    const shown = await box.bir(["run", "show", run.id, "--json"], { env: { BIR_HOME: there } });
    expect(JSON.parse(shown.stdout)).toEqual(run);
    await down(box);
    serving.signal("SIGTERM");
    await serving.exit();
    rmSync(there, { recursive: true });
  });
});

function serverPid(box: Sandbox): number {
  return (JSON.parse(readFileSync(serverDiscoveryPath(box.birHome), "utf8")) as { pid: number }).pid;
}

type Told = ReturnType<typeof statusSchema.parse>;

/** Asks until `bir status` says so. */
async function untilStatus(
  box: Sandbox,
  isSo: (told: Told) => boolean,
  deadline = new Deadline(20_000),
): Promise<Told> {
  for (let told: Told | null = null; ; ) {
    const asked = box.bir(["status", "--json"]);
    if (!(await deadline.race(asked))) throw new Error(`it did not come to that: ${JSON.stringify(told?.service)}`);
    told = statusSchema.parse(JSON.parse((await asked).stdout));
    if (isSo(told)) return told;
  }
}
