import { describe, expect, test } from "vitest";
import { call, INITIALIZE, RemoteDesk } from "./remote-fake-client.ts";

const answerTo = (id: number | string): string => JSON.stringify({ jsonrpc: "2.0", id, result: { ok: true } });
const agreed = { jsonrpc: "2.0", id: "bir:initialize", result: { protocolVersion: "2025-06-18" } };

describe("DEG-18 a session that the server has forgotten", () => {
  test("is begun anew once for all that were refused, and each of them is sent once more", async () => {
    const desk = new RemoteDesk();
    await desk.shakeHands();
    desk.host(call(1), call(2));
    (await desk.client.request(3)).answer(404, {}, "gone");
    (await desk.client.request(4)).answer(404, {}, "gone");
    const again = await desk.client.request(5);
    expect(JSON.parse(again.text)).toEqual({ ...INITIALIZE, id: "bir:initialize" });
    expect(again.header("mcp-session-id")).toBeUndefined();
    again.json(agreed, { "mcp-session-id": "s2" });
    const initialized = await desk.client.request(6);
    expect(initialized.text).toContain("notifications/initialized");
    initialized.answer(202, {});
    const rest = [await desk.client.request(7), await desk.client.request(8), await desk.client.request(9)];
    for (const asked of rest)
      expect([asked.header("mcp-session-id"), asked.header("mcp-protocol-version")]).toEqual(["s2", "2025-06-18"]);
    const calls = rest.filter(({ method }) => method === "POST");
    expect(calls.map(({ text }) => JSON.parse(text).id).toSorted()).toEqual([1, 2]);
    for (const asked of calls) asked.json(answerTo(JSON.parse(asked.text).id));
    expect([await desk.line(), await desk.line()].toSorted()).toEqual([answerTo(1), answerTo(2)]);
  });

  test("is one error when the new one is refused as well", async () => {
    const desk = new RemoteDesk();
    await desk.shakeHands();
    desk.host(call(1));
    (await desk.client.request(3)).answer(404, {});
    (await desk.client.request(4)).answer(500, {}, "secret words");
    const line = (await desk.line()) ?? "";
    expect(JSON.parse(line)).toMatchObject({ id: 1, error: { code: -32000 } });
    expect(line).not.toContain("secret");
    expect(desk.client.requests).toHaveLength(5);
  });

  test("is one error when the message is refused a second time", async () => {
    const desk = new RemoteDesk();
    await desk.shakeHands();
    desk.host(call(1));
    (await desk.client.request(3)).answer(404, {});
    (await desk.client.request(4)).json(agreed, { "mcp-session-id": "s2" });
    (await desk.client.request(5)).answer(202, {});
    const rest = [await desk.client.request(6), await desk.client.request(7)];
    for (const asked of rest) asked.answer(asked.method === "GET" ? 405 : 404, {});
    expect(JSON.parse((await desk.line()) ?? "")).toMatchObject({ id: 1, error: { code: -32000 } });
  });

  test("does not get the host's answer to a question of the one before", async () => {
    const desk = new RemoteDesk();
    await desk.shakeHands();
    desk.host({ jsonrpc: "2.0", id: 0, result: { action: "accept" } });
    (await desk.client.request(3)).answer(404, {});
    desk.host(call(1));
    expect((await desk.client.request(4)).text).toContain('"id":1');
  });

  test("is noticed by the server's own stream, too, once that was open", async () => {
    const desk = new RemoteDesk();
    desk.host(INITIALIZE);
    const hello = { jsonrpc: "2.0", id: 0, result: { protocolVersion: "2025-11-25" } };
    (await desk.client.request(0)).json(hello, { "mcp-session-id": "s1" });
    desk.host({ jsonrpc: "2.0", method: "notifications/initialized" });
    (await desk.client.request(1)).answer(202, {});
    const stream = (await desk.client.request(2)).stream();
    stream.say("retry: 0\n: hello\n\n");
    stream.end();
    (await desk.client.request(3)).answer(404, {});
    expect((await desk.client.request(4)).text).toContain("bir:initialize");
  });

  test("is not what a server means that has no stream of its own and says 404", async () => {
    const desk = new RemoteDesk();
    desk.host(INITIALIZE);
    const hello = { jsonrpc: "2.0", id: 0, result: { protocolVersion: "2025-11-25" } };
    (await desk.client.request(0)).json(hello, { "mcp-session-id": "s1" });
    desk.host({ jsonrpc: "2.0", method: "notifications/initialized" });
    (await desk.client.request(1)).answer(202, {});
    (await desk.client.request(2)).answer(404, {});
    desk.host(call(1));
    const asked = await desk.client.request(3);
    expect([asked.method, asked.header("mcp-session-id")]).toEqual(["POST", "s1"]);
  });

  test("is not what a server means that answers one request with 404 under its own id", async () => {
    const desk = new RemoteDesk();
    await desk.shakeHands();
    desk.host({ jsonrpc: "2.0", id: 4, method: "no/such" });
    const body = JSON.stringify({ jsonrpc: "2.0", id: 4, error: { code: -32601, message: "unknown" } });
    (await desk.client.request(3)).answer(404, {}, body);
    expect(await desk.line()).toBe(body);
    expect(desk.client.requests).toHaveLength(4);
  });

  test("does not get a call that the host has cancelled meanwhile", async () => {
    const desk = new RemoteDesk();
    await desk.shakeHands();
    desk.host(call(1));
    (await desk.client.request(3)).answer(404, {});
    const again = await desk.client.request(4);
    desk.host({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } });
    (await desk.client.request(5)).answer(404, {});
    again.json(agreed, { "mcp-session-id": "s2" });
    (await desk.client.request(6)).answer(202, {});
    desk.host(call(2));
    const rest = [await desk.client.request(7), await desk.client.request(8)];
    expect(rest.filter(({ method }) => method === "POST").map(({ text }) => JSON.parse(text).id)).toEqual([2]);
  });
});

describe("DEG-19 a stream", () => {
  test("that ends behind an event is asked for again until the answer has come", async () => {
    const desk = new RemoteDesk();
    await desk.shakeHands();
    desk.host(call(1));
    const first = (await desk.client.request(3)).stream();
    first.say("retry: 0\nid: e1\ndata:\n\n");
    first.end();
    const second = await desk.client.request(4);
    expect([second.method, second.header("last-event-id")]).toEqual(["GET", "e1"]);
    const stream = second.stream();
    stream.say('id: e2\ndata: {"jsonrpc":"2.0","method":"notifications/message"}\n\n');
    stream.breakOff();
    const third = await desk.client.request(5);
    expect(third.header("last-event-id")).toBe("e2");
    third.stream().say(`data: ${answerTo(1)}\n\n`);
    expect([await desk.line(), await desk.line()]).toEqual([
      '{"jsonrpc":"2.0","method":"notifications/message"}',
      answerTo(1),
    ]);
  });

  test.each(["end", "breakOff"] as const)(
    "without an id of an event that comes to its end (%s) is one error",
    async (how) => {
      const desk = new RemoteDesk();
      await desk.shakeHands();
      desk.host(call(1));
      const stream = (await desk.client.request(3)).stream();
      stream.say('data: {"jsonrpc":"2.0","method":"notifications/message"}\n\n');
      stream[how]();
      await desk.line();
      expect(JSON.parse((await desk.line()) ?? "")).toMatchObject({ id: 1, error: { code: -32000 } });
      expect(desk.client.requests).toHaveLength(4);
    },
  );

  test("that cannot be gone on with is one error, and nothing is sent again", async () => {
    const desk = new RemoteDesk();
    await desk.shakeHands();
    desk.host(call(1));
    const stream = (await desk.client.request(3)).stream();
    stream.say("retry: 0\nid: e1\ndata:\n\n");
    stream.end();
    (await desk.client.request(4)).answer(405, {});
    expect(JSON.parse((await desk.line()) ?? "")).toMatchObject({ id: 1, error: { code: -32000 } });
    expect(desk.client.requests).toHaveLength(5);
  });

  test("of a call that the host has cancelled is not gone on with", async () => {
    const desk = new RemoteDesk();
    await desk.shakeHands();
    desk.host(call(1));
    const stream = (await desk.client.request(3)).stream();
    stream.say("retry: 0\nid: e1\ndata:\n\n");
    desk.host({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } });
    const cancel = await desk.client.request(4);
    expect(cancel.text).toContain("notifications/cancelled");
    cancel.answer(202, {});
    stream.end();
    desk.host(call(2));
    expect((await desk.client.request(5)).text).toContain('"id":2');
  });
});

describe("a handshake", () => {
  test("that is refused is tried over HTTP with SSE, where the server names an address", async () => {
    const desk = new RemoteDesk();
    desk.host(INITIALIZE, { jsonrpc: "2.0", method: "notifications/initialized" });
    (await desk.client.request(0)).answer(405, {});
    const channel = (await desk.client.request(1)).stream();
    channel.say("event: endpoint\ndata: /messages?session=1\n\n");
    const post = await desk.client.request(2);
    expect([post.url.href, JSON.parse(post.text)]).toEqual(["http://far.test/messages?session=1", INITIALIZE]);
    post.answer(202, {});
    const answer = { jsonrpc: "2.0", id: 0, result: { protocolVersion: "2024-11-05" } };
    channel.say(`event: message\ndata: ${JSON.stringify(answer)}\n\n`);
    expect(await desk.line()).toBe(JSON.stringify(answer));
    expect((await desk.client.request(3)).text).toContain("notifications/initialized");
  });

  test("whose refusal stands when there is no such stream, with the protocol's own error", async () => {
    const desk = new RemoteDesk();
    desk.host(INITIALIZE);
    const error = { code: -32602, message: "no" };
    (await desk.client.request(0)).answer(400, {}, JSON.stringify({ jsonrpc: "2.0", id: null, error }));
    (await desk.client.request(1)).answer(405, {});
    expect(JSON.parse((await desk.line()) ?? "")).toEqual({ jsonrpc: "2.0", id: 0, error });
  });

  test("that a stateless server refuses is not tried another way", async () => {
    const desk = new RemoteDesk();
    desk.host(INITIALIZE);
    const body = JSON.stringify({ jsonrpc: "2.0", id: 0, error: { code: -32022, message: "unsupported" } });
    (await desk.client.request(0)).answer(400, {}, body);
    expect(await desk.line()).toBe(body);
    expect(desk.client.requests).toHaveLength(1);
  });

  test("is refused an address of another origin", async () => {
    const desk = new RemoteDesk({ transport: "sse" });
    desk.host(INITIALIZE);
    const asked = await desk.client.request(0);
    expect(asked.method).toBe("GET");
    asked.stream().say("event: endpoint\ndata: http://elsewhere.test/messages\n\n");
    expect(JSON.parse((await desk.line()) ?? "")).toMatchObject({ id: 0, error: { code: -32000 } });
    expect(desk.client.requests).toHaveLength(1);
  });
});

describe("DEG-19 the one stream of HTTP with SSE", () => {
  test("ends with one error for each request, and the next message begins anew", async () => {
    const desk = new RemoteDesk({ transport: "sse" });
    desk.host(INITIALIZE);
    const channel = (await desk.client.request(0)).stream();
    channel.say("event: endpoint\ndata: /m1\n\n");
    (await desk.client.request(1)).answer(202, {});
    channel.say(`data: ${JSON.stringify({ jsonrpc: "2.0", id: 0, result: { protocolVersion: "2024-11-05" } })}\n\n`);
    await desk.line();
    desk.host({ jsonrpc: "2.0", method: "notifications/initialized" });
    (await desk.client.request(2)).answer(202, {});
    desk.host(call(1));
    (await desk.client.request(3)).answer(202, {});
    channel.breakOff();
    expect(JSON.parse((await desk.line()) ?? "")).toMatchObject({ id: 1, error: { code: -32000 } });
    desk.host(call(2));
    const next = (await desk.client.request(4)).stream();
    next.say("event: endpoint\ndata: /m2\n\n");
    const again = await desk.client.request(5);
    expect([again.url.pathname, JSON.parse(again.text).id]).toEqual(["/m2", "bir:initialize"]);
    again.answer(202, {});
    next.say(`data: ${JSON.stringify(agreed)}\n\n`);
    (await desk.client.request(6)).answer(202, {});
    const sent = await desk.client.request(7);
    expect(JSON.parse(sent.text).id).toBe(2);
    sent.answer(202, {});
    next.say(`data: ${answerTo(2)}\n\n`);
    expect(await desk.line()).toBe(answerTo(2));
  });
});

describe("the host's messages", () => {
  test("that a server may need for the handshake are not held up by it", async () => {
    const desk = new RemoteDesk();
    desk.host(INITIALIZE);
    const stream = (await desk.client.request(0)).stream({ "mcp-session-id": "s1" });
    stream.say('data: {"jsonrpc":"2.0","id":"p1","method":"ping"}\n\n');
    await desk.line();
    desk.host(call(1), { jsonrpc: "2.0", id: "p1", result: {} });
    expect((await desk.client.request(1)).text).toContain('"p1"');
    expect(desk.client.requests).toHaveLength(2);
    stream.say('data: {"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-11-25"}}\n\n');
    expect((await desk.client.request(2)).text).toContain("tools/call");
  });

  test("that were cancelled before they could be sent are never sent", async () => {
    const desk = new RemoteDesk();
    desk.host(
      INITIALIZE,
      call(1),
      { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } },
      call(2),
    );
    (await desk.client.request(0)).json({ jsonrpc: "2.0", id: 0, result: { protocolVersion: "2025-11-25" } });
    expect(JSON.parse((await desk.client.request(1)).text).id).toBe(2);
  });

  test("wait for no notification that the server is slow to accept, and notifications keep their order", async () => {
    const desk = new RemoteDesk();
    await desk.shakeHands();
    const changed = { jsonrpc: "2.0", method: "notifications/roots/list_changed" };
    const progress = { jsonrpc: "2.0", method: "notifications/progress", params: {} };
    desk.host(changed, progress, call(1), { jsonrpc: "2.0", id: "q", result: {} });
    const first = await desk.client.request(3);
    const others = [await desk.client.request(4), await desk.client.request(5)];
    expect([first, ...others].map(({ text }) => JSON.parse(text))).toEqual(
      expect.arrayContaining([changed, call(1), { jsonrpc: "2.0", id: "q", result: {} }]),
    );
    const slow = [first, ...others].find(({ text }) => text.includes("list_changed"));
    slow?.answer(202, {});
    expect(JSON.parse((await desk.client.request(6)).text)).toEqual(progress);
  });
});

describe("answers", () => {
  test("in an array to one request are a line each; to an array, one line", async () => {
    const desk = new RemoteDesk();
    await desk.shakeHands();
    desk.host(call(1));
    const note = '{"jsonrpc":"2.0","method":"notifications/message"}';
    (await desk.client.request(3)).json(`[${note}, ${answerTo(1)}]`);
    expect([await desk.line(), await desk.line()]).toEqual([note, answerTo(1)]);
    desk.host(`[${JSON.stringify(call(2))},${JSON.stringify(call(3))}]`);
    (await desk.client.request(4)).json(`[${answerTo(2)},${answerTo(3)}]`);
    expect(await desk.line()).toBe(`[${answerTo(2)},${answerTo(3)}]`);
  });

  test("may begin with a byte order mark", async () => {
    const desk = new RemoteDesk();
    await desk.shakeHands();
    desk.host(call(1));
    (await desk.client.request(3)).json(`\uFEFF${answerTo(1)}`);
    expect(await desk.line()).toBe(answerTo(1));
  });

  test("to what was cancelled do not answer what has its id now", async () => {
    const desk = new RemoteDesk();
    await desk.shakeHands();
    desk.host(call(1, "old"));
    const old = (await desk.client.request(3)).stream();
    desk.host({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } });
    (await desk.client.request(4)).answer(202, {});
    desk.host(call(1, "new"));
    const fresh = await desk.client.request(5);
    old.say(`data: {"jsonrpc":"2.0","id":1,"result":{"of":"the old"}}\n\n`);
    old.end();
    fresh.json(answerTo(1));
    expect(await desk.line()).toBe(answerTo(1));
  });

  test("that give the session another id are followed", async () => {
    const desk = new RemoteDesk();
    await desk.shakeHands();
    desk.host(call(1));
    (await desk.client.request(3)).json(answerTo(1), { "mcp-session-id": "s9" });
    await desk.line();
    desk.host(call(2));
    expect((await desk.client.request(4)).header("mcp-session-id")).toBe("s9");
  });
});
