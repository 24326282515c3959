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
  START,
  textOf,
  UNAVAILABLE,
} from "./wire-fixture.ts";

const INITIALIZE = request(0, "initialize", {
  protocolVersion: "2025-11-25",
  capabilities: { roots: {} },
  clientInfo: { name: "opencode", version: "1.18.33" },
});

describe("a call", () => {
  test("is a step with its arguments, result and times", () => {
    const wire = new RecordedWire()
      .host(INITIALIZE)
      .host(request(1, "tools/list"))
      .server(resultOf(1, { tools: [] }));
    wire.wait(100.25).host(call(2, "echo", { arguments: { text: "hello", n: [1, null] } }));
    wire.wait(12.5).server(answer(2, "Echo: hello", { structuredContent: { a: 1 }, _meta: { k: "v" } }));
    wire.end();
    expect(wire.step).toMatchObject({
      server: "everything",
      tool: "echo",
      qualifiedName: "mcp__everything__echo",
      args: { text: "hello", n: [1, null] },
      result: {
        content: [{ type: "text", text: "Echo: hello" }],
        structuredContent: { a: 1 },
        _meta: { k: "v" },
      },
      status: "ok",
      isError: false,
      error: null,
      rpcError: null,
      startedAt: START + 100,
      durationMs: 12.5,
      legs: 1,
      waitingMs: 0,
      progress: 0,
      truncated: false,
      join: null,
      callId: null,
      hostMeta: {},
      sources: ["proxy"],
    });
    expect(wire.run).toMatchObject({
      status: "completed",
      host: { app: "opencode", version: "1.18.33" },
      wrappedServers: ["everything"],
      lossy: false,
    });
  });

  test("opens the run; nothing else does", () => {
    const wire = new RecordedWire().host(INITIALIZE, request(1, "tools/list"), request(2, "server/discover"));
    wire.server(resultOf(0, {}), resultOf(1, { tools: [] }), failure(2, { code: -32601, message: "no" })).end();
    expect(wire.entries).toEqual([]);
  });

  test("with an error result says so in the words of its first text", () => {
    const wire = new RecordedWire().host(call(1));
    const content = [
      { type: "image", mimeType: "image/png", data: "AAAA" },
      { type: "text", text: 'boom: "text" is missing' },
      { type: "text", text: "second" },
    ];
    wire.server(resultOf(1, { structuredContent: { text: "not this" }, content, isError: true }));
    expect(wire.step).toMatchObject({ status: "error", isError: true, error: 'boom: "text" is missing' });
    expect(wire.step.result).toMatchObject({ isError: true });
  });

  test("with an error result that has no text has no words for it", () => {
    const wire = new RecordedWire().host([call(1), call(2)]);
    wire.server([resultOf(1, { content: [], isError: true }), answer(2, "of another call")]);
    expect(wire.steps.map((step) => step.error)).toEqual([null, null]);
  });

  test("with `isError` anywhere but in the result itself has not failed", () => {
    const wire = new RecordedWire().host(call(1));
    wire.server(answer(1, "x", { structuredContent: { isError: true }, _meta: { isError: true }, isError: false }));
    expect(wire.step).toMatchObject({ status: "ok", isError: false, error: null });
  });

  test("that is refused keeps the whole JSON-RPC error", () => {
    const error = {
      code: -32042,
      message: "asked for input",
      data: { elicitations: [{ url: "https://example.com" }] },
    };
    const wire = new RecordedWire().host(call(1)).server(failure(1, error));
    expect(wire.step).toMatchObject({ status: "error", isError: true, error: "asked for input", result: null });
    expect(wire.step.rpcError).toEqual(error);
  });

  test("is answered where the server writes a null error beside its result", () => {
    const wire = new RecordedWire().host(call(1));
    wire.server('{"jsonrpc":"2.0","id":1,"result":{"content":[]},"error":null}');
    expect(wire.step).toMatchObject({ status: "ok", rpcError: null, result: { content: [] } });
  });

  test("without arguments, params or a name is still a step", () => {
    const wire = new RecordedWire();
    wire.host('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"bare"}}');
    wire.host('{"jsonrpc":"2.0","id":2,"method":"tools/call"}', '{"id":3,"method":"tools/call","params":[1,2]}');
    wire.server(answer(1), answer(2), answer(3)).end();
    expect(wire.steps.map(({ tool, args, status }) => [tool, args, status])).toEqual([
      ["bare", null, "ok"],
      ["", null, "ok"],
      ["", null, "ok"],
    ]);
  });

  test("that is never answered is lost", () => {
    const wire = new RecordedWire().host(call(1)).wait(50).end();
    expect(wire.step).toMatchObject({ status: "lost", isError: false, result: null, durationMs: 50 });
  });

  test("keeps numbers, key order and repeated keys as they were written", () => {
    const args = '{"b":12345678901234567890,"a":1.0,"c":[1e400,-0,0.10],"b":2}';
    const result = '{"content":[],"structuredContent":{"big":98765432109876543210,"one":1.0}}';
    const wire = new RecordedWire();
    wire.host(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"n","arguments":${args}}}`);
    wire.server(`{"jsonrpc":"2.0","id":1,"result":${result}}`);
    expect(wire.entries.map(({ payload }) => payload)).toEqual([null, args, result]);
    expect(JSON.stringify(wire.step.result)).toBe(result);
  });

  test("is found in an answer that is spread out over white space and ends in CR", () => {
    const wire = new RecordedWire().host(`\t${JSON.stringify(call(1), null, 2).replaceAll("\n", " ")}\r`);
    wire.server(` { "result" : { "isError" : true , "content" : [ ] } , "id" : 1 }\r`);
    expect(wire.step).toMatchObject({ status: "error", args: { text: "of 1" } });
  });
});

describe("joining", () => {
  test("answers out of order reach their calls", () => {
    const wire = new RecordedWire().host(call(1), call(2), call(3));
    wire.wait(1).server(answer(3, "third")).wait(1).server(answer(1, "first")).wait(1).server(answer(2, "second"));
    expect(wire.steps.map(textOf)).toEqual(["first", "second", "third"]);
    expect(wire.steps.map((step) => step.durationMs)).toEqual([2, 3, 1]);
    expect(wire.steps.every((step) => step.join === null)).toBe(true);
  });

  test("the two sides number their requests apart", () => {
    const wire = new RecordedWire().host(call(0));
    wire.server(request(0, "elicitation/create", { message: "?" }));
    wire.host(resultOf(0, { action: "accept", content: {} }));
    expect(wire.step.status).toBe("running");
    wire.server(answer(0, "of the call"));
    expect(textOf(wire.step)).toBe("of the call");
  });

  test("a server's own tools/call is no step", () => {
    const wire = new RecordedWire().server(call(1)).host(answer(1)).end();
    expect(wire.entries).toEqual([]);
  });

  test("ids are equal by type and value", () => {
    const wire = new RecordedWire();
    wire.host(call(1), call("1"), call(-1), call("eé"));
    wire.server('{"id":"\\u0031","result":{"s":1}}', '{"id":1.0,"result":{"n":1}}');
    wire.server('{"id":-1,"result":{"m":1}}', '{"id":"e\\u00e9","result":{"u":1}}');
    expect(wire.steps.map((step) => step.result)).toEqual([{ n: 1 }, { s: 1 }, { m: 1 }, { u: 1 }]);
  });

  test("ids that a double cannot tell apart are told apart", () => {
    const wire = new RecordedWire();
    for (const id of ["9007199254740993", "9007199254740992"]) {
      wire.host(`{"id":${id},"method":"tools/call","params":{"name":"x"}}`);
    }
    wire.server('{"id":9007199254740992,"result":{"second":1}}', '{"id":9007199254740993,"result":{"first":1}}');
    expect(wire.steps.map((step) => step.result)).toEqual([{ first: 1 }, { second: 1 }]);
  });

  test("a null id has no answer", () => {
    const wire = new RecordedWire().host(call(null)).server(answer(null));
    wire.server(failure(null, { code: -32700, message: "parse error" }));
    expect(wire.step.status).toBe("running");
    expect(wire.end().step.status).toBe("lost");
  });

  test("batches, both ways", () => {
    const wire = new RecordedWire().host([call(1), request(2, "ping"), call(3, "other"), cancelled(9)]);
    wire.server([resultOf(2, {}), answer(3, "c"), notification("notifications/message"), answer(1, "a")]);
    expect(wire.steps.map((step) => [step.tool, step.status, textOf(step)])).toEqual([
      ["echo", "ok", "a"],
      ["other", "ok", "c"],
    ]);
  });

  test("an answer to nobody changes nothing", () => {
    const wire = new RecordedWire().host(call(1)).server(answer(7, "stray"), answer("1", "stray")).server(answer(1));
    wire.server(answer(1, "again"));
    expect(textOf(wire.step)).toBe("done");
  });
});

describe("cancellation", () => {
  test("ends the step; the answer that comes late is nobody's", () => {
    const wire = new RecordedWire().host(call(1)).wait(40).host(cancelled(1)).wait(60).server(answer(1, "late")).end();
    expect(wire.step).toMatchObject({ status: "cancelled", result: null, durationMs: 40, isError: false });
  });

  test("of something that was answered already changes nothing", () => {
    const wire = new RecordedWire().host(call(1)).server(answer(1)).host(cancelled(1)).end();
    expect(wire.step.status).toBe("ok");
  });

  test("by a server of its own requests cancels no call", () => {
    const wire = new RecordedWire().host(call(1)).server(cancelled(1)).server(answer(1));
    expect(wire.step.status).toBe("ok");
  });

  test("of an id of another type cancels nothing", () => {
    const wire = new RecordedWire().host(call(1)).host(cancelled("1"), notification("notifications/cancelled"));
    expect(wire.step.status).toBe("running");
  });

  describe("with the id used again", () => {
    const reused = () => new RecordedWire().host(call(7, "old")).host(cancelled(7));
    const statuses = (wire: RecordedWire) => wire.steps.map((step) => [step.tool, step.status, textOf(step) ?? null]);

    test("after the late answer: nothing is in doubt", () => {
      const wire = reused().server(answer(7, "late")).host(call(7, "new")).server(answer(7, "right"));
      expect(statuses(wire)).toEqual([
        ["old", "cancelled", null],
        ["new", "ok", "right"],
      ]);
      expect(wire.steps[1]?.join).toBeNull();
    });

    test("before the late answer: the first answer is held back, the second is the newer call's", () => {
      const wire = reused().wait(10).host(call(7, "new")).wait(5).server(answer(7, "late"));
      expect(statuses(wire)[1]).toEqual(["new", "running", null]);
      wire.wait(5).server(answer(7, "right"));
      expect(statuses(wire)).toEqual([
        ["old", "cancelled", null],
        ["new", "ok", "right"],
      ]);
      expect(wire.steps[1]).toMatchObject({ join: "ambiguous", durationMs: 10 });
    });

    test("with no late answer: the only one is the newer call's once the session ends", () => {
      const wire = reused().host(call(7, "new")).wait(5).server(answer(7, "right")).wait(1000).end();
      expect(statuses(wire)[1]).toEqual(["new", "ok", "right"]);
      expect(wire.steps[1]).toMatchObject({ join: "ambiguous", durationMs: 5 });
    });

    test("with no late answer: the only one is the newer call's once the host uses the id again", () => {
      const wire = reused().host(call(7, "new")).server(answer(7, "right")).host(call(7, "newest"));
      expect(statuses(wire).slice(1)).toEqual([
        ["new", "ok", "right"],
        ["newest", "running", null],
      ]);
      wire.server(answer(7, "newest's")).end();
      expect(statuses(wire)[2]).toEqual(["newest", "ok", "newest's"]);
      expect(wire.steps.map((step) => step.join)).toEqual([null, "ambiguous", "ambiguous"]);
    });

    test("and cancelled again: no answer is anybody's", () => {
      const wire = reused().host(call(7, "new")).server(answer(7, "one")).host(cancelled(7)).server(answer(7, "two"));
      expect(statuses(wire.end())).toEqual([
        ["old", "cancelled", null],
        ["new", "cancelled", null],
      ]);
    });

    test("by a call, after a request of another kind", () => {
      const wire = new RecordedWire().host(call(1)).server(answer(1));
      wire
        .host(request(7, "resources/read", { uri: "file:///a" }))
        .host(cancelled(7))
        .host(call(7, "new"));
      wire.server(resultOf(7, { contents: [] })).server(answer(7, "right"));
      expect(wire.steps[1]).toMatchObject({ tool: "new", status: "ok", join: "ambiguous" });
      expect(textOf(wire.steps[1])).toBe("right");
    });

    test("by a request of another kind, whose answer is not the call's", () => {
      const wire = reused()
        .host(request(7, "tools/list"))
        .server(resultOf(7, { tools: [] }), answer(7, "late"))
        .end();
      expect(statuses(wire)).toEqual([["old", "cancelled", null]]);
    });

    test("while both may be answered: in order", () => {
      const wire = new RecordedWire().host(call(7, "a"), call(7, "b")).server(answer(7, "1"), answer(7, "2"));
      expect(statuses(wire)).toEqual([
        ["a", "ok", "1"],
        ["b", "ok", "2"],
      ]);
      expect(wire.steps.map((step) => step.join)).toEqual(["ambiguous", "ambiguous"]);
    });

    test("a call that never reuses one is not in doubt because another was", () => {
      const wire = reused().host(call(7, "new"), call(8, "sure")).server(answer(7), answer(8));
      expect(wire.steps[2]).toMatchObject({ status: "ok", join: null });
    });
  });
});

describe("progress", () => {
  const progress = (progressToken: unknown, value = 1) =>
    notification("notifications/progress", { progressToken, progress: value, total: 10 });

  test("is counted for its call", () => {
    const wire = new RecordedWire().host(call(1, "a", { _meta: { progressToken: 4 } }));
    wire.host(call(2, "b", { _meta: { progressToken: "28051ac5-5b17" } }));
    wire.server(progress(4), progress("28051ac5-5b17"), progress(4.0)).server(answer(1), answer(2)).end();
    expect(wire.steps.map((step) => step.progress)).toEqual([2, 1]);
    expect(wire.warnings).toEqual([]);
  });

  test("after the answer, or with a token nobody gave, is noted and belongs to no call", () => {
    const wire = new RecordedWire().host(call(1, "a", { _meta: { progressToken: 4 } })).server(progress("4"));
    wire.server(answer(1)).server(progress(4), notification("notifications/progress")).end();
    expect(wire.step.progress).toBe(0);
    expect(wire.warnings).toEqual(["3 progress notification(s) belong to no call under way"]);
  });

  test("under a token that is used again is the newer call's, also once the older one ends", () => {
    const wire = new RecordedWire().host(call(1, "a", { _meta: { progressToken: 4 } }));
    wire.host(call(2, "b", { _meta: { progressToken: 4 } })).server(answer(1), progress(4), progress(4), answer(2));
    expect(wire.steps.map((step) => step.progress)).toEqual([0, 2]);
  });
});

describe("calls that are no step, or none that waits", () => {
  test("subscriptions/listen is neither a step nor ever late", () => {
    const wire = new RecordedWire().host(call(1)).server(answer(1));
    wire.host(request(2, "subscriptions/listen", { notifications: { toolsListChanged: true } }));
    wire.server(notification("notifications/subscriptions/acknowledged", {}));
    wire.wait(3_600_000).server(notification("notifications/tools/list_changed")).end();
    expect(wire.step.status).toBe("ok");
    expect(wire.run).toMatchObject({ lossy: false, notes: [] });
  });

  const claude = (version: string) =>
    request(0, "initialize", { clientInfo: { name: "claude-code", title: "Claude Code", version } });

  test("Claude Code's own calls carry no _meta: counted, not recorded", () => {
    const wire = new RecordedWire().host(claude("2.1.332"));
    wire.host(call(1)).server(answer(1));
    wire.host(call(2, "echo", { _meta: { "claudecode/toolUseId": "toolu_1", progressToken: 2 } })).server(answer(2));
    wire.host(call(3)).server(answer(3));
    expect(wire.step.callId).toBe("toolu_1");
    expect(wire.run.hostHookCalls).toBe(2);
  });

  test("to a stateless server, Claude Code's own calls carry the protocol's keys only: counted, not recorded", () => {
    const protocol = { "io.modelcontextprotocol/protocolVersion": "2026-07-28" };
    const wire = new RecordedWire().host(claude("2.1.332"));
    wire.host(call(1, "echo", { _meta: protocol })).server(answer(1));
    const marked = { ...protocol, "claudecode/toolUseId": "toolu_1" };
    wire.host(call(2, "echo", { _meta: marked })).server(answer(2));
    expect(wire.step.callId).toBe("toolu_1");
    expect(wire.run.hostHookCalls).toBe(1);
  });

  test("an empty _meta is a _meta", () => {
    const wire = new RecordedWire().host(claude("2.1.332")).host(call(1, "echo", { _meta: {} }));
    expect(wire.run.hostHookCalls).toBe(0);
    expect(wire.step.status).toBe("running");
  });

  test.each(["1.0.127", "1.0.60", "0.9", "", "unknown"])("Claude Code %s marked no calls: recorded", (version) => {
    const wire = new RecordedWire().host(claude(version)).host(call(1)).server(answer(1));
    expect(wire.step.status).toBe("ok");
  });

  test.each(["1.0.128", "1.0.128-beta.1", "1.1.0", "2", "10.0.0"])("Claude Code %s marks its calls", (version) => {
    const wire = new RecordedWire().host(claude(version)).host(call(1)).server(answer(1)).end();
    expect(wire.entries).toEqual([]);
  });

  test("other clients' calls without _meta are recorded", () => {
    const wire = new RecordedWire().host(
      request(1, "initialize", { clientInfo: { name: "@cline/core", version: "0.0.0" } }),
    );
    wire.host(call(3)).server(answer(3));
    expect(wire.step.status).toBe("ok");
    expect(wire.run).toMatchObject({ hostHookCalls: 0, host: { app: "cline", version: "0.0.0" } });
  });
});

describe("the host's own keys", () => {
  const meta = (_meta: object) => new RecordedWire({ sessionId: "from-env" }).host(call(1, "echo", { _meta }));

  test("Claude Code", () => {
    const wire = meta({ "claudecode/toolUseId": "toolu_a_1_0", progressToken: 4 });
    expect(wire.step).toMatchObject({ callId: "toolu_a_1_0", hostMeta: { "claudecode/toolUseId": "toolu_a_1_0" } });
    expect(wire.run.sessionId).toBe("from-env");
  });

  test("Codex, whose session is told in _meta", () => {
    const turn = { session_id: "s-1", model: "m", turn_started_at_unix_ms: 1796006124802 };
    const wire = meta({
      callId: "call_a_1_0",
      "x-codex-turn-metadata": turn,
      threadId: "t-1",
      sessionId: "s-1",
      itemId: "fc_2_0",
      progressToken: 1,
    });
    expect(wire.step.callId).toBe("call_a_1_0");
    expect(wire.step.hostMeta).toEqual({
      callId: "call_a_1_0",
      "x-codex-turn-metadata": turn,
      threadId: "t-1",
      sessionId: "s-1",
      itemId: "fc_2_0",
    });
    expect(wire.run.sessionId).toBe("s-1");
  });

  test.each([
    ["VS Code", { "vscode.conversationId": "c-1", "vscode.requestId": "r-1" }, "c-1"],
    ["OpenCode", { "ai.opencode/sessionID": "ses_1" }, "ses_1"],
    ["Codex without a session id", { threadId: "t-1" }, "t-1"],
    ["the best of several, in whatever order", { "ai.opencode/sessionID": "o", threadId: "t", sessionId: "s" }, "s"],
  ])("%s", (_host, _meta, sessionId) => {
    const wire = meta(_meta);
    expect(wire.run.sessionId).toBe(sessionId);
    expect(wire.step.hostMeta).toEqual(_meta);
  });

  test("ids that are no text are kept but not used", () => {
    const wire = meta({ callId: 7, sessionId: null, threadId: { a: 1 } });
    expect(wire.step).toMatchObject({ callId: null, hostMeta: { callId: 7, sessionId: null, threadId: { a: 1 } } });
    expect(wire.run.sessionId).toBe("from-env");
  });

  test("another session on the same wire is followed", () => {
    const wire = meta({ sessionId: "s-1" }).host(call(2, "echo", { _meta: { sessionId: "s-2" } }));
    expect(wire.run.sessionId).toBe("s-2");
    expect(wire.events.filter((event) => event.type === "run.updated")).toHaveLength(1);
  });

  test("of the protocol itself are not the host's", () => {
    const wire = meta({ "io.modelcontextprotocol/protocolVersion": "2026-07-28", "example.com/x": 1 });
    expect(wire.step.hostMeta).toEqual({ "example.com/x": 1 });
  });
});

describe("a session without a handshake", () => {
  const stateless = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": { name: "claude-code", version: "2.1.332" },
    "io.modelcontextprotocol/clientCapabilities": {},
  };

  test("tells its client in each request", () => {
    const wire = new RecordedWire();
    wire.host(call(1, "echo", { _meta: { ...stateless, "claudecode/toolUseId": "toolu_1" } })).server(answer(1));
    expect(wire.run.host).toEqual({ app: "claude-code", version: "2.1.332" });
    expect(wire.step.hostMeta).toEqual({ "claudecode/toolUseId": "toolu_1" });
  });

  test("may tell it in a probe before the first call", () => {
    const wire = new RecordedWire().host(request("server-discover-probe-1", "server/discover", { _meta: stateless }));
    wire.server(failure("server-discover-probe-1", { code: -32601, message: "Method not found" }));
    wire.host(call(1)).server(answer(1)).end();
    expect(wire.entries).toEqual([]);
  });

  test("or in none", () => {
    const wire = new RecordedWire().host(call(1)).server(answer(1));
    expect(wire.run.host).toBeNull();
    expect(wire.step.status).toBe("ok");
  });
});

describe("what cuts a session short", () => {
  test("the server dies: every call under way ends as the host was told", () => {
    const wire = new RecordedWire().host(call(1), call(2)).server(answer(1)).wait(9);
    wire.tracker.upstreamDied(wire.at, UNAVAILABLE);
    expect(wire.steps.map(({ status, error, durationMs }) => [status, error, durationMs])).toEqual([
      ["ok", null, 0],
      ["error", UNAVAILABLE, 9],
    ]);
    wire.server(answer(2, "a dead server's")).host(call(2, "again")).server(answer(2, "the new one's")).end();
    expect(wire.steps[2]).toMatchObject({ tool: "again", status: "ok", join: null });
  });

  test("recording is switched off: what is under way is lost, and said to be", () => {
    const wire = new RecordedWire().host(call(1), call(2)).server(answer(2));
    wire.tracker.pause(wire.wait(5).at);
    expect(wire.steps.map((step) => step.status)).toEqual(["lost", "ok"]);
    expect(wire.run.gaps).toEqual([{ reason: "DEG-12 switched-off", lost: 1, at: START + 5 }]);
    wire.server(answer(1)).host(call(3)).server(answer(3)).end();
    expect(wire.steps.map((step) => step.status)).toEqual(["lost", "ok", "ok"]);
  });

  test("lines that are no JSON-RPC are noted, by whose they were", () => {
    const wire = new RecordedWire().host(call(1)).server("Server listening", "{}", '{"id":1}').host("{broken");
    wire.server(answer(1)).end();
    expect(wire.warnings).toEqual(["1 line(s) of the host are no JSON-RPC", "3 line(s) of the server are no JSON-RPC"]);
    expect(wire.run.lossy).toBe(false);
  });

  test("a message of which too little was captured to tell what it is, is a loss", () => {
    const wire = new RecordedWire().host(call(1)).server(answer(1));
    wire.server(`{"result":${JSON.stringify("x".repeat(200_000))},"id":${JSON.stringify("y".repeat(9_000))}}`).end();
    expect(wire.run.gaps).toEqual([{ reason: "DEG-07 unreadable-message", lost: 1, at: START }]);
  });
});
