/** The handshake era over Streamable HTTP: session and version headers, what is accepted with 202, and the end of a session. */

import { describe, expect } from "vitest";
import { LegacyMcp } from "../fakes/http-peer/legacy-mcp.ts";
import { onlyRun } from "../harness/recorded-runs.ts";
import {
  answerText,
  callLine,
  INITIALIZED,
  initializeParams,
  LATEST_LEGACY,
  legacySession,
  shakeHands,
  startRemote,
} from "../harness/remote-session.ts";
import { test } from "../harness/remote-test.ts";

describe("headers", () => {
  test.for(["json", "events"] as const)(
    "the session's id and version are sent once the server has told them (%s)",
    async (answers, { box, peer }) => {
      const { host, server } = await legacySession(box, peer, { answers });
      await peer.untilCount("GET", 1);
      await host.call(1, "echo");
      await host.finish();
      const [id] = server.sessionIds;
      const [initialize, ...rest] = peer.exchanges;
      expect(initialize?.headersLike("mcp-")).toEqual({});
      for (const exchange of rest) {
        expect(exchange.headersLike("mcp-"), exchange.describe()).toEqual({
          "mcp-session-id": id,
          "mcp-protocol-version": LATEST_LEGACY,
        });
      }
      expect(peer.exchanges.map(({ method }) => method).sort()).toEqual(["DELETE", "GET", "POST", "POST", "POST"]);
    },
  );

  test("the version is the one that the server has chosen, whatever was asked for", async ({ box, peer }) => {
    peer.serve(new LegacyMcp({ version: "2025-06-18" }).handle);
    const host = startRemote(box, peer);
    const { result } = await shakeHands(host);
    expect(result?.protocolVersion).toBe("2025-06-18");
    await host.call(1, "echo");
    await host.finish();
    expect(peer.like("tools/call")[0]?.header("mcp-protocol-version")).toBe("2025-06-18");
  });

  test("a server without sessions is told of none", async ({ box, peer }) => {
    const { host } = await legacySession(box, peer, { sessions: false });
    await host.call(1, "echo");
    expect(await host.finish()).toEqual({ code: 0, signal: null });
    for (const exchange of peer.exchanges) expect(exchange.header("mcp-session-id")).toBeUndefined();
    expect(peer.like("DELETE")).toEqual([]);
  });

  test("an initialize that is refused begins no session", async ({ box, peer }) => {
    peer.serve(new LegacyMcp().handle);
    peer.once("initialize", (exchange) => exchange.error(-32_602, "not like this"));
    const host = startRemote(box, peer);
    const refused = await host.request(0, "initialize", initializeParams());
    expect(refused.error).toEqual({ code: -32_602, message: "not like this" });
    await shakeHands(host);
    await host.finish();
    expect(peer.like("initialize").map((one) => one.headersLike("mcp-"))).toEqual([{}, {}]);
  });
});

describe("what needs no answer", () => {
  test.for([202, 200, 204])("a notification that is answered with %i gives nothing", async (status, { box, peer }) => {
    const { host } = await legacySession(box, peer);
    peer.once("notifications/vendor", (exchange) => exchange.reply(status));
    await host.send({ jsonrpc: "2.0", method: "notifications/vendor", params: { n: 1 } });
    await host.call(1, "echo");
    await host.finish();
    expect(host.stdout.messages().map(({ id }) => id)).toEqual([0, 1]);
    expect(peer.like("notifications/vendor")).toHaveLength(1);
  });

  test("a notification that is refused gives nothing either, and the session goes on", async ({ box, peer }) => {
    const { host } = await legacySession(box, peer);
    for (const status of [400, 500]) {
      peer.once("notifications/vendor", (exchange) => exchange.error(-32_000, "no", status, null));
      await host.send({ jsonrpc: "2.0", method: "notifications/vendor" });
      await host.call(status, "echo");
    }
    await host.finish();
    expect(host.stdout.messages().map(({ id }) => id)).toEqual([0, 400, 500]);
  });

  test("what follows `initialized` waits until that was accepted", async ({ box, peer }) => {
    peer.serve(new LegacyMcp().handle);
    const host = startRemote(box, peer);
    await host.request(0, "initialize", initializeParams());
    const initialized = peer.next("notifications/initialized");
    await host.write(INITIALIZED + callLine("1") + callLine("2"));
    const held = await initialized;
    // A round trip of somebody else's: a call that did not wait would be here by then.
    await fetch(peer.url, { method: "GET", headers: { accept: "text/event-stream" } }).catch(() => {});
    expect(peer.like("tools/call")).toEqual([]);
    held.accept();
    await host.stdout.untilLines(3);
    await host.finish();
  });
});

test("a host that does not wait for any answer: all is sent in its order, in the session", async ({ box, peer }) => {
  const server = new LegacyMcp();
  peer.serve(server.handle);
  const host = startRemote(box, peer);
  const initialize = JSON.stringify({ jsonrpc: "2.0", id: 0, method: "initialize", params: initializeParams() });
  await host.write(`${initialize}\n${INITIALIZED}${callLine("1")}${callLine("2")}`);
  await host.stdout.untilLines(3);
  await host.finish();
  const methods = peer.like("POST").map(({ message }) => message.method);
  expect(methods).toEqual(["initialize", "notifications/initialized", "tools/call", "tools/call"]);
  expect(host.stdout.messages().every(({ error }) => error === undefined)).toBe(true);
});

describe("the end", () => {
  test("EOF with a call in flight: its answer still comes, then it is over", async ({ box, peer }) => {
    const { host } = await legacySession(box, peer);
    peer.hold("tools/call");
    await host.write(callLine("1"));
    const call = await peer.next("tools/call");
    await host.closeStdin();
    call.json(answerText("1", '"late"'));
    expect((await host.stdout.untilLines(2))[1]).toBe(answerText("1", '"late"'));
    expect(await host.exit()).toEqual({ code: 0, signal: null });
    expect(peer.like("DELETE")).toHaveLength(1);
  });

  test("a host that reads no more: it is over, and the session is deleted", async ({ box, peer }) => {
    const { host, server } = await legacySession(box, peer);
    await peer.until("the stream to be open", () => peer.like("GET")[0]?.isAnswered);
    host.closeStdout();
    const deleted = peer.untilCount("DELETE", 1);
    // What is written before the system has closed that end is taken all the same: only then does a write fail.
    const pushing = setInterval(() => {
      server.push({ jsonrpc: "2.0", method: "notifications/message", params: { level: "info", data: "anybody?" } });
    }, 20);
    await deleted.finally(() => clearInterval(pushing));
    await host.exit();
  });

  test("EOF: the session is deleted, and the exit code is 0", async ({ box, peer }) => {
    const { host, server } = await legacySession(box, peer);
    await host.call(1, "echo");
    expect(await host.finish()).toEqual({ code: 0, signal: null });
    expect(peer.exchanges.at(-1)?.method).toBe("DELETE");
    expect(server.sessions.size).toBe(0);
    await peer.untilAllClosed();
    expect(host.stderr.text()).toBe("");
  });

  test.for(["SIGTERM", "SIGINT", "SIGHUP"] as const)("%s: it is deleted too", async (signal, { box, peer }) => {
    const { host, server } = await legacySession(box, peer);
    await host.call(1, "echo");
    host.signal(signal);
    const { code } = await host.exit();
    expect(code).toBe(128 + { SIGHUP: 1, SIGINT: 2, SIGTERM: 15 }[signal]);
    expect(server.sessions.size).toBe(0);
    expect(await onlyRun(box)).toMatchObject({ steps: [{ tool: "echo", status: "ok" }] });
  });

  test.for([405, 404, 400, 500])("a server that answers the DELETE with %i", async (status, { box, peer }) => {
    peer.serve(new LegacyMcp().handle);
    peer.once("DELETE", (exchange) => exchange.reply(status, "no"));
    const host = startRemote(box, peer);
    await shakeHands(host);
    expect(await host.finish()).toEqual({ code: 0, signal: null });
    expect(peer.like("DELETE")).toHaveLength(1);
  });

  test("a server that never answers the DELETE keeps nobody", async ({ box, peer }) => {
    peer.serve(new LegacyMcp().handle);
    const asked = peer.next("DELETE");
    const host = startRemote(box, peer);
    await shakeHands(host);
    expect(await host.finish()).toEqual({ code: 0, signal: null });
    await asked;
  });

  test("calls in flight are let go, and nothing is made up", async ({ box, peer }) => {
    const { host } = await legacySession(box, peer);
    const calls = [peer.next("tools/call"), peer.next("tools/call")];
    await host.write(callLine("1") + callLine("2"));
    const [first, second] = await Promise.all(calls);
    first?.events().comment();
    expect(await host.finish()).toEqual({ code: 0, signal: null });
    if (first && second) {
      await peer.untilAbandoned(first);
      await peer.untilAbandoned(second);
    }
    expect(host.stdout.lineCount).toBe(1);
  });

  test("an answer that comes right before the end reaches the host", async ({ box, peer }) => {
    const { host } = await legacySession(box, peer);
    peer.hold("tools/call");
    await host.write(callLine("1"));
    const call = await peer.next("tools/call");
    call.json(answerText("1", `"${"x".repeat(300_000)}"`));
    await host.stdout.untilLines(2);
    await host.finish();
    expect(host.stdout.lines()[1]?.length).toBeGreaterThan(300_000);
  });
});
