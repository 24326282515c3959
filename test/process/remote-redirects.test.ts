/** Redirects: followed with everything at the same origin, without what a person has configured at another one, and not to worse. */

import { describe, expect } from "vitest";
import { HttpPeer } from "../fakes/http-peer/http-peer.ts";
import { LegacyMcp } from "../fakes/http-peer/legacy-mcp.ts";
import { expectLocal, initializeParams, legacySession, modern, startRemote } from "../harness/remote-session.ts";
import { test as withPeer } from "../harness/remote-test.ts";
import type { RunningProcess } from "../harness/running-process.ts";
import type { Sandbox } from "../harness/sandbox.ts";

const SECRET = "sesame-redirected";
const CONFIGURED = ["--header", `Authorization: Bearer ${SECRET}`, "--header", `X-Api-Key: ${SECRET}`];

const test = withPeer.extend<{ other: HttpPeer }>({
  other: async ({ task }, use) => {
    const other = await HttpPeer.start();
    await use(other);
    await other.close();
    if (task.result?.state !== "fail") expect(other.faults).toEqual([]);
  },
});

const start = (box: Sandbox, peer: HttpPeer): RunningProcess => startRemote(box, peer, { flags: CONFIGURED });

describe.each([307, 308])("%i", (status) => {
  test("to the same origin: the same request with the same headers", async ({ box, peer }) => {
    peer.once("initialize", (exchange) => exchange.reply(status, "moved", { location: "/elsewhere?x=%20" }));
    peer.serve(new LegacyMcp().handle);
    const host = start(box, peer);
    const { result } = await host.request(0, "initialize", initializeParams());
    expect(result).toBeDefined();
    await host.finish();
    const [first, second] = peer.like("initialize");
    expect(second?.target).toBe("/elsewhere?x=%20");
    expect(second?.method).toBe("POST");
    expect(second?.body).toEqual(first?.body);
    expect(second?.headers).toEqual(first?.headers);
    expect(second?.header("authorization")).toBe(`Bearer ${SECRET}`);
  });

  test("to another origin: without what was configured", async ({ box, peer, other }) => {
    peer.serve((exchange) => exchange.reply(status, "moved", { location: `${other.origin}/mcp` }));
    other.serve((exchange) => exchange.result({ resultType: "complete", tools: [] }));
    const host = start(box, peer);
    expect((await host.request(1, "tools/list", modern())).result).toBeDefined();
    await host.finish();
    const [there] = other.exchanges;
    expect(there?.text).toBe(peer.exchanges[0]?.text);
    expect(there?.header("mcp-method")).toBe("tools/list");
    expect(JSON.stringify(there?.headers)).not.toContain(SECRET);
    expect(there?.header("host")).toBe(new URL(other.origin).host);
    expect(peer.exchanges[0]?.header("x-api-key")).toBe(SECRET);
  });

  test("to another origin and back: what was configured has not come along", async ({ box, peer, other }) => {
    peer.once("*", (exchange) => exchange.reply(status, "", { location: `${other.origin}/away` }));
    other.serve((exchange) => exchange.reply(status, "", { location: `${peer.origin}/back` }));
    peer.serve((exchange) => exchange.result({ resultType: "complete", tools: [] }));
    const host = start(box, peer);
    await host.request(1, "tools/list", modern());
    await host.finish();
    expect(JSON.stringify(other.exchanges.map(({ headers }) => headers))).not.toContain(SECRET);
  });
});

test.for([301, 302, 303])(
  "%i does not make a GET of a message: one error, and nobody is asked again",
  async (status, { box, peer }) => {
    const { host } = await legacySession(box, peer, { noStream: true });
    peer.once("tools/call", (exchange) => exchange.reply(status, "secret words", { location: "/elsewhere" }));
    const answer = await host.call(1, "echo", { text: "x" });
    // Either is right: the message goes there as it is, or it is refused.
    if (answer.error === undefined) expect(peer.like("tools/call")[1]?.target).toBe("/elsewhere");
    else expectLocal(answer, /^upstream /);
    await host.finish();
    expect(peer.like((exchange) => exchange.target === "/elsewhere" && exchange.method !== "POST")).toEqual([]);
    expect(host.stdout.text() + host.stderr.text()).not.toContain("secret words");
  },
);

test.for([
  ["round in circles", "/mcp"],
  ["to something that is no HTTP", "file:///etc/passwd"],
  ["to nonsense", "http://[nonsense"],
  ["to nowhere", ""],
])("%s: one error", async ([, location = ""], { box, peer }) => {
  peer.serve((exchange) => exchange.reply(307, "", location === "" ? {} : { location }));
  const host = start(box, peer);
  expectLocal(await host.request(1, "tools/list", modern()), /^upstream /);
  expect(await host.finish()).toEqual({ code: 0, signal: null });
  expect(peer.exchanges.length).toBeLessThan(30);
  expect(host.stdout.text() + host.stderr.text()).not.toContain(SECRET);
});

test("a session goes on behind a redirect of each of its requests", async ({ box, peer }) => {
  const server = new LegacyMcp();
  peer.serve((exchange) => {
    if (exchange.target === "/mcp") exchange.reply(307, "", { location: "/real" });
    else server.handle(exchange);
  });
  const host = start(box, peer);
  await host.request(0, "initialize", initializeParams());
  await host.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');
  expect((await host.call(1, "echo", { text: "x" })).result?.content).toEqual([{ type: "text", text: "x" }]);
  await peer.until("the stream", () => peer.like("GET").some(({ target }) => target === "/real"));
  expect(await host.finish()).toEqual({ code: 0, signal: null });
  expect(server.sessions.size).toBe(0);
});
