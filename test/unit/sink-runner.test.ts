import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { removeService, saveService } from "../../src/kit/config.ts";
import { SinkRunner } from "../../src/sinks/open-sink.ts";
import { HttpService } from "../fakes/recordings-service/http-service.ts";
import { RUN_A, RUN_B, RunWriter, record, T0 } from "./cli-fixture.ts";

/** Sending as a server has it: it follows the settings, and of several processes one sends. */

function home(): string {
  const made = mkdtempSync(join(tmpdir(), "bir-runner-"));
  mkdirSync(join(made, "control"));
  onTestFinished(() => rmSync(made, { recursive: true, force: true }));
  return made;
}

async function service(): Promise<HttpService> {
  const started = await HttpService.start();
  onTestFinished(async () => await started.close());
  return started;
}

/** A runner that is looked after, and ended with the test. */
function runner(of: string, said: string[] = []): SinkRunner {
  const made = new SinkRunner({ home: of, env: {}, say: (line) => said.push(line) });
  const timer = setInterval(() => made.tick(), 10);
  made.tick();
  onTestFinished(async () => {
    clearInterval(timer);
    await made.close();
  });
  return made;
}

function name(of: string, { url, token }: HttpService): void {
  saveService({ url, allowHttp: false, since: 0 }, token, of);
}

function aRun(id: string): RunWriter {
  const run = new RunWriter(id, T0);
  return run.close(run.open("echo", "{}"), "ok", "{}").add("run.closed", 1, { status: "completed" });
}

const has = (of: HttpService, id: string) => () => of.kept.effectsOf(id).length === 3;

test("what is recorded goes where the settings say, as soon as they say so, and to each service from its own start", async () => {
  const [at, first, second] = [home(), await service(), await service()];
  record(at, aRun(RUN_A));
  const running = runner(at);
  name(at, first);
  await first.until(has(first, RUN_A));
  name(at, second);
  await second.until(has(second, RUN_A));
  record(at, aRun(RUN_B));
  await second.until(has(second, RUN_B));
  expect(first.kept.runs.has(RUN_B)).toBe(false);
  removeService(at);
  name(at, first);
  await first.until(has(first, RUN_B));
  expect(first.kept.repeats).toBe(0);
  await running.close();
});

test("a new token is tried at once", async () => {
  const [at, there] = [home(), await service()];
  record(at, aRun(RUN_A));
  saveService({ url: there.url, allowHttp: false, since: 0 }, "wrong", at);
  const said: string[] = [];
  runner(at, said);
  await there.until(() => there.seen.some(({ path }) => path === "/recordings/runs"));
  name(at, there);
  await there.until(has(there, RUN_A));
  expect(said[0]).toContain("it does not know the token (HTTP 401)");
  expect(said.join()).not.toContain(there.token);
});

test("of two processes one sends, and the other takes over when that one goes", async () => {
  const [at, there] = [home(), await service()];
  name(at, there);
  const first = runner(at);
  record(at, aRun(RUN_A));
  await there.until(has(there, RUN_A));
  const second = runner(at);
  record(at, aRun(RUN_B));
  await there.until(has(there, RUN_B));
  expect(there.kept.repeats).toBe(0);
  expect(second.isDelivering).toBe(false);
  await first.close();
  const third = "run_019ab3d000007000800000000000000f";
  record(at, aRun(third));
  await there.until(has(there, third));
  expect(there.kept.repeats).toBe(0);
});

test("going waits for nobody: a service that hangs is given up, and what was not answered is sent by the next", async () => {
  const [at, there] = [home(), await service()];
  name(at, there);
  record(at, aRun(RUN_A));
  there.fault = ({ path }) => (path.endsWith("/steps") ? "hang" : "none");
  const first = runner(at);
  await there.until(() => there.seen.some(({ path }) => path.endsWith("/steps")));
  await first.close();
  there.fault = () => "none";
  runner(at);
  await there.until(has(there, RUN_A));
});
