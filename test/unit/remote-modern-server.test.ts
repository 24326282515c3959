import { describe, expect, test } from "vitest";
import { call, MODERN_META, RemoteDesk } from "./remote-fake-client.ts";

const answerTo = (id: number | string): string => JSON.stringify({ jsonrpc: "2.0", id, result: { ok: true } });

function tool(name: string, header: string): object {
  return { name, inputSchema: { type: "object", properties: { city: { type: "string", "x-mcp-header": header } } } };
}

function listed(id: number | string, tools: object[], more: object = {}): string {
  return JSON.stringify({ jsonrpc: "2.0", id, result: { tools, ...more } });
}

function list(id: number, cursor?: string): object {
  const params = cursor === undefined ? { _meta: MODERN_META } : { cursor, _meta: MODERN_META };
  return { jsonrpc: "2.0", id, method: "tools/list", params };
}

describe("headers of parameters", () => {
  test("follow the last list, and a list of our own once the tools have changed", async () => {
    const desk = new RemoteDesk();
    desk.host(list(1));
    (await desk.client.request(0)).json(listed(1, [tool("weather", "City")]));
    await desk.line();
    desk.host(call(2, "weather", { city: "Bern" }, MODERN_META));
    const first = await desk.client.request(1);
    expect(first.headers).toContainEqual(["Mcp-Param-City", "Bern"]);
    const stream = first.stream();
    stream.say('data: {"jsonrpc":"2.0","method":"notifications/tools/list_changed"}\n\n');
    stream.say(`data: ${answerTo(2)}\n\n`);
    await desk.line();
    await desk.line();
    desk.host(call(3, "weather", { city: "Basel" }, { ...MODERN_META, "claudecode/toolUseId": "toolu_1" }));
    const ours = await desk.client.request(2);
    expect(JSON.parse(ours.text)).toMatchObject({ method: "tools/list", params: { _meta: MODERN_META } });
    expect(ours.text).not.toContain("toolu_1");
    ours.json(listed("bir:tools", [tool("weather", "Place")]));
    const second = await desk.client.request(3);
    expect(second.headers).toContainEqual(["Mcp-Param-Place", "Basel"]);
    second.json(answerTo(3));
    expect(await desk.line()).toBe(answerTo(3));
  });

  test("are found out when the server says that they do not match, and the call is sent once more", async () => {
    const desk = new RemoteDesk();
    desk.host(call(1, "weather", { city: "Bern" }, MODERN_META));
    const mismatch = JSON.stringify({ jsonrpc: "2.0", id: 1, error: { code: -32020, message: "header" } });
    (await desk.client.request(0)).answer(400, {}, mismatch);
    const ours = await desk.client.request(1);
    ours.json(listed("bir:tools", [tool("other", "X")], { nextCursor: "p2" }));
    const page = await desk.client.request(2);
    expect(JSON.parse(page.text).params.cursor).toBe("p2");
    page.json(listed("bir:tools", [tool("weather", "City")]));
    const again = await desk.client.request(3);
    expect(again.headers).toContainEqual(["Mcp-Param-City", "Bern"]);
    again.answer(400, {}, mismatch);
    expect(await desk.line()).toBe(mismatch);
    expect(desk.client.requests).toHaveLength(4);
  });

  test("that are as before: the refusal stands, and nothing is sent again", async () => {
    const desk = new RemoteDesk();
    desk.host(call(1, "weather", { city: "Bern" }, MODERN_META));
    const mismatch = JSON.stringify({ jsonrpc: "2.0", id: 1, error: { code: -32020, message: "header" } });
    (await desk.client.request(0)).answer(400, {}, mismatch);
    (await desk.client.request(1)).json(listed("bir:tools", []));
    expect(await desk.line()).toBe(mismatch);
    expect(desk.client.requests).toHaveLength(2);
  });
});

describe("DEG-20 a tool with invalid headers", () => {
  test("is left out of the list, byte for byte, page by page; a list of a version with a handshake is as it was", async () => {
    const desk = new RemoteDesk();
    desk.host(list(1));
    const good = JSON.stringify(tool("good", "City"));
    (await desk.client.request(0)).json(
      `{"jsonrpc":"2.0","id":1,"result":{ "tools":[ ${good} , ${JSON.stringify(tool("bad", "no spaces"))} ],"n":1.0}}`,
    );
    expect(await desk.line()).toBe(`{"jsonrpc":"2.0","id":1,"result":{ "tools":[ ${good}   ],"n":1.0}}`);
    const old = new RemoteDesk();
    await old.shakeHands();
    old.host({ jsonrpc: "2.0", id: 1, method: "tools/list" });
    const all = listed(1, [tool("bad", "no spaces")]);
    (await old.client.request(3)).json(all);
    expect(await old.line()).toBe(all);
  });
});

describe("cancellation", () => {
  test("closes the connection of just that request, and is not sent", async () => {
    const desk = new RemoteDesk();
    desk.host(call(1, "a", {}, MODERN_META), call("1", "b", {}, MODERN_META));
    const [one, other] = [await desk.client.request(0), await desk.client.request(1)];
    const stream = one.stream();
    desk.host({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1, _meta: MODERN_META } });
    expect([one.signal.aborted, other.signal.aborted]).toEqual([true, false]);
    stream.say(`data: ${answerTo(1)}\n\n`);
    other.json(answerTo("1"));
    expect(await desk.line()).toBe(answerTo("1"));
    expect(desk.client.requests).toHaveLength(2);
  });

  test("of what is answered already, or was never asked, goes nowhere", async () => {
    const desk = new RemoteDesk();
    desk.host(call(1, "a", {}, MODERN_META));
    (await desk.client.request(0)).json(answerTo(1));
    await desk.line();
    desk.host({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } });
    desk.host(call(2, "a", {}, MODERN_META));
    expect((await desk.client.request(1)).text).toContain('"id":2');
  });
});

describe("DEG-17 an answer that does not come", () => {
  test.each(["end", "breakOff"] as const)("since the stream %ss is one error, whatever ids it gave", async (how) => {
    const desk = new RemoteDesk();
    desk.host(call(1, "a", {}, MODERN_META));
    const stream = (await desk.client.request(0)).stream();
    stream.say('id: e1\ndata: {"jsonrpc":"2.0","method":"notifications/message"}\n\n');
    stream[how]();
    await desk.line();
    expect(JSON.parse((await desk.line()) ?? "")).toMatchObject({ id: 1, error: { code: -32000 } });
    expect(desk.client.requests).toHaveLength(1);
  });

  test.each([
    [401, "upstream requires sign-in (HTTP 401)"],
    [403, "upstream refused (HTTP 403)"],
    [500, "upstream answered HTTP 500"],
  ])("since the server answers %d is told without its words", async (status, message) => {
    const desk = new RemoteDesk();
    desk.host(call(1, "a", {}, MODERN_META));
    const body = JSON.stringify({ jsonrpc: "2.0", id: null, error: { code: -32001, message: "secret words" } });
    (await desk.client.request(0)).answer(status, {}, body);
    expect(JSON.parse((await desk.line()) ?? "")).toEqual({ jsonrpc: "2.0", id: 1, error: { code: -32000, message } });
  });

  test("stays away from a body that is no message", async () => {
    const desk = new RemoteDesk();
    desk.host(call(1, "a", {}, MODERN_META));
    (await desk.client.request(0)).json("<html>secret words</html>");
    const line = (await desk.line()) ?? "";
    expect(JSON.parse(line)).toMatchObject({ id: 1, error: { code: -32000 } });
    expect(line).not.toContain("secret");
  });
});
