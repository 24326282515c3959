/**
 * DEG-18: a server has forgotten the session. It is begun anew once, unseen by the host, and what was refused is sent once more;
 * whatever else a server says about a session is the host's to read.
 */

import { describe, expect } from "vitest";
import type { Exchange } from "../fakes/http-peer/exchange.ts";
import type { HttpPeer } from "../fakes/http-peer/http-peer.ts";
import type { LegacyOptions } from "../fakes/http-peer/legacy-mcp.ts";
import { answerText, callLine, expectLocal, initializeParams, legacySession } from "../harness/remote-session.ts";
import { test } from "../harness/remote-test.ts";
import type { Sandbox } from "../harness/sandbox.ts";

const kinds = (exchanges: readonly Exchange[]) =>
  exchanges.filter(({ method }) => method === "POST").map(({ message }) => message.method);

/** A session whose stream is open: it will not be the one to find out that the session is gone. */
async function session(box: Sandbox, peer: HttpPeer, options: LegacyOptions = {}) {
  const begun = await legacySession(box, peer, options);
  await peer.until("the stream to be open", () => peer.like("GET").some(({ isAnswered }) => isAnswered));
  return begun;
}

describe("DEG-18 404 in a session", () => {
  test("the session is begun anew, and the call is answered as if nothing had been", async ({ box, peer }) => {
    const { host, server } = await session(box, peer);
    await host.call(1, "echo");
    const [first] = server.sessionIds;
    server.expire();
    await host.write(callLine("2", '{"text":"é", "n":1.0}'));
    await host.stdout.untilAnswer(2);
    await host.call(3, "echo");
    expect(await host.finish()).toEqual({ code: 0, signal: null });
    expect(host.stdout.messages().map(({ id }) => id)).toEqual([0, 1, 2, 3]);

    const second = server.sessionIds[1];
    expect(server.sessionIds).toHaveLength(2);
    const refused = peer.exchanges.findIndex(({ message }) => message.id === 2);
    const after = peer.exchanges.slice(refused).filter(({ method }) => method === "POST");
    expect(kinds(after)).toEqual(["tools/call", "initialize", "notifications/initialized", "tools/call", "tools/call"]);
    expect(after.map((one) => one.header("mcp-session-id"))).toEqual([first, undefined, second, second, second]);
    expect(after[3]?.body).toEqual(after[0]?.body);
    const [initialize, again] = peer.like("initialize");
    expect(again?.message.params).toEqual(initialize?.message.params);
    expect(again?.headersLike("mcp-")).toEqual({});
    expect(peer.like("notifications/initialized").map(({ text }) => text)).toEqual(
      Array(2).fill('{"jsonrpc":"2.0","method":"notifications/initialized"}'),
    );
  });

  test("many calls at once find out: it is begun anew once, and each is sent once more", async ({ box, peer }) => {
    const { host, server } = await session(box, peer);
    server.expire();
    const ids = Array.from({ length: 20 }, (_, n) => n + 1);
    const again = peer.next("initialize");
    await host.write(ids.map((id) => callLine(String(id))).join(""));
    const held = await again;
    await peer.untilCount("tools/call", ids.length);
    server.handle(held);
    await host.stdout.untilLines(1 + ids.length);
    await host.finish();
    expect(server.sessionIds).toHaveLength(2);
    expect(
      host.stdout
        .messages()
        .map(({ id }) => id)
        .toSorted(),
    ).toEqual([0, ...ids].toSorted());
    expect(host.stdout.messages().every(({ error }) => error === undefined)).toBe(true);
    const sent = peer.like("tools/call").map(({ message }) => message.id);
    for (const id of ids) expect(sent.filter((one) => one === id)).toHaveLength(2);
  });

  test("a call that was accepted before keeps its id and gets its answer", async ({ box, peer }) => {
    const { host, server } = await session(box, peer);
    const early = peer.next("tools/call");
    await host.write(callLine("1"));
    const stream = (await early).events();
    server.expire();
    await host.call(2, "echo");
    stream.send(answerText("1", '"of the old session"'));
    stream.end();
    expect((await host.stdout.untilLines(3))[2]).toBe(answerText("1", '"of the old session"'));
    await host.finish();
    expect(peer.like("tools/call").filter(({ message }) => message.id === 1)).toHaveLength(1);
  });

  test("a second 404 is an error, and nothing goes round in circles", async ({ box, peer }) => {
    const { host, server } = await session(box, peer);
    for (let n = 0; n < 2; n++) {
      peer.once("tools/call", (exchange) => exchange.error(-32_001, "never heard of it", 404, null));
    }
    const answer = await host.call(1, "echo");
    expect(answer.result === undefined || answer.result.isError).toBe(true);
    expect(peer.like("tools/call")).toHaveLength(2);
    expect(server.sessionIds).toHaveLength(2);
    expect((await host.call(2, "echo", { text: "x" })).result?.content).toEqual([{ type: "text", text: "x" }]);
    await host.finish();
  });

  test("a server that lets no session begin: an error now, and another try with the next call", async ({
    box,
    peer,
  }) => {
    const { host, server } = await session(box, peer);
    server.expire();
    peer.once("initialize", (exchange) => exchange.reply(503, "secret words"));
    expectLocal(await host.call(1, "echo"), /^upstream /);
    expect((await host.call(2, "echo", { text: "x" })).result?.content).toEqual([{ type: "text", text: "x" }]);
    expect(await host.finish()).toEqual({ code: 0, signal: null });
    expect(host.stdout.text()).not.toContain("secret words");
    expect(host.stdout.messages().map(({ id }) => id)).toEqual([0, 1, 2]);
  });

  test("the answer to the new initialize may come as events, with messages before it", async ({ box, peer }) => {
    const { host, server } = await session(box, peer, { answers: "events" });
    server.expire();
    await host.call(1, "echo");
    await host.finish();
    expect(host.stdout.messages().map(({ id }) => id)).toEqual([0, 1]);
  });

  test("a notification finds out: it is sent once more too", async ({ box, peer }) => {
    const { host, server } = await session(box, peer);
    server.expire();
    await host.send({ jsonrpc: "2.0", method: "notifications/vendor" });
    await peer.untilCount("notifications/vendor", 2);
    await host.call(1, "echo");
    await host.finish();
    expect(kinds(peer.exchanges)).toEqual([
      "initialize",
      "notifications/initialized",
      "notifications/vendor",
      "initialize",
      "notifications/initialized",
      "notifications/vendor",
      "tools/call",
    ]);
  });

  test("the GET stream is opened in the new session", async ({ box, peer }) => {
    const { host, server } = await session(box, peer);
    await peer.untilCount("GET", 1);
    server.expire();
    await host.call(1, "echo");
    const [, get] = await peer.untilCount("GET", 2);
    expect(get?.header("mcp-session-id")).toBe(server.sessionIds[1]);
    const note = '{"jsonrpc":"2.0","method":"notifications/vendor"}';
    await peer.until("the new stream to be open", () => get?.isAnswered);
    server.push(note);
    await host.stdout.untilText(note);
    await host.finish();
    expect(peer.like("DELETE").map((one) => one.header("mcp-session-id"))).toEqual([server.sessionIds[1]]);
  });

  test("the host begins a session itself: that is the one from then on", async ({ box, peer }) => {
    const { host, server } = await session(box, peer);
    const { result } = await host.request("again", "initialize", initializeParams("2025-06-18"));
    expect(result?.protocolVersion).toBe("2025-06-18");
    await host.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');
    await host.call(1, "echo");
    await host.finish();
    expect(peer.like("tools/call")[0]?.headersLike("mcp-")).toEqual({
      "mcp-session-id": server.sessionIds[1],
      "mcp-protocol-version": "2025-06-18",
    });
  });
});

describe("nothing else begins a session anew", () => {
  const errorText = '{"jsonrpc":"2.0","id":1,"error":{"code":-32600, "message":"Session expired","data":1.0}}';
  const others: [string, (exchange: Exchange) => void][] = [
    ["400 with an error", (exchange) => exchange.json(errorText, 400)],
    ["200 with an error", (exchange) => exchange.json(errorText)],
    [
      "an event with an error",
      (exchange) => {
        const stream = exchange.events();
        stream.send(errorText);
        stream.end();
      },
    ],
  ];

  test.for(others)("%s: the host gets it as it is", async ([, answer], { box, peer }) => {
    const { host } = await legacySession(box, peer);
    peer.once("tools/call", answer);
    await host.write(callLine("1"));
    expect((await host.stdout.untilLines(2))[1]).toBe(errorText);
    await host.finish();
    expect(peer.like("initialize")).toHaveLength(1);
    expect(peer.like("tools/call")).toHaveLength(1);
  });

  test("404 where there is no session", async ({ box, peer }) => {
    const { host } = await legacySession(box, peer, { sessions: false });
    peer.once("tools/call", (exchange) => exchange.reply(404, "secret words"));
    expectLocal(await host.call(1, "echo"), /HTTP 404/);
    await host.finish();
    expect(peer.like("initialize")).toHaveLength(1);
    expect(peer.like("tools/call")).toHaveLength(1);
  });

  test.for([401, 403, 429, 500, 502])("%i", async (status, { box, peer }) => {
    const { host } = await legacySession(box, peer);
    peer.once("tools/call", (exchange) => exchange.reply(status, "secret words"));
    expectLocal(await host.call(1, "echo"), new RegExp(`HTTP ${status}`));
    await host.finish();
    expect(peer.like("initialize")).toHaveLength(1);
    expect(peer.like("tools/call")).toHaveLength(1);
  });
});
