import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { stringifyExact } from "../../src/core/exact-json.ts";
import { truncatedPayload } from "../../src/record/truncate.ts";
import { redactJson } from "../../src/redact/redact.ts";
import { SECRETS } from "../corpus/secrets.ts";
import { ReceivingDesk } from "./recordings-fixture.ts";

/** What is kept of what was sent: without secrets, within bounds, and otherwise as it was written. */

let desk: ReceivingDesk;
beforeEach(async () => {
  desk = new ReceivingDesk();
  await desk.create({ id: "r" });
});
afterEach(async () => {
  await desk.dispose();
  expect(desk.faults).toEqual([]);
});

const KEY = `sk-ant-api03-${"aB3xZ9".repeat(15)}-AA`;
const MARKER = "[REDACTED:anthropic-key]";
const place = { stepId: "step_1", seq: 0, at: 1, qualifiedName: "q" };

function payload(type: "step.opened" | "step.closed"): unknown {
  return desk.value("SELECT payload FROM events WHERE type = ? ORDER BY position DESC", type);
}

function everythingKept(): string {
  const all = "SELECT group_concat(body || coalesce(payload, ''), char(10)) FROM events";
  const runs =
    "SELECT group_concat(concat_ws(' ', id, session_id, host_app, cwd, input, final_answer, gaps, wrapped_servers)) FROM runs";
  const rest = "SELECT group_concat(concat_ws(' ', run_id, id, step_id)) FROM received";
  const steps = "SELECT group_concat(concat_ws(' ', id, server, tool, qualified_name, call_id)) FROM steps";
  return [all, runs, rest, steps].map((sql) => String(desk.value(sql))).join("\n");
}

describe("secrets", () => {
  test("do not reach the store, wherever they stand", async () => {
    const host = { app: KEY, version: KEY };
    const rider = { kind: "text", text: KEY, at: 1, seq: 9, agentId: KEY, source: KEY };
    const run = { sessionId: KEY, host, wrappedServers: [KEY], input: KEY, finalAnswer: KEY };
    const riders = { notes: [rider], gaps: [{ reason: KEY, lost: 1, at: 1 }], run };
    const step = { server: KEY, qualifiedName: KEY, callId: KEY, agentId: KEY, hostMeta: { k: KEY } };
    const metadata = { host, recorder: KEY, sessionId: KEY, cwd: KEY, wrappedServers: [KEY], gaps: [{ reason: KEY }] };
    const call = { id: KEY, type: "tool_selected", toolName: KEY, toolInput: { k: KEY }, context: KEY };
    const answer = { id: `${KEY}2`, type: "tool_response", toolName: KEY, toolOutput: [KEY] };
    await desk.create({ id: KEY, input: KEY, metadata });
    await desk.create({ id: "s", input: { k: KEY }, bir: { startedAt: 1, ...riders } });
    for (const id of [KEY, "s"]) {
      await desk.steps(id, call);
      await desk.steps(id, answer);
      await desk.steps(id, { ...answer, id: "e", toolOutput: undefined, toolError: KEY });
      await desk.steps(id, { id: "n", type: KEY, text: KEY, more: KEY });
      await desk.steps(id, { id: "m", type: "x", more: KEY });
      const bir = { ...place, stepId: `${KEY}${id.length}`, ...step, rpcError: { k: KEY }, result: KEY };
      expect(await desk.steps(id, { ...call, id: "b", bir })).toMatchObject({ status: 201 });
      await desk.steps(id, { ...answer, id: "c", toolError: KEY, bir });
      expect((await desk.patch(id, "b", { ...call, bir: { ...step, writeId: `${KEY}3` } })).status).toBe(200);
      await desk.steps(id, { id: "f", type: "final_answer", finalOutput: KEY });
      expect((await desk.finish(id, { finalOutput: { k: KEY }, bir: { writeId: KEY, ...riders } })).status).toBe(200);
    }
    const kept = everythingKept();
    expect(kept).toContain(MARKER);
    expect(kept).not.toContain(KEY.slice(0, 40));
  });

  test("in an id do not make two things of one, or one of two", async () => {
    expect((await desk.create({ id: KEY })).status).toBe(201);
    expect((await desk.create({ id: KEY })).status).toBe(200);
    expect((await desk.create({ id: KEY.replace("aB3", "aB4") })).status).toBe(201);
  });

  test("are masked as the recorder masks them, in all contexts in which tools give them", async () => {
    const texts = SECRETS.map(({ json, text }) => (json ? text : JSON.stringify(text)));
    const rows = texts.map((json, n) => `{"id":"${n}","type":"tool_response","toolOutput":${json}}`);
    expect((await desk.steps("r", `[${rows.join(",")}]`)).status).toBe(201);
    const kept = String(desk.value("SELECT json_group_array(payload) FROM events WHERE type = 'step.closed'"));
    expect(JSON.parse(kept)).toEqual(texts.map(redactJson));
  });
});

describe("payloads", () => {
  const written = '{"n":12345678901234567890, "m":1.0 ,"z":-0,"e":1e400,"a":1,"a":2,"t":"\\u00e9\\/","__proto__":{}}';

  test("stay as they were written", async () => {
    const text = `  {"toolInput": 1, "id":"a", "type":"tool_selected","toolName":"t","toolInput":${written}}`;
    await desk.steps("r", text);
    await desk.steps("r", `[{"id":"b","type":"tool_response","toolOutput":${written}}]`);
    expect(payload("step.opened")).toBe(written);
    expect(payload("step.closed")).toBe(written);
    await desk.patch("r", "b", `{"toolOutput":[${written}]}`);
    expect(payload("step.closed")).toBe(`[${written}]`);
    expect(stringifyExact(desk.run("r").steps[0]?.args)).toContain('"n":12345678901234567890,"m":1.0,"z":-0,"e":1e400');
  });

  test("that another bir sends beside a row stay so too", async () => {
    const bir = `{"stepId":"s","seq":0,"at":1,"isError":true,"rpcError":${written},"result":${written}}`;
    await desk.steps("r", `{"id":"b","type":"tool_response","toolError":"no","bir":${bir}}`);
    const [step] = desk.run("r").steps;
    expect(payload("step.closed")).toBe(written);
    expect(stringifyExact(step?.rpcError)).toContain('"n":12345678901234567890,"m":1.0');
  });

  test("over 128 KiB are kept as their size, start and end", async () => {
    const whole = "x ".repeat(64 * 1024 - 1);
    const long = `${whole}the very end`;
    await desk.steps("r", { id: "a", type: "tool_selected", toolName: "t", toolInput: whole });
    await desk.steps("r", { id: "b", type: "tool_response", toolOutput: long });
    const [step] = desk.run("r").steps;
    expect(step?.args).toBe(whole);
    expect(step?.result).toMatchObject({ truncated: true, originalBytes: long.length + 2 });
    expect(JSON.stringify(step?.result).length).toBeLessThan(140 * 1024);
    expect(JSON.stringify(step?.result)).toContain("the very end");
  });

  test("that were cut before stay as they are", async () => {
    const cut = truncatedPayload(900_000, `{"a":"${'"\u0001'.repeat(64 * 1024)}`, "the end");
    expect(cut.length).toBeGreaterThan(256 * 1024);
    await desk.steps("r", `{"id":"b","type":"tool_response","toolOutput":${cut},"bir":{"stepId":"s","seq":0,"at":1}}`);
    expect(payload("step.closed")).toBe(cut);
  });

  test("that only say they were cut are cut", async () => {
    const claimed = { truncated: true, originalBytes: 1, head: "x ".repeat(600 * 1024), tail: "" };
    const bir = { stepId: "s", seq: 0, at: 1 };
    await desk.steps("r", { id: "b", type: "tool_response", toolOutput: claimed, bir });
    expect(String(payload("step.closed")).length).toBeLessThan(300 * 1024);
  });

  test("have no images in them, only their size", async () => {
    const data = Buffer.alloc(3000, 7).toString("base64");
    const toolOutput = { content: [{ type: "image", mimeType: "image/png", data }] };
    await desk.steps("r", { id: "b", type: "tool_response", toolOutput });
    expect(desk.run("r").steps[0]?.result).toMatchObject({ content: [{ type: "image", sizeBytes: 3000 }] });
    expect(payload("step.closed")).not.toContain(data);
  });

  test("nested deeper than anybody reads are kept all the same", async () => {
    const deep = `${"[".repeat(20_000)}${"]".repeat(20_000)}`;
    const answer = await desk.steps("r", `{"id":"b","type":"tool_response","toolOutput":${deep}}`);
    expect(answer.status).toBe(201);
    expect(payload("step.closed")).toBe(deep);
  });

  test("nested so deep may stand wherever there is one, and the run can be read", async () => {
    for (const depth of [1001, 100_000]) {
      const id = `deep ${depth}`;
      const deep = `${"[".repeat(depth)}${"]".repeat(depth)}`;
      const bir = `{"stepId":"s${depth}","seq":0,"at":1,"qualifiedName":"q","hostMeta":{"a":${deep}},"rpcError":{"data":${deep}}}`;
      const call = `"toolName":"t","toolInput":${deep},"context":${deep},"bir":${bir}`;
      expect((await desk.create(`{"id":"${id}","input":${deep},"metadata":${deep}}`)).status).toBe(201);
      expect((await desk.steps(id, `{"id":"a","type":"tool_selected",${call}}`)).status).toBe(201);
      expect((await desk.steps(id, `{"id":"b","type":"tool_response","toolError":${deep},"bir":${bir}}`)).status).toBe(
        201,
      );
      expect((await desk.steps(id, `{"id":"c","type":"other","more":${deep}}`)).status).toBe(201);
      expect((await desk.finish(id, `{"finalOutput":${deep},"metrics":${deep}}`)).status).toBe(200);
      const run = desk.run(id);
      expect(run.steps).toHaveLength(1);
      expect(run.steps[0]?.rpcError).toEqual({ unreadable: expect.stringContaining("[[[") });
      expect(stringifyExact(run).length).toBeGreaterThan(1000);
    }
  });
});

test("long texts are cut, and say so", async () => {
  const long = "a word ".repeat(100 * 1024);
  await desk.create({ id: "long", input: long });
  const { input } = desk.run("long");
  expect(input?.length).toBeLessThan(530 * 1024);
  expect(input).toMatch(/characters more\]$/);
});
