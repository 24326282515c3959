/**
 * The headers that a person has configured: which of them counts, that they go to the configured origin and nowhere else, and that
 * nobody on this machine gets to see them.
 */

import { readFileSync } from "node:fs";
import { describe, expect } from "vitest";
import { LegacyMcp } from "../fakes/http-peer/legacy-mcp.ts";
import { onlyRun } from "../harness/recorded-runs.ts";
import {
  expectLocal,
  initializeParams,
  legacySession,
  modern,
  shakeHands,
  startRemote,
} from "../harness/remote-session.ts";
import { test } from "../harness/remote-test.ts";
import { commandLines, leftBehind } from "../harness/remote-traces.ts";
import { startServer } from "./control-process.ts";
import { closedSteps, untilStored } from "./faults/stored-runs.ts";

const SECRETS = { environment: "env-sesame-41f0", bearer: "bearer-sesame-52e1", argument: "arg-sesame-63d2" };

describe("which one counts", () => {
  test("BIR_UPSTREAM_HEADERS, over it --bearer-env, over that --header", async ({ box, peer }) => {
    const fromEnvironment = {
      Authorization: `Basic ${SECRETS.environment}`,
      "X-One": "env",
      "x-two": "env",
      "X-Three": "env",
    };
    const { host } = await legacySession(
      box,
      peer,
      {},
      {
        env: { BIR_UPSTREAM_HEADERS: JSON.stringify(fromEnvironment), TOKEN: SECRETS.bearer },
        flags: [
          "--bearer-env",
          "TOKEN",
          "--header",
          "x-ONE: arg: ument ",
          "--header",
          "X-Two:first",
          "--header=X-Two: last",
        ],
      },
    );
    await host.call(1, "echo");
    await peer.untilCount("GET", 1);
    await host.finish();
    expect(new Set(peer.exchanges.map(({ method }) => method))).toEqual(new Set(["POST", "GET", "DELETE"]));
    for (const exchange of peer.exchanges) {
      expect(exchange.header("authorization"), exchange.describe()).toBe(`Bearer ${SECRETS.bearer}`);
      expect(exchange.header("x-one")).toBe("arg: ument");
      expect(exchange.header("x-two")).toBe("last");
      expect(exchange.header("x-three")).toBe("env");
    }
  });

  test("--header over --bearer-env", async ({ box, peer }) => {
    peer.serve(new LegacyMcp().handle);
    const flags = ["--bearer-env", "TOKEN", "--header", `Authorization: Key ${SECRETS.argument}`];
    const host = startRemote(box, peer, { env: { TOKEN: SECRETS.bearer }, flags });
    await shakeHands(host);
    await host.finish();
    for (const exchange of peer.exchanges) expect(exchange.header("authorization")).toBe(`Key ${SECRETS.argument}`);
  });

  test("of 2026-07-28 too, beside those of the protocol", async ({ box, peer }) => {
    peer.serve((exchange) => exchange.result({ resultType: "complete", tools: [] }));
    const host = startRemote(box, peer, { env: { BIR_UPSTREAM_HEADERS: '{"x-static":"s"}' } });
    await host.request(1, "tools/list", modern());
    await host.finish();
    expect(peer.exchanges[0]?.header("x-static")).toBe("s");
    expect(peer.exchanges[0]?.header("mcp-method")).toBe("tools/list");
  });
});

describe("what cannot be sent is a wrong command line: nothing is sent, and no value is said", () => {
  const wrong: readonly [string, { env?: Record<string, string>; flags?: string[] }][] = [
    ["no JSON", { env: { BIR_UPSTREAM_HEADERS: `{"Authorization": ${SECRETS.environment}` } }],
    ["a list", { env: { BIR_UPSTREAM_HEADERS: `["${SECRETS.environment}"]` } }],
    ["a value that is no string", { env: { BIR_UPSTREAM_HEADERS: `{"x":{"y":"${SECRETS.environment}"}}` } }],
    ["a line end in a value", { env: { BIR_UPSTREAM_HEADERS: `{"x":"${SECRETS.environment}\\r\\ny: z"}` } }],
    ["a variable that is not set", { flags: ["--bearer-env", "NOT_SET"] }],
    ["no colon", { flags: ["--header", SECRETS.argument] }],
    ["a name that is none", { flags: ["--header", `a b: ${SECRETS.argument}`] }],
    ["a header of the transport's own", { flags: ["--header", `Content-Length: ${SECRETS.argument}`] }],
    ["a session id", { flags: ["--header", `Mcp-Session-Id: ${SECRETS.argument}`] }],
  ];

  test.for(wrong)("%s", async ([, launch], { box, peer }) => {
    const host = startRemote(box, peer, launch);
    expect(await host.finish()).toEqual({ code: 2, signal: null });
    expect(host.stdout.sizeBytes).toBe(0);
    expect(host.stderr.text()).toMatch(/^bir: .+\n$/);
    for (const secret of Object.values(SECRETS)) expect(host.stderr.text()).not.toContain(secret);
    expect(peer.connections).toEqual([]);
  });
});

describe("nobody gets to see them", () => {
  test.for(["BIR_DEBUG=all", "refused by the server", "off at start"])("%s", async (how, { box, peer }) => {
    const env = {
      BIR_UPSTREAM_HEADERS: JSON.stringify({ "X-Api-Key": SECRETS.environment }),
      TOKEN: SECRETS.bearer,
      ...(how === "BIR_DEBUG=all" ? { BIR_DEBUG: "all" } : {}),
      ...(how === "off at start" ? { BIR_OFF: "1" } : {}),
    };
    const { host } = await legacySession(box, peer, { sessions: false }, { env, flags: ["--bearer-env", "TOKEN"] });
    if (how.startsWith("refused")) peer.serve((exchange) => exchange.reply(401, JSON.stringify(exchange.headers)));
    await host.call(1, "echo");
    const commands = commandLines(box);
    expect(commands).toContain("proxy");
    expect(await host.finish()).toEqual({ code: 0, signal: null });
    expect(peer.exchanges.at(-1)?.header("x-api-key")).toBe(SECRETS.environment);
    const shown = [host.stdout.text(), host.stderr.text(), leftBehind(box), commands].join("\n");
    for (const secret of Object.values(SECRETS)) expect(shown).not.toContain(secret);
  });

  test("not a control server that the proxy starts either", async ({ box, peer }) => {
    const env = { BIR_UPSTREAM_HEADERS: JSON.stringify({ "X-Api-Key": SECRETS.environment }), TOKEN: SECRETS.bearer };
    const first = await startServer(box);
    const { host } = await legacySession(box, peer, {}, { env, flags: ["--bearer-env", "TOKEN"] });
    await host.call(1, "echo");
    await untilStored("the first call", () => closedSteps(box.birHome) === 1);
    first.signal("SIGKILL");
    await first.exit();
    await host.call(2, "echo");
    await untilStored("the second call", () => closedSteps(box.birHome) === 2);
    const started = box.survivors().filter(({ pid }) => pid !== host.pid);
    expect(started.map(({ command }) => command).join()).toContain("hooks serve");
    if (process.platform === "linux") {
      for (const { pid } of started) {
        const environment = readFileSync(`/proc/${pid}/environ`, "latin1");
        for (const secret of Object.values(SECRETS)) expect(environment).not.toContain(secret);
      }
    }
    await host.finish();
    expect(await box.bir(["down"])).toMatchObject({ code: 0 });
  });
});

test("credentials and queries in a URL: refused, or said nowhere", async ({ box, peer }) => {
  const { host: name } = new URL(peer.url);
  const withPassword = startRemote(box, `http://user:${SECRETS.argument}@${name}/mcp`);
  expect(await withPassword.finish()).toEqual({ code: 2, signal: null });
  expect(withPassword.stderr.text()).not.toContain(SECRETS.argument);

  peer.serve((exchange) => exchange.reply(500, "no"));
  const host = startRemote(box, `${peer.url}?key=${SECRETS.argument}`, { env: { BIR_DEBUG: "all" } });
  expectLocal(await host.request(0, "initialize", initializeParams()), /HTTP 500/);
  await host.finish();
  expect(peer.exchanges[0]?.target).toBe(`/mcp?key=${SECRETS.argument}`);
  expect(host.stdout.text() + host.stderr.text()).not.toContain(SECRETS.argument);
});

test("the URL of a server is in no recording", async ({ box, peer }) => {
  peer.serve(new LegacyMcp().handle);
  const host = startRemote(box, `${peer.url}?key=${SECRETS.argument}`);
  await shakeHands(host);
  await host.call(1, "echo");
  await host.finish();
  expect((await onlyRun(box)).steps).toHaveLength(1);
  expect(leftBehind(box)).not.toContain(SECRETS.argument);
});
