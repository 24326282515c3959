/** What of a call's payloads is kept: messages over the capture bound, media, error texts. */

import { describe, expect, test } from "vitest";
import type { TruncatedPayload } from "../../src/core/run.ts";
import { truncatedPayloadSchema } from "../../src/core/schema/run.ts";
import { HEAD_BYTES, TAIL_BYTES } from "../../src/jsonrpc/line-capture.ts";
import { elideMedia, elideMediaRuns } from "../../src/record/media.ts";
import { answer, call, failure, notification, RecordedWire, request, resultOf, textOf } from "./wire-fixture.ts";

/** Prose of about this many characters, the count at both ends. */
const prose = (chars: number) => `start ${"lorem ipsum ".repeat(chars / 12)}finish`;
const LONG = prose(300_000);

function truncated(value: unknown): TruncatedPayload {
  return truncatedPayloadSchema.parse(value);
}

describe("a message over the bound", () => {
  const claudeCall = {
    name: "write",
    arguments: { text: LONG },
    _meta: { "claudecode/toolUseId": "toolu_1", progressToken: 4 },
  };

  test("keeps the ends of the arguments, and everything around them", () => {
    const message = { method: "tools/call", params: claudeCall, jsonrpc: "2.0", id: 4 };
    const wire = new RecordedWire().host(message);
    wire
      .server(notification("notifications/progress", { progressToken: 4, progress: 1 }))
      .server(answer(4))
      .end();
    expect(wire.step).toMatchObject({
      tool: "write",
      callId: "toolu_1",
      hostMeta: { "claudecode/toolUseId": "toolu_1" },
      progress: 1,
      status: "ok",
      truncated: true,
    });
    const args = truncated(wire.step.args);
    expect(args.originalBytes).toBe(JSON.stringify(message).length);
    expect(args.head.startsWith('{"text":"start lorem ipsum')).toBe(true);
    expect(args.head.length).toBeLessThan(HEAD_BYTES);
    expect(args.tail).toContain("finish");
    expect(args.tail.length).toBeLessThanOrEqual(TAIL_BYTES);
  });

  test("is a call of Claude Code's model where its _meta is in the part that was not captured", () => {
    const wire = new RecordedWire().host(
      request(0, "initialize", { clientInfo: { name: "claude-code", version: "2.1.332" } }),
    );
    wire.host({ method: "tools/call", params: { name: "write", arguments: { text: LONG }, x: prose(9_000) }, id: 4 });
    expect(wire.step.status).toBe("running");
  });

  test("is named by its own name, not by one in its arguments", () => {
    const args = { text: LONG, user: { name: "Ada" }, name: "Grace" };
    const wire = new RecordedWire();
    wire.host({ id: 1, params: { arguments: args, name: "save", task: { name: "no" } }, method: "tools/call" });
    expect(wire.step.tool).toBe("save");
  });

  test("goes on with a paused call by a state in its last part", () => {
    const wire = new RecordedWire()
      .host(call(1))
      .server(resultOf(1, { resultType: "input_required", requestState: "s" }));
    wire.host(call(2, "echo", { inputResponses: { a: { content: LONG } }, requestState: "s" })).server(answer(2));
    expect(wire.step).toMatchObject({ legs: 2, status: "ok" });
  });

  test("pauses a call by a state and a kind in its last part", () => {
    const wire = new RecordedWire().host(call(1));
    wire.server(
      resultOf(1, { inputRequests: { a: { message: LONG } }, resultType: "input_required", requestState: "s" }),
    );
    wire.host(call(2, "echo", { requestState: "s" })).server(answer(2));
    expect(wire.step).toMatchObject({ legs: 2, status: "ok", truncated: false });
  });

  test("has arguments that came whole, where something else was too long", () => {
    const wire = new RecordedWire().host(call(1, "echo", { _meta: { note: LONG } })).server(answer(1));
    expect(wire.step).toMatchObject({ args: { text: "of 1" }, truncated: false, status: "ok" });
    const before = new RecordedWire();
    before.host({ id: 1, method: "tools/call", params: { _meta: { note: LONG }, name: "n", arguments: { a: 1 } } });
    expect(before.step).toMatchObject({ tool: "n", args: { a: 1 } });
  });

  test("has arguments that were not captured at all", () => {
    const params = { _meta: { note: LONG }, arguments: { text: prose(9_000) }, name: "n" };
    const wire = new RecordedWire().host({ id: 1, method: "tools/call", params });
    expect(wire.step).toMatchObject({ tool: "n", truncated: true, args: { truncated: true } });
  });

  test.each([
    ["first", (result: object) => ({ jsonrpc: "2.0", id: 1, result })],
    ["last", (result: object) => ({ result, jsonrpc: "2.0", id: 1 })],
  ])("is joined by its id, written %s", (_where, message) => {
    const wire = new RecordedWire().host(call(1)).server(message({ content: [{ type: "text", text: LONG }] }));
    expect(wire.step).toMatchObject({ status: "ok", truncated: true, isError: false });
    expect(truncated(wire.step.result).head).toContain("start lorem");
  });

  test("is joined by an id that follows an object", () => {
    const wire = new RecordedWire().host(call(1));
    wire.server(`{"result":${JSON.stringify({ content: LONG })},"_meta":{"a":[1,{"id":9}]},"id":1}`);
    expect(wire.step.status).toBe("ok");
  });

  test("is not joined by an id within its result", () => {
    const wire = new RecordedWire().host(call(1), call(9));
    wire.server(`{"id":1,"result":{"content":[],"structuredContent":{"text":${JSON.stringify(LONG)},"id":9}}}`);
    expect(wire.steps.map((step) => step.status)).toEqual(["ok", "running"]);
  });

  test("has failed by an isError of its own, wherever that is", () => {
    const content = [{ type: "text", text: LONG }];
    const failedAfter = { content, _meta: { pad: prose(2_000) }, isError: true };
    const failedBefore = { isError: true, content };
    const fine = [
      { content, structuredContent: { isError: true } },
      { content: [{ type: "text", text: `${LONG} "isError":true}` }] },
      { content, structuredContent: { list: [{ isError: true }] }, isError: false },
    ];
    for (const result of [failedAfter, failedBefore]) {
      expect(
        new RecordedWire().host(call(1)).server(resultOf(1, result)).step.isError,
        JSON.stringify(result).slice(-90),
      ).toBe(true);
    }
    for (const result of fine) {
      expect(
        new RecordedWire().host(call(1)).server(resultOf(1, result)).step.isError,
        JSON.stringify(result).slice(-90),
      ).toBe(false);
    }
  });

  test("keeps the words of an error whose details are too long", () => {
    const wire = new RecordedWire().host(call(1)).server(failure(1, { code: -32000, message: "no", data: LONG }));
    expect(wire.step).toMatchObject({ status: "error", error: "no", truncated: true, rpcError: { truncated: true } });
    const words = new RecordedWire().host(call(1));
    words.server(
      resultOf(1, {
        isError: true,
        content: [
          { type: "text", text: "first words" },
          { type: "text", text: LONG },
        ],
      }),
    );
    expect(words.step.error).toBe("first words");
  });

  test("holds no long run of base64", () => {
    const data = Buffer.alloc(200_000, "0123456789").toString("base64");
    const wire = new RecordedWire()
      .host(call(1))
      .server(resultOf(1, { content: [{ type: "image", data, mimeType: "image/png" }] }));
    expect(truncated(wire.step.result).head).toMatch(
      /^\{"content":\[\{"type":"image","data":"\[MEDIA:\d+ characters or more\]/,
    );
  });
});

describe("an error's words", () => {
  test("are cut to what a list can show", () => {
    const wire = new RecordedWire().host(call(1)).server(answer(1, "word ".repeat(2_000), { isError: true }));
    expect(wire.step.error).toHaveLength(2_000);
    expect(textOf(wire.step)).toHaveLength(10_000);
  });
});

describe("media", () => {
  const bytes = Buffer.from("not really pixels");
  const data = bytes.toString("base64");
  const described = { sizeBytes: bytes.length, sha256: new Bun.CryptoHasher("sha256").update(bytes).digest("hex") };
  const elided = (result: unknown) =>
    JSON.parse(elideMedia(typeof result === "string" ? result : JSON.stringify(result)));

  test.each(["image", "audio"])("an %s block becomes type, size and hash", (type) => {
    const block = { type, data, mimeType: "x/y", annotations: { priority: 1 } };
    const { data: _data, ...rest } = block;
    expect(elided({ content: [{ type: "text", text: "a" }, block], isError: false })).toEqual({
      content: [
        { type: "text", text: "a" },
        { ...rest, ...described },
      ],
      isError: false,
    });
  });

  test("a binary resource as well; a text one stays", () => {
    const resource = { uri: "file:///a", mimeType: "application/pdf", blob: data };
    const { blob: _blob, ...rest } = resource;
    expect(elided({ content: [{ resource, type: "resource" }] })).toEqual({
      content: [{ resource: { ...rest, ...described }, type: "resource" }],
    });
    const text = { content: [{ type: "resource", resource: { uri: "u", text: '"blob":"x"' } }] };
    expect(elided(text)).toEqual(text);
  });

  test("keys in other spellings, escaped slashes, broken lines and several blocks", () => {
    const result = `{"content":[{"\\u0064ata":"x","x":"\\"data\\":","data" : "${data}","type":"image"},{"type":"audio","data":"bm90\\n\\/w=="}]}`;
    const [first, second] = elided(result).content;
    expect(first).toMatchObject(described);
    expect(first).toMatchObject({ x: '"data":', type: "image" });
    expect(second).toMatchObject({ type: "audio", sizeBytes: Buffer.from("bm90\n/w==", "base64").length });
  });

  test("what is none stays, text for text", () => {
    for (const result of [
      '{"content":[{"type":"text","data":"aGVsbG8="}]}',
      '{"content":[{"type":"image","data":7},{"type":"image"}],"data":"x"}',
      '{"structuredContent":{"content":[{"type":"image","data":"aGVsbG8="}]}}',
      '{"content":{"type":"image","data":"aGVsbG8="}}',
      '{"content":[null,1,"data",["data"]]}',
      "[]",
      "null",
      '{"content":[{"type":"image","data":"aGVs',
    ]) {
      expect(elideMedia(result)).toBe(result);
    }
  });

  test("in a fragment: runs of base64, escaped or broken into lines, and nothing else", () => {
    const run = "QUJD".repeat(100);
    expect(elideMediaRuns(`{"data":"${run}`)).toBe('{"data":"[MEDIA:400 characters or more]');
    expect(elideMediaRuns(`"blob" : "${"QUJ\\/".repeat(100)}" rest`)).toBe(
      '"blob" : "[MEDIA:500 characters or more]" rest',
    );
    expect(elideMediaRuns(`"data":"${"QUJD\\n".repeat(70)}"`)).toBe('"data":"[MEDIA:420 characters or more]"');
    for (const text of ['"data":"short"', `"text":"${run}"`, `"data":"${"a b ".repeat(200)}"`]) {
      expect(elideMediaRuns(text)).toBe(text);
    }
  });
});
