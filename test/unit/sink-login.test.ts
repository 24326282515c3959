import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { loginSchema, logoutSchema, problemSchema, statusSchema } from "../../src/core/schema/answers.ts";
import { readService, readToken } from "../../src/kit/config.ts";
import { serviceUrl } from "../../src/kit/service-url.ts";
import { SinkCursor } from "../../src/store/sink-cursor.ts";
import { HttpService } from "../fakes/recordings-service/http-service.ts";
import { RUN_A, RunWriter, T0, TestCli } from "./cli-fixture.ts";

/** Signing in at a service, and what the command line says of one. */

const TOKEN = "the-token-of-the-service";

async function service(): Promise<HttpService> {
  const started = await HttpService.start();
  onTestFinished(async () => await started.close());
  return started;
}

function cliWith(input: string): TestCli {
  const cli = new TestCli();
  cli.input = input;
  return cli;
}

const login = (cli: TestCli, url: string, ...more: string[]) =>
  cli.run("login", "--url", url, "--token-stdin", ...more);

describe("an address", () => {
  test.each([
    ["https://Recordings.Example/", "https://recordings.example"],
    ["https://host:8443/base/", "https://host:8443/base"],
    ["http://127.0.0.1:7331", "http://127.0.0.1:7331"],
    ["http://[::1]:7331/", "http://[::1]:7331"],
    ["http://localhost:1", "http://localhost:1"],
  ])("%s is %s", (typed, url) => expect(serviceUrl(typed, false)).toBe(url));

  test.each([
    "recordings.example",
    "ftp://host",
    "https://",
    "http://recordings.example",
    "http://127.0.0.1.example.com",
    "https://me:secret@host",
    "https://secret@host",
    "https://host/?token=secret",
    "https://host/#secret",
  ])("%s is refused, without being quoted", async (typed) => {
    expect(() => serviceUrl(typed, false)).toThrow();
    const cli = cliWith(TOKEN);
    expect(await login(cli, typed)).toBe(2);
    expect(cli.stdout + cli.stderr).not.toContain("secret");
    expect(readService(cli.home)).toBeNull();
  });

  test("of another machine over http is taken where that is asked for", () => {
    expect(serviceUrl("http://recordings.example", true)).toBe("http://recordings.example");
  });
});

describe("bir login", () => {
  test("keeps the address and the token for their owner alone, and shows no token", async () => {
    const { url } = await service();
    const cli = cliWith(`  ${TOKEN}\n`);
    mkdirSync(cli.home, { recursive: true });
    writeFileSync(join(cli.home, "config.json"), '{"other":{"kept":[1]}}');
    expect(await login(cli, url)).toBe(0);
    expect(cli.stdout).toBe(
      `Runs that begin from now on are sent to ${url}.\nIt is another bir, and lets this token in. \`bir status\` shows what waits.\n`,
    );
    expect(readService(cli.home)).toEqual({ url, allowHttp: false, since: T0 + 3 * 60_000 });
    expect(readToken(url, cli.home)).toBe(TOKEN);
    for (const name of ["config.json", "credentials.json"]) {
      expect(statSync(join(cli.home, name)).mode & 0o777).toBe(0o600);
    }
    expect(JSON.parse(readFileSync(join(cli.home, "config.json"), "utf8")).other).toEqual({ kept: [1] });
    expect(readFileSync(join(cli.home, "config.json"), "utf8")).not.toContain(TOKEN);
    expect(cli.stdout + cli.stderr).not.toContain(TOKEN);
  });

  test("says that the token is refused, or that nobody is there, and saves all the same", async () => {
    const running = await service();
    const wrong = cliWith("wrong-token");
    expect(await login(wrong, running.url)).toBe(1);
    expect(wrong.stdout).not.toMatch(/ (?:is|are) sent to/);
    expect(wrong.stdout).toContain(
      `${running.url} does not know this token (HTTP 401). Nothing is sent before you sign in`,
    );
    expect(readToken(running.url, wrong.home)).toBe("wrong-token");
    const { url } = running;
    await running.close();
    const cli = cliWith(TOKEN);
    expect(await login(cli, url)).toBe(0);
    expect(cli.stdout).toContain(`${url} cannot be reached: connection refused. It is tried again`);
    const answer = loginSchema.parse(await cli.json("login", "--url", url, "--token-stdin"));
    expect(answer).toMatchObject({ url, meeting: "unreachable", status: null });
  });

  test("says that a web page is no recordings service", async () => {
    const running = await service();
    running.fault = () => ({ status: 200, body: "<!doctype html>" });
    const cli = cliWith(TOKEN);
    expect(await login(cli, running.url)).toBe(0);
    expect(cli.stdout).toContain(
      `${running.url} answers a web page (HTTP 200), as the sign-in of a network does. Look whether`,
    );
  });

  test("again at the same address goes on; at another, only what begins from then on is sent; --from-start, all", async () => {
    const [first, second] = [await service(), await service()];
    let now = T0;
    const cli = new TestCli({ now: () => now });
    cli.input = TOKEN;
    await login(cli, first.url);
    now += 1000;
    await login(cli, first.url);
    expect(readService(cli.home)?.since).toBe(T0);
    await login(cli, second.url);
    expect(readService(cli.home)?.since).toBe(T0 + 1000);
    expect(readToken(first.url, cli.home)).toBeNull();
    mkdirSync(cli.home, { recursive: true });
    // A person has switched the server down: none is started for this.
    writeFileSync(join(cli.home, "down"), "");
    await login(cli, second.url, "--from-start");
    expect(readService(cli.home)?.since).toBe(0);
    expect(cli.stdout).toContain("Everything that is recorded is sent");
  });

  test.each([
    ["", "there is no token in stdin"],
    ["two words", "what is in stdin is no token"],
    ["two\nlines", "what is in stdin is no token"],
    ["\u0000", "what is in stdin is no token"],
  ])("takes no token like %j", async (input, words) => {
    const cli = cliWith(input);
    expect(await login(cli, "https://recordings.example")).toBe(2);
    expect(cli.stderr).toContain(words);
    expect(readService(cli.home)).toBeNull();
  });

  test("takes a token from stdin only", async () => {
    const cli = cliWith(TOKEN);
    expect(await cli.run("login", "--url", "https://recordings.example")).toBe(2);
    expect(await cli.run("login", "--token-stdin")).toBe(2);
    expect(await cli.run("login", "--url", "https://recordings.example", "--token", "secret")).toBe(2);
  });

  test("of settings that cannot be understood says so and leaves them", async () => {
    const cli = cliWith(TOKEN);
    mkdirSync(cli.home, { recursive: true });
    writeFileSync(join(cli.home, "config.json"), "{ half");
    expect(await login(cli, "https://recordings.example")).toBe(3);
    expect(cli.stderr).toContain("config.json cannot be used");
    expect(readFileSync(join(cli.home, "config.json"), "utf8")).toBe("{ half");
  });
});

test("a token goes to the address it was given for and no other", async () => {
  const [mine, other] = [await service(), await service()];
  const cli = cliWith(TOKEN);
  await login(cli, mine.url);
  writeFileSync(join(cli.home, "config.json"), JSON.stringify({ service: { url: other.url, since: 0 } }));
  expect(await cli.run("whoami")).toBe(3);
  expect(other.seen).toEqual([]);
  await cli.run("status");
  expect(cli.stdout).toContain("! there is no token for it: sign in again");
});

test("a token that others could read is theirs no longer", async () => {
  const cli = cliWith(TOKEN);
  expect(await login(cli, "http://127.0.0.1:9")).toBe(0);
  const path = join(cli.home, "credentials.json");
  chmodSync(path, 0o644);
  expect(readToken("http://127.0.0.1:9", cli.home)).toBe(TOKEN);
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test("bir whoami and bir logout", async () => {
  const { url } = await service();
  const cli = cliWith(TOKEN);
  expect(await cli.run("whoami")).toBe(3);
  expect(problemSchema.parse(await cli.json("whoami")).error.code).toBe("not-signed-in");
  await login(cli, url);
  expect(await cli.run("whoami")).toBe(0);
  expect(cli.stdout).toBe(`${url}\nIt is another bir, and lets this token in.\n`);
  expect(loginSchema.parse(await cli.json("whoami"))).toMatchObject({
    url,
    meeting: "reached",
    status: 200,
    isBir: true,
  });
  expect(await cli.run("logout")).toBe(0);
  expect(cli.stdout).toBe(`Nothing is sent to ${url} any more.\n`);
  expect(logoutSchema.parse(await cli.json("logout"))).toEqual({ url: null });
  expect(readToken(url, cli.home)).toBeNull();
});

describe("bir status", () => {
  test("says nothing of a service where none is named", async () => {
    const cli = new TestCli();
    await cli.run("status");
    expect(cli.stdout).not.toContain("Sends to");
    expect(statusSchema.parse(await cli.json("status")).service).toBeNull();
  });

  test("tells what waits, since when all is well or what is amiss, and what was refused", async () => {
    const { url } = await service();
    const cli = new TestCli({ now: () => T0 });
    cli.input = TOKEN;
    await login(cli, url);
    const run = new RunWriter(RUN_A, T0);
    run.close(run.open("echo", "{}"), "ok", "{}");
    cli.record(run);
    await cli.run("status");
    expect(cli.stdout).toContain(
      `Sends to        ${url}: 3 events of 1 run wait\n                Nothing sends just now: the control server is not running.`,
    );
    const cursor = SinkCursor.open(join(cli.home, "recordings.db"), `base-in ${url}`, T0);
    if (cursor === null) throw new Error("there is a store");
    cursor.discover();
    cursor.advance(RUN_A, 1, null);
    cursor.refuse(RUN_A, "step_a0-selected", 413, T0);
    const closed = { reason: "trouble", why: "connection refused", since: T0, until: T0 + 40_000 };
    cursor.keepState(JSON.stringify({ lastSuccessAt: T0 - 60_000, closed }));
    cursor.close();
    await cli.run("status");
    expect(cli.stdout).toContain(
      `Sends to        ${url}: 2 events of 1 run wait, last sent 1 min ago\n                ! connection refused\n` +
        `                ! 1 part of runs refused for good: step_a0-selected of ${RUN_A} (HTTP 413)\n`,
    );
    expect(statusSchema.parse(await cli.json("status")).service).toEqual({
      url,
      signedIn: true,
      since: T0,
      waitingRuns: 1,
      waitingEvents: 2,
      lastSuccessAt: T0 - 60_000,
      trouble: "connection refused",
      nextTryAt: null,
      refused: 1,
      refusals: [{ runId: RUN_A, row: "step_a0-selected", status: 413, at: T0 }],
    });
    await cli.run("doctor");
    expect(cli.stdout).toContain(`! warning  recordings-service: the recordings service at ${url}: connection refused`);
    expect(cli.stdout).not.toContain(TOKEN);
  });
});
