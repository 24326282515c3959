/** Calls that take more than one request and answer: rounds of input (2026-07-28), and tasks of both shapes. */

import { describe, expect, test } from "vitest";
import {
  answer,
  call,
  cancelled,
  failure,
  notification,
  RecordedWire,
  request,
  resultOf,
  textOf,
  UNAVAILABLE,
} from "./wire-fixture.ts";

const ELICIT = { method: "elicitation/create", params: { mode: "form", message: "Sure?" } };
const ACCEPT = { action: "accept", content: { sure: true } };

const inputRequired = (id: unknown, fields: object) => resultOf(id, { resultType: "input_required", ...fields });

describe("rounds of input", () => {
  test("linked by requestState are one step with legs, whatever else goes on", () => {
    const wire = new RecordedWire().host(call(1, "book", { _meta: { progressToken: 1 } }));
    wire.wait(10).server(inputRequired(1, { inputRequests: { a: ELICIT }, requestState: "AQID/é\n" }));
    expect(wire.step).toMatchObject({ status: "running", legs: 1 });
    wire.wait(1000).host(call(2, "other")).server(answer(2));
    wire.host(
      call(3, "book", { inputResponses: { a: ACCEPT }, requestState: "AQID/é\n", _meta: { progressToken: 3 } }),
    );
    expect(wire.steps[0]).toMatchObject({ status: "running", legs: 2 });
    wire.server(notification("notifications/progress", { progressToken: 3, progress: 1 }));
    wire.wait(20).server(inputRequired(3, { inputRequests: { b: ELICIT }, requestState: "second" }));
    wire.wait(500).host(call(4, "book", { inputResponses: { b: ACCEPT }, requestState: "second" }));
    wire
      .wait(5)
      .server(answer(4, "booked", { resultType: "complete" }))
      .end();
    expect(wire.steps).toHaveLength(2);
    expect(wire.steps[0]).toMatchObject({
      tool: "book",
      status: "ok",
      legs: 3,
      waitingMs: 1500,
      durationMs: 1535,
      progress: 1,
      args: { text: "of 1" },
      join: null,
    });
    expect(textOf(wire.steps[0])).toBe("booked");
    expect(wire.run.notes).toEqual([]);
  });

  test("the state is compared as a value: a host may escape it in another way", () => {
    const wire = new RecordedWire().host(call(1)).server(inputRequired(1, { requestState: "a/é" }));
    wire.host('{"id":2,"method":"tools/call","params":{"name":"echo","requestState":"a\\/\\u00e9"},"jsonrpc":"2.0"}');
    wire.server(answer(2));
    expect(wire.step).toMatchObject({ legs: 2, status: "ok" });
  });

  test("with another state, or for another tool, is another call", () => {
    const wire = new RecordedWire().host(call(1)).server(inputRequired(1, { requestState: "s" }));
    wire.host(call(2, "echo", { requestState: "t", inputResponses: {} }), call(3, "other", { requestState: "s" }));
    wire.server(answer(2), answer(3)).end();
    expect(wire.steps.map((step) => [step.legs, step.status])).toEqual([
      [1, "lost"],
      [1, "ok"],
      [1, "ok"],
    ]);
  });

  describe("without requestState", () => {
    const paused = (...ids: number[]) => {
      const wire = new RecordedWire();
      for (const id of ids) {
        wire.host(call(id)).server(inputRequired(id, { inputRequests: { b: ELICIT, a: ELICIT } }));
      }
      return wire;
    };

    test("is linked by the exact set of keys where one call waits for it", () => {
      const wire = paused(1)
        .wait(7)
        .host(call(2, "echo", { inputResponses: { a: ACCEPT, b: ACCEPT } }));
      wire.server(answer(2));
      expect(wire.step).toMatchObject({ legs: 2, waitingMs: 7, status: "ok" });
    });

    test.each([[{ a: ACCEPT }], [{ a: ACCEPT, b: ACCEPT, c: ACCEPT }], [{}]])(
      "is not linked by %j",
      (inputResponses) => {
        const wire = paused(1)
          .host(call(2, "echo", { inputResponses }))
          .server(answer(2));
        expect(wire.steps.map((step) => step.legs)).toEqual([1, 1]);
      },
    );

    test("is not linked where two calls wait for the same", () => {
      const wire = paused(1, 2)
        .host(call(3, "echo", { inputResponses: { a: ACCEPT, b: ACCEPT } }))
        .server(answer(3));
      expect(wire.steps.map((step) => [step.legs, step.status])).toEqual([
        [1, "running"],
        [1, "running"],
        [1, "ok"],
      ]);
    });

    test("is not linked to a call whose server gave a state", () => {
      const wire = new RecordedWire().host(call(1));
      wire.server(inputRequired(1, { inputRequests: { a: ELICIT }, requestState: "s" }));
      wire.host(call(2, "echo", { inputResponses: { a: ACCEPT } })).server(answer(2));
      expect(wire.steps.map((step) => step.legs)).toEqual([1, 1]);
    });
  });

  test("two calls with the same state are not guessed at", () => {
    const wire = new RecordedWire().host(call(1), call(2));
    wire.server(inputRequired(1, { requestState: "s" }), inputRequired(2, { requestState: "s" }));
    wire.host(call(3, "echo", { requestState: "s" })).server(answer(3));
    expect(wire.steps.map((step) => step.legs)).toEqual([1, 1, 1]);
  });

  test("never resumed is lost when the session ends, its waiting counted", () => {
    const wire = new RecordedWire()
      .host(call(1))
      .wait(3)
      .server(inputRequired(1, { requestState: "s" }));
    wire.wait(40).end();
    expect(wire.step).toMatchObject({ status: "lost", waitingMs: 40, durationMs: 43 });
  });

  test("goes on before a new server when the old one died while the host was asked", () => {
    const wire = new RecordedWire().host(call(1), call(2)).server(inputRequired(1, { requestState: "s" }));
    wire.tracker.upstreamDied(wire.at, UNAVAILABLE);
    expect(wire.steps.map((step) => step.status)).toEqual(["running", "error"]);
    wire.host(call(3, "echo", { requestState: "s" })).server(answer(3, "after all"));
    expect(wire.steps[0]).toMatchObject({ status: "ok", legs: 2 });
  });

  test("can be cancelled in a later leg", () => {
    const wire = new RecordedWire().host(call(1)).server(inputRequired(1, { requestState: "s" }));
    wire
      .host(call(2, "echo", { requestState: "s" }))
      .host(cancelled(2))
      .server(answer(2, "late"))
      .end();
    expect(wire.step).toMatchObject({ status: "cancelled", legs: 2, result: null });
  });

  test("an unknown kind of result ends the call", () => {
    const wire = new RecordedWire().host(call(1)).server(resultOf(1, { resultType: "telepathic", content: [] }));
    expect(wire.step).toMatchObject({ status: "ok", result: { resultType: "telepathic" } });
  });
});

describe("tasks of 2025-11-25", () => {
  const task = (status: string, fields: object = {}) => ({
    taskId: "t-1",
    status,
    createdAt: "2026-08-01T00:00:00Z",
    lastUpdatedAt: "2026-08-01T00:00:00Z",
    ttl: 60_000,
    ...fields,
  });
  const started = () => {
    const wire = new RecordedWire().host(call(1, "slow", { task: { ttl: 60_000 }, _meta: { progressToken: 1 } }));
    return wire.wait(1).server(resultOf(1, { task: task("working") }));
  };
  const asks = (id: number, method: string) => request(id, method, { taskId: "t-1" });
  const related = { _meta: { "io.modelcontextprotocol/related-task": { taskId: "t-1" } } };

  test("is one step over its polls; progress counts until the end", () => {
    const wire = started();
    expect(wire.step.status).toBe("running");
    wire.server(notification("notifications/progress", { progressToken: 1, progress: 1 }));
    wire.host(asks(2, "tasks/get")).server(resultOf(2, task("working")));
    wire.host(asks(3, "tasks/result")).wait(100);
    wire.host(asks(4, "tasks/get")).server(resultOf(4, task("completed")));
    wire
      .wait(5)
      .server(answer(3, "the result", related))
      .end();
    expect(wire.step).toMatchObject({ status: "ok", durationMs: 106, progress: 1, legs: 1, join: null });
    expect(textOf(wire.step)).toBe("the result");
    expect(wire.run.notes).toEqual([]);
  });

  test("is ok from the news of it on; its result is what tasks/result brings", () => {
    const wire = started().server(notification("notifications/tasks/status", task("completed")));
    expect(wire.step).toMatchObject({ status: "ok", result: null });
    wire.host(asks(2, "tasks/result")).server(answer(2, "the result", { ...related, isError: true }));
    expect(wire.step).toMatchObject({ status: "error", isError: true, error: "the result" });
  });

  test("that is over and whose result nobody asks for ends as it was told, when it was told", () => {
    const wire = started()
      .wait(9)
      .server(notification("notifications/tasks/status", task("completed")))
      .wait(1000)
      .end();
    expect(wire.step).toMatchObject({ status: "ok", result: null, durationMs: 10 });
  });

  test("that failed is an error at once, in the task's own words at the end", () => {
    const wire = started().host(asks(2, "tasks/get"));
    wire.server(resultOf(2, task("failed", { statusMessage: "no disk" })));
    expect(wire.step).toMatchObject({ status: "error", result: null });
    expect(wire.assembler.openCalls).toBe(0);
    wire.end();
    expect(wire.step).toMatchObject({ status: "error", isError: true, error: "no disk" });
  });

  test("that failed keeps what tasks/result tells", () => {
    const wire = started()
      .host(asks(2, "tasks/get"))
      .server(resultOf(2, task("failed", { statusMessage: "no disk" })));
    wire.host(asks(3, "tasks/result")).server(answer(3, "no space left on /data", { ...related, isError: true }));
    expect(wire.step).toMatchObject({ status: "error", error: "no space left on /data", result: { isError: true } });
    const refused = started()
      .host(asks(2, "tasks/result"))
      .server(failure(2, { code: -32603, message: "it broke" }));
    expect(refused.step).toMatchObject({ status: "error", error: "it broke", rpcError: { code: -32603 } });
  });

  test("is cancelled by tasks/cancel", () => {
    const wire = started().wait(4).host(asks(2, "tasks/cancel"));
    wire.server(resultOf(2, task("cancelled", { statusMessage: "as asked" })));
    expect(wire.step).toMatchObject({ status: "cancelled", isError: false, error: "as asked", durationMs: 5 });
  });

  test("is not cancelled by a refused tasks/cancel", () => {
    const wire = started()
      .host(asks(2, "tasks/cancel"))
      .server(failure(2, { code: -32602, message: "over already" }));
    wire.end();
    expect(wire.step.status).toBe("lost");
  });

  test("is not ended by an answer that does not know it", () => {
    const wire = started()
      .host(asks(2, "tasks/get"))
      .server(failure(2, { code: -32602, message: "unknown task" }));
    expect(wire.step.status).toBe("running");
  });

  test("over at once is over at once", () => {
    const wire = new RecordedWire().host(call(1)).server(resultOf(1, { task: task("cancelled") }));
    expect(wire.step.status).toBe("cancelled");
  });

  test("news of other tasks concern nobody", () => {
    const wire = started().server(notification("notifications/tasks/status", { ...task("failed"), taskId: "t-2" }));
    wire.host(request(5, "tasks/get", { taskId: "t-2" })).server(resultOf(5, task("completed")));
    wire.host(request(6, "tasks/result", {})).server(answer(6, "of whom?"));
    expect(wire.step.status).toBe("running");
  });

  test("ends with the server", () => {
    const wire = started();
    wire.tracker.upstreamDied(wire.at, UNAVAILABLE);
    expect(wire.step).toMatchObject({ status: "error", error: UNAVAILABLE });
  });

  test("a later task under the same id is the one that news are about", () => {
    const wire = started()
      .host(call(2, "slow"))
      .server(resultOf(2, { task: task("working") }));
    wire.host(cancelled(1)).host(asks(3, "tasks/result")).server(answer(3, "of the second")).end();
    expect(wire.steps.map((step) => [step.status, textOf(step)])).toEqual([
      ["lost", undefined],
      ["ok", "of the second"],
    ]);
  });

  test("a result of its own that speaks of a task is a result", () => {
    const wire = new RecordedWire().host(call(1), call(2));
    wire.server(answer(1, "see", { task: { taskId: "elsewhere" } }), answer(2, "see", { taskId: "elsewhere" }));
    expect(wire.steps.map((step) => step.status)).toEqual(["ok", "ok"]);
  });
});

describe("tasks of the extension", () => {
  const task = (status: string, fields: object = {}) => ({
    taskId: "786512e2",
    status,
    createdAt: "2026-08-01T00:00:00Z",
    lastUpdatedAt: "2026-08-01T00:00:00Z",
    ttlMs: null,
    ...fields,
  });
  const started = () =>
    new RecordedWire()
      .host(call(1, "slow"))
      .wait(1)
      .server(resultOf(1, { resultType: "task", ...task("working") }));
  const get = (id: number) => request(id, "tasks/get", { taskId: "786512e2" });
  const done = (id: number, fields: object) => resultOf(id, { resultType: "complete", ...fields });

  test("tasks/get brings the result", () => {
    const wire = started()
      .host(get(2))
      .server(done(2, task("working")));
    expect(wire.step.status).toBe("running");
    const result = { content: [{ type: "text", text: "the result" }], structuredContent: { n: 1 } };
    wire
      .host(get(3))
      .wait(10)
      .server(done(3, task("completed", { result })));
    expect(wire.step).toMatchObject({ status: "ok", result, durationMs: 11, truncated: false });
  });

  test("a result with isError is an error", () => {
    const result = { content: [{ type: "text", text: "no such city" }], isError: true };
    const wire = started()
      .host(get(2))
      .server(done(2, task("completed", { result })));
    expect(wire.step).toMatchObject({ status: "error", isError: true, error: "no such city", result });
  });

  test("a failed task keeps its JSON-RPC error", () => {
    const error = { code: -32603, message: "it broke", data: { at: 3 } };
    const wire = started()
      .host(get(2))
      .server(done(2, task("failed", { error, statusMessage: "failed" })));
    expect(wire.step).toMatchObject({ status: "error", error: "it broke", rpcError: error, result: null });
  });

  test.each(["notifications/tasks", "notifications/tasks/status"])("%s tells it as well", (method) => {
    const result = { content: [{ type: "text", text: "pushed" }] };
    const wire = started().server(notification(method, task("working")));
    wire.server(notification(method, task("completed", { result })));
    expect(wire.step).toMatchObject({ status: "ok", result });
  });

  test("input goes through tasks/update; the step goes on", () => {
    const wire = started().host(get(2));
    wire.server(done(2, task("input_required", { inputRequests: { a: ELICIT } })));
    wire.host(request(3, "tasks/update", { taskId: "786512e2", inputResponses: { a: ACCEPT } })).server(done(3, {}));
    wire.host(get(4)).server(done(4, task("completed", { result: { content: [] } })));
    expect(wire.step).toMatchObject({ status: "ok", legs: 1, result: { content: [] } });
  });

  test("an acknowledged cancellation is what it ends with, unless it ends otherwise", () => {
    const cancel = request(2, "tasks/cancel", { taskId: "786512e2" });
    const wire = started().wait(3).host(cancel).server(done(2, {}));
    expect(wire.step.status).toBe("running");
    wire.wait(100).end();
    expect(wire.step).toMatchObject({ status: "cancelled", durationMs: 4 });
    const faster = started().host(cancel).server(done(2, {}));
    faster.host(get(3)).server(done(3, task("completed", { result: { content: [] } })));
    expect(faster.step).toMatchObject({ status: "ok", result: { content: [] } });
  });

  test("media of an inlined result are not kept", () => {
    const result = {
      content: [{ type: "image", mimeType: "image/png", data: Buffer.from("pixels").toString("base64") }],
    };
    const wire = started()
      .host(get(2))
      .server(done(2, task("completed", { result })));
    expect(wire.step.result).toMatchObject({ content: [{ type: "image", mimeType: "image/png", sizeBytes: 6 }] });
  });

  test("an inlined result over the bound is told as such", () => {
    const result = { content: [{ type: "text", text: "long ".repeat(60_000) }], isError: true };
    const wire = started()
      .host(get(2))
      .server(done(2, task("completed", { result })));
    expect(wire.step).toMatchObject({ status: "error", truncated: true, result: { truncated: true } });
  });

  test("a deeply nested tale of tasks costs no stack", () => {
    const depth = 100_000;
    const nested = `${'{"taskId":"786512e2","status":"completed","result":'.repeat(depth)}{}${"}".repeat(depth)}`;
    const wire = new RecordedWire().host(call(1)).server(`{"id":1,"result":${nested}}`);
    expect(wire.step.status).toBe("ok");
  });
});
