import { describe, expect, test } from "vitest";
import { call, MODERN_META, RemoteDesk } from "./remote-fake-client.ts";

const answerTo = (id: number | string): object => ({ jsonrpc: "2.0", id, result: { ok: true } });

describe("order", () => {
  test("what follows the handshake waits for its answer, and carries what was agreed on", async () => {
    const desk = new RemoteDesk();
    desk.host(
      { jsonrpc: "2.0", id: 0, method: "initialize", params: {} },
      { jsonrpc: "2.0", method: "notifications/initialized" },
      call(1),
    );
    const first = await desk.client.request(0);
    expect(first.header("mcp-session-id")).toBeUndefined();
    await Promise.resolve();
    expect(desk.client.requests).toHaveLength(1);
    first.json({ jsonrpc: "2.0", id: 0, result: { protocolVersion: "2025-06-18" } }, { "mcp-session-id": "abc" });
    const second = await desk.client.request(1);
    expect(second.text).toContain("notifications/initialized");
    expect([second.header("mcp-session-id"), second.header("mcp-protocol-version")]).toEqual(["abc", "2025-06-18"]);
    expect(desk.client.requests).toHaveLength(2);
    second.answer(202, {});
    const rest = [await desk.client.request(2), await desk.client.request(3)];
    expect(rest.map(({ method }) => method).toSorted()).toEqual(["GET", "POST"]);
  });

  test("requests do not wait for each other, and are answered as the answers come", async () => {
    const desk = new RemoteDesk();
    await desk.shakeHands();
    desk.host(call(1), call(2), call("1"));
    const [one, two, text] = [await desk.client.request(3), await desk.client.request(4), await desk.client.request(5)];
    text.json(answerTo("1"));
    expect(await desk.line()).toBe(JSON.stringify(answerTo("1")));
    two.json(answerTo(2));
    expect(await desk.line()).toBe(JSON.stringify(answerTo(2)));
    one.json(answerTo(1));
    expect(await desk.line()).toBe(JSON.stringify(answerTo(1)));
  });
});

describe("the end", () => {
  test("what was asked is answered after the host has closed its end, then the session is ended", async () => {
    const desk = new RemoteDesk();
    await desk.shakeHands();
    desk.host(call(1));
    desk.upstream.end();
    (await desk.client.request(3)).json(answerTo(1));
    const farewell = await desk.client.request(4);
    expect([farewell.method, farewell.header("mcp-session-id")]).toEqual(["DELETE", "s1"]);
    farewell.answer(200, {});
    expect(await desk.rest()).toEqual([JSON.stringify(answerTo(1))]);
    expect(await desk.upstream.gone).toBe(0);
    expect(desk.client.isClosed).toBe(true);
  });

  test("what asks for nothing arrives before the session is ended", async () => {
    const desk = new RemoteDesk();
    await desk.shakeHands();
    desk.host({ jsonrpc: "2.0", id: "s", result: {} });
    desk.upstream.end();
    const answer = await desk.client.request(3);
    expect([answer.method, answer.signal.aborted]).toEqual(["POST", false]);
    answer.answer(202, {});
    expect((await desk.client.request(4)).method).toBe("DELETE");
  });

  test("a request that stands for as long as the host lives does not hold it up", async () => {
    const desk = new RemoteDesk();
    desk.host({ jsonrpc: "2.0", id: 7, method: "subscriptions/listen", params: { _meta: MODERN_META } });
    const listen = await desk.client.request(0);
    listen.stream();
    desk.upstream.end();
    expect(await desk.upstream.gone).toBe(0);
    expect(listen.signal.aborted).toBe(true);
    expect(await desk.rest()).toEqual([]);
  });

  test("a signal ends what is under way, without a word to the host", async () => {
    const desk = new RemoteDesk();
    await desk.shakeHands();
    desk.host(call(1));
    const asked = await desk.client.request(3);
    desk.upstream.signal("SIGTERM");
    expect(asked.signal.aborted).toBe(true);
    (await desk.client.request(4)).answer(200, {});
    expect(await desk.upstream.gone).toBe(143);
    expect(await desk.rest()).toEqual([]);
  });
});

describe("DEG-06 a message over the bound", () => {
  test("of the host is answered in its place and goes nowhere", async () => {
    const desk = new RemoteDesk({ mostBytes: 1_000 });
    await desk.shakeHands();
    desk.host(
      call("big", "echo", { text: "x".repeat(2_000) }),
      { jsonrpc: "2.0", id: 2, method: "prompts/get", params: { name: "y".repeat(2_000) } },
      { jsonrpc: "2.0", method: "notifications/progress", params: { message: "z".repeat(2_000) } },
    );
    const failed = JSON.parse((await desk.line()) ?? "");
    expect(failed).toMatchObject({ id: "big", result: { isError: true } });
    const error = JSON.parse((await desk.line()) ?? "");
    expect(error).toMatchObject({ id: 2, error: { code: -32000 } });
    desk.host(call(3));
    expect((await desk.client.request(3)).text).toContain('"id":3');
  });

  test("of the server is refused where it asks, and fails what it answers", async () => {
    const desk = new RemoteDesk({ mostBytes: 1_000 });
    await desk.shakeHands();
    desk.host(call(1));
    const stream = (await desk.client.request(3)).stream();
    const big = "x".repeat(2_000);
    stream.say(
      `data: ${JSON.stringify({ jsonrpc: "2.0", id: 9, method: "sampling/createMessage", params: { big } })}\n\n`,
    );
    const refusal = await desk.client.request(4);
    expect(JSON.parse(refusal.text)).toMatchObject({ id: 9, error: { code: -32600 } });
    refusal.answer(202, {});
    stream.say(`data: ${JSON.stringify({ jsonrpc: "2.0", method: "notifications/message", params: { big } })}\n\n`);
    stream.say(`data: ${JSON.stringify({ jsonrpc: "2.0", id: 1, result: { big } })}\n\n`);
    expect(JSON.parse((await desk.line()) ?? "")).toMatchObject({ id: 1, result: { isError: true } });
    stream.end();
    desk.host(call(2));
    (await desk.client.request(5)).json({ jsonrpc: "2.0", id: 2, result: { big } });
    expect(JSON.parse((await desk.line()) ?? "")).toMatchObject({ id: 2, result: { isError: true } });
  });
});

describe("pressure", () => {
  const big = { text: "x".repeat(17 * 1024 * 1024) };

  test("a host that says more than can leave has to wait; one long message alone holds up nothing", async () => {
    const desk = new RemoteDesk({ mostBytes: 18 * 1024 * 1024 });
    desk.host({ jsonrpc: "2.0", id: 0, method: "initialize", params: {} });
    expect(desk.host(call(1, "echo", big))).toBeNull();
    const waiting = desk.host(call(2, "echo", big));
    expect(waiting).toBeInstanceOf(Promise);
    (await desk.client.request(0)).json({ jsonrpc: "2.0", id: 0, result: { protocolVersion: "2025-11-25" } });
    await waiting;
    expect((await desk.client.request(1)).text).toContain('"id":1');
  });

  test("what is answered before it has left does not go on holding it up", async () => {
    const desk = new RemoteDesk({ mostBytes: 18 * 1024 * 1024 });
    await desk.shakeHands();
    desk.client.isSlow = true;
    desk.host(call(1, "echo", big));
    const waiting = desk.host(call(2, "echo", big));
    expect(waiting).toBeInstanceOf(Promise);
    (await desk.client.request(3)).answer(413, {});
    await waiting;
    expect(JSON.parse((await desk.line()) ?? "")).toMatchObject({ id: 1, error: { code: -32000 } });
  });
});

describe("DEG-08 what is no JSON", () => {
  test("goes nowhere and is answered; JSON that is no message is the server's to refuse", async () => {
    const desk = new RemoteDesk();
    await desk.shakeHands();
    desk.host('{"jsonrpc":"2.0","id":1,', "", "   ", '{"hello":1}');
    expect(JSON.parse((await desk.line()) ?? "")).toMatchObject({ id: null, error: { code: -32700 } });
    expect((await desk.client.request(3)).text).toBe('{"hello":1}');
  });
});
