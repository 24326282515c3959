import { describe, expect, it } from "vitest";
import { readCutHostLine, readHostLine } from "../../src/upstream/remote/message-meta.ts";

const META = '"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","x":[1]}';

function one(line: string): ReturnType<typeof readHostLine>["messages"][number] | undefined {
  const { isBatch, messages } = readHostLine(line);
  expect(isBatch).toBe(false);
  expect(messages.length).toBeLessThan(2);
  return messages[0];
}

describe("a host's message", () => {
  it("is legacy without a version of its own", () => {
    expect(
      one('{"jsonrpc":"2.0","id":"1","method":"tools/call","params":{"name":"echo","arguments":{"a":1}}}'),
    ).toEqual({
      kind: "request",
      rawId: '"1"',
      method: "tools/call",
      protocolVersion: null,
      name: "echo",
      arguments: { start: 84, end: 91 },
      hasCursor: false,
      cancelledRawId: null,
    });
  });

  it("is modern by the version that it claims, which is told as written", () => {
    expect(one(`{"id":1,"method":"server/discover","params":{${META}}}`)?.protocolVersion).toBe("2026-07-28");
    expect(
      one(`{"id":1,"method":"ping","params":{${META.replace("2026-07-28", "2099-\\u0030")}}}`)?.protocolVersion,
    ).toBe("2099-0");
    for (const no of [
      '"_meta":{}',
      '"_meta":null',
      '"_meta":[1]',
      META.replace('"2026-07-28"', "20260728"),
      '"meta":{"_meta":1}',
    ]) {
      expect(one(`{"id":1,"method":"m","params":{${no}}}`)?.protocolVersion).toBeNull();
    }
    // Not the key of somebody's arguments.
    expect(one(`{"id":1,"method":"tools/call","params":{"arguments":{${META}}}}`)?.protocolVersion).toBeNull();
  });

  it("names what its method names, and nothing by another key", () => {
    const params = '"params":{"name":"n\\"\\u00e9","uri":"file:///u","taskId":"t-1"}';
    const name = (method: string): string | null | undefined => one(`{"id":1,"method":"${method}",${params}}`)?.name;
    expect(name("tools/call")).toBe('n"é');
    expect(name("prompts/get")).toBe('n"é');
    expect(name("resources/read")).toBe("file:///u");
    expect(name("tasks/get")).toBe("t-1");
    expect(name("tasks/update")).toBe("t-1");
    expect(name("tasks/cancel")).toBe("t-1");
    for (const other of ["tools/list", "resources/subscribe", "constructor", "completion/complete"])
      expect(name(other)).toBeNull();
    expect(one('{"id":1,"method":"tools/call","params":{"name":7}}')?.name).toBeNull();
  });

  it("reads keys in any order and of two the last, as a parser does", () => {
    const line =
      '{ "params" : { "arguments" : { } , "name" : "a" , "name" : "b" } , "method" : "tools/call" , "id" : 1.0 }';
    const message = one(line);
    expect(message).toMatchObject({ rawId: "1.0", name: "b" });
    expect(line.slice(message?.arguments?.start, message?.arguments?.end)).toBe("{ }");
    expect(one('{"id":1,"method":"tools/call","params":{"name":"a","name":null}}')?.name).toBeNull();
  });

  it("tells which request is cancelled, by the id as written", () => {
    const cancelled = (id: string): string | null | undefined =>
      one(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":${id},"reason":"x"}}`)
        ?.cancelledRawId;
    expect(cancelled("7")).toBe("7");
    expect(cancelled('"7"')).toBe('"7"');
    expect(one('{"method":"notifications/progress","params":{"requestId":7}}')?.cancelledRawId).toBeNull();
    expect(one('{"method":"notifications/cancelled"}')).toMatchObject({ kind: "notification", cancelledRawId: null });
  });

  it("tells a request for a further page from one for the start", () => {
    expect(one('{"id":1,"method":"tools/list","params":{"cursor":"p2"}}')?.hasCursor).toBe(true);
    expect(one('{"id":1,"method":"tools/list","params":{"cursor":""}}')?.hasCursor).toBe(true);
    expect(one('{"id":1,"method":"tools/list","params":{"cursor":null}}')?.hasCursor).toBe(false);
    expect(one('{"id":1,"method":"tools/list"}')?.hasCursor).toBe(false);
  });

  it("tells responses and what is no message", () => {
    expect(one('{"jsonrpc":"2.0","id":0,"result":{}}')).toMatchObject({ kind: "response", rawId: "0", method: null });
    for (const none of ["", "  ", "x", "7", '"a"', "{", '{"id":1}', '{"method":"m"']) {
      expect(readHostLine(none)).toEqual({ isBatch: false, messages: [] });
    }
    expect(one('{"id":1,"method":"tools/call","params":[1]}')).toMatchObject({ kind: "request", name: null });
  });

  it("lists the messages of a batch, with places in the whole line", () => {
    const line = ` [{"id":1,"method":"tools/call","params":{"name":"a","arguments":[1]}}, {"method":"m"},{"id":2,"result":1}]`;
    const { isBatch, messages } = readHostLine(line);
    expect(isBatch).toBe(true);
    expect(messages.map((message) => message.kind)).toEqual(["request", "notification", "response"]);
    expect(line.slice(messages[0]?.arguments?.start, messages[0]?.arguments?.end)).toBe("[1]");
    expect(readHostLine("[]")).toEqual({ isBatch: true, messages: [] });
    expect(readHostLine('[{"id":1,"method":"m"}]')).toMatchObject({ isBatch: true, messages: [{ rawId: "1" }] });
  });

  it("is read from the start and the end of a line that was not kept", () => {
    const huge = `"arguments":{"text":"${'x, \\"y\\": {'.repeat(100)}`;
    const head = `{"jsonrpc":"2.0","method":"tools/call","params":{"name":"put",${huge}`;
    const tail = `${"x".repeat(50)}","list":[1,{"name":"inner"}]},${META}},"id":41}`;
    expect(readCutHostLine(head, tail)).toMatchObject({
      kind: "request",
      rawId: "41",
      method: "tools/call",
      name: "put",
      protocolVersion: "2026-07-28",
      arguments: { end: -1 },
    });
    expect(readCutHostLine('{"id":1,"method":"m","params":{"a":"xx', 'xx"}}')).toMatchObject({
      rawId: "1",
      protocolVersion: null,
    });
    expect(readCutHostLine('["', 'x"]')).toBeNull();
  });
});
