import { describe, expect, test } from "vitest";
import type { TranscriptFact } from "../../src/core/transcript-fact.ts";
import { TranscriptRows } from "../../src/hooks/transcript-rows.ts";
import { redactText } from "../../src/redact/redact.ts";
import { linesOf, sessionsWith } from "./hook-fixture.ts";

function factsOf(session: string, agentId: string | null = null): TranscriptFact[] {
  const rows = new TranscriptRows(agentId === null ? null : redactText(agentId));
  return linesOf(session, "transcript").flatMap((line) => rows.read(line) ?? []);
}

function of<K extends TranscriptFact["kind"]>(
  facts: TranscriptFact[],
  kind: K,
): Extract<TranscriptFact, { kind: K }>[] {
  return facts.filter((fact): fact is Extract<TranscriptFact, { kind: K }> => fact.kind === kind);
}

function brief(fact: TranscriptFact): string {
  switch (fact.kind) {
    case "prompt":
      return `prompt by ${fact.origin}: ${fact.text.split("\n")[0]}`;
    case "thought":
      return `thought: ${fact.text}`;
    case "text":
      return `${fact.endsTurn === null ? "" : fact.endsTurn ? "final " : "interim "}text: ${fact.text.slice(0, 20)}`;
    case "tool-use":
      return `use ${fact.toolUseId} ${fact.qualifiedName}${fact.reasoning === null ? "" : `, for: ${fact.reasoning}`}`;
    case "tool-result":
      return `result ${fact.toolUseId} ${fact.outcome}`;
    case "usage":
      return `usage ${fact.messageId} ${fact.usage.inputTokens}+${fact.usage.outputTokens}`;
    case "interrupt":
      return `interrupt of ${fact.messageId}`;
    case "api-error":
      return `api error: ${fact.error}`;
  }
}

describe("a transcript", () => {
  test.each(sessionsWith("transcript"))(
    "%s is read to its end, with nothing that hooks can join on lost",
    (session) => {
      const facts = factsOf(session);
      const lines = linesOf(session, "transcript").join("\n");
      expect(linesOf(session, "transcript").every((line) => new TranscriptRows(null).read(line) !== null)).toBe(true);
      const asked = new Set([...lines.matchAll(/"type":"tool_use","id":"(toolu_\w+)"/g)].map((match) => match[1]));
      expect(new Set(of(facts, "tool-use").map((fact) => fact.toolUseId))).toEqual(asked);
      for (const fact of facts)
        expect(fact).toMatchObject({ rowId: expect.stringMatching(/^0{8}-/), at: expect.any(Number) });
    },
  );

  test("tells prompt, thought, text, calls, results, usage and the final answer in order", () => {
    expect(factsOf("basic").map(brief)).toEqual([
      "prompt by program: Please: please do things",
      "thought: I should list",
      "usage msg_0001 100+42",
      "interim text: Let me list.",
      "use toolu_001 Bash, for: I should list\n\nLet me list.",
      "result toolu_001 ok",
      "use toolu_002 mcp__demo__echo",
      "usage msg_0002 100+42",
      "result toolu_002 ok",
      expect.stringMatching(/^final text: final answer/),
      "usage msg_0003 100+42",
    ]);
  });

  test("tells whose row it is, and when", () => {
    expect(factsOf("basic")[0]).toMatchObject({
      at: Date.parse("2026-11-30T02:11:41.784Z"),
      agentId: null,
      isSidechain: false,
      isCopied: false,
      hostVersion: "2.1.332",
      sessionId: JSON.parse(linesOf("basic", "hooks")[0] ?? "").session_id,
      promptId: JSON.parse(linesOf("basic", "hooks")[1] ?? "").prompt_id,
    });
  });

  test("tells usage once for a message of many rows, with the model", () => {
    const usage = of(factsOf("batch-serial"), "usage");
    expect(usage).toHaveLength(2);
    expect(usage[0]).toMatchObject({
      messageId: "msg_0001",
      model: "claude-sonnet-4-5",
      usage: { inputTokens: 100, outputTokens: 42, cacheReadTokens: 20, cacheCreationTokens: 10 },
    });
  });

  test("tells usage anew where a later row of the message has other numbers", () => {
    const rows = new TranscriptRows(null);
    const row = (output_tokens: unknown) =>
      JSON.stringify({
        type: "assistant",
        message: { id: "m", content: [], usage: { input_tokens: 3, output_tokens } },
      });
    expect([1, 1, 9, 9].map((tokens) => rows.read(row(tokens))?.map(brief))).toEqual([
      ["usage m 3+1"],
      [],
      ["usage m 3+9"],
      [],
    ]);
    for (const odd of ["9", null, -1, {}]) expect(rows.read(row(odd))).toEqual([]);
  });

  test("tells the results of a parallel batch by their calls", () => {
    const results = of(factsOf("batch-serial"), "tool-result");
    expect(results.map(brief)).toEqual([
      "result toolu_001 ok",
      "result toolu_002 ok",
      "result toolu_003 ok",
      "result toolu_004 ok",
      "result toolu_005 ok",
      "result toolu_006 error",
    ]);
    expect(results[4]?.response).toContain('"stdout":"b"');
    expect(of(factsOf("batch-parallel"), "tool-result")).toHaveLength(3);
  });

  test("tells machine-made prompts, and which agent each call started", () => {
    const facts = factsOf("subagents-background");
    expect(of(facts, "prompt").map((prompt) => [prompt.origin, prompt.notice?.toolUseId ?? null])).toEqual([
      ["program", null],
      ["task-notice", "toolu_001"],
      ["task-notice", "toolu_002"],
    ]);
    const started = of(facts, "tool-result").map((result) => result.startedAgentId);
    expect(
      of(facts, "prompt")
        .slice(1)
        .map((prompt) => prompt.notice?.taskId),
    ).toEqual(started);
  });

  test("tells what no hook does: what was interrupted, what was denied", () => {
    const facts = factsOf("interrupt-resume-fork");
    expect(
      facts
        .map(brief)
        .filter((line) => /^(?:interrupt|result toolu_00[23]|prompt)/.test(line))
        .slice(0, 7),
    ).toEqual([
      "prompt by person: Please: hello",
      "prompt by person: Please: bash",
      "result toolu_002 interrupted",
      "interrupt of msg_0003",
      "prompt by person: Please: deny",
      "result toolu_003 denied",
      "interrupt of null",
    ]);
  });

  test("of a forked session marks what the model had answered before", () => {
    const answers = factsOf("interrupt-resume-fork").filter((fact) => fact.kind === "tool-use" || fact.kind === "text");
    expect(answers.slice(-2).map((fact) => fact.isCopied)).toEqual([false, false]);
    expect(answers.slice(0, -2).every((fact) => fact.isCopied)).toBe(true);
  });

  test("leaves out what the host wrote for itself", () => {
    expect(of(factsOf("permissions-compact-clear"), "prompt").map((prompt) => prompt.text)).toEqual([
      "Please: after clear",
    ]);
    expect(factsOf("unlikely")).toEqual([]);
  });

  test("of a subagent tells its task as such, and is the agent's throughout", () => {
    const facts = factsOf("agent");
    expect(facts.map(brief)).toEqual([
      "prompt by agent-task: Count the files.",
      "thought: First I look.",
      "usage msg_1 5+7",
      "use toolu_001 Bash, for: First I look.",
      "usage msg_1 3+1",
      "result toolu_001 ok",
      "final text: Two files.",
      "usage msg_2 9+3",
    ]);
    expect(facts.every((fact) => fact.agentId === "a0000001" && fact.isSidechain)).toBe(true);
    expect(factsOf("basic", "a7").every((fact) => fact.agentId === "a7" && fact.isSidechain)).toBe(true);
  });

  test("tells why a call has no hook", () => {
    expect(of(factsOf("refusals"), "tool-result").map((result) => result.outcome)).toEqual([
      "not-run",
      "not-run",
      "not-run",
      "denied",
      "denied",
      "rejected",
      "interrupted",
      "error",
      "ok",
      "denied",
    ]);
  });

  test.each([
    ["tool-error", /boom/],
    ["protocol-error", /scripted protocol error/],
    ["timeout", /timed out after 2s/],
    ["server-dies", /Connection closed/],
  ])("%s tells the error", (session, text) => {
    const failed = of(factsOf(session), "tool-result").find((result) => result.outcome === "error");
    expect(failed?.content).toMatch(text);
  });

  test("tells what a server put beside its content, and media by size and hash", () => {
    const [structured] = of(factsOf("structured"), "tool-result");
    expect(JSON.parse(structured?.mcpMeta ?? "")).toEqual({
      _meta: { "demo/meta": "kept" },
      structuredContent: { sum: 3 },
    });
    const [image] = of(factsOf("image"), "tool-result");
    for (const payload of [image?.content, image?.response]) {
      expect(payload).toMatch(/"media_type":"image\/png","sizeBytes":\d+,"sha256":"[0-9a-f]{64}"/);
    }
  });

  test("tells that the model could not be reached, and no usage of the host's own words", () => {
    const facts = factsOf("stop-failure");
    expect(facts.map(brief)).toEqual(["prompt by program: Please: go", "api error: server_error"]);
  });
});

describe("reasoning", () => {
  const answer = (id: string, block: unknown, more: Record<string, unknown> = {}) =>
    JSON.stringify({ type: "assistant", message: { id, content: [block] }, ...more });
  const thought = (thinking: string) => ({ type: "thinking", thinking });
  const use = (id: string) => ({ type: "tool_use", id, name: "T", input: {} });
  function reasons(lines: string[]): (string | null)[] {
    const rows = new TranscriptRows(null);
    return of(
      lines.flatMap((line) => rows.read(line) ?? []),
      "tool-use",
    ).map((fact) => fact.reasoning);
  }

  test("is that before the call, and the first of a batch has it", () => {
    expect(
      reasons([answer("m", thought("a")), answer("m", thought("b")), answer("m", use("1")), answer("m", use("2"))]),
    ).toEqual(["a\n\nb", null]);
    expect(
      reasons([answer("m", thought("a")), answer("m", use("1")), answer("m", thought("b")), answer("m", use("2"))]),
    ).toEqual(["a", "b"]);
  });

  test("of another message is not taken for it", () => {
    expect(reasons([answer("m", thought("a")), answer("n", use("1"))])).toEqual([null]);
  });

  test("of a subagent is kept apart from its session's", () => {
    const side = { isSidechain: true };
    expect(
      reasons([
        answer("m", thought("main")),
        answer("n", thought("sub"), side),
        answer("m", use("1")),
        answer("n", use("2"), side),
      ]),
    ).toEqual(["main", "sub"]);
  });
});

describe("a row", () => {
  test("is redacted wherever it holds text", () => {
    const secret = `ghp_${"a1B2c3D4e5".repeat(3)}F6g7H8`;
    const rows = new TranscriptRows(null);
    const lines = [
      { type: "user", message: { content: `use ${secret}` }, uuid: secret, promptId: secret },
      {
        type: "assistant",
        message: {
          id: secret,
          content: [
            { type: "thinking", thinking: secret },
            { type: "text", text: secret },
            { type: "tool_use", id: secret, name: secret, input: { key: secret } },
          ],
        },
      },
      {
        type: "user",
        message: { content: [{ type: "tool_result", content: secret, tool_use_id: secret }] },
        toolUseResult: { stdout: secret },
        mcpMeta: { x: secret },
      },
      {
        type: "assistant",
        isApiErrorMessage: true,
        error: secret,
        message: { content: [{ type: "text", text: secret }] },
      },
    ];
    const facts = lines.flatMap((line) => rows.read(JSON.stringify(line)) ?? []);
    expect(facts).toHaveLength(6);
    expect(JSON.stringify(facts)).not.toContain(secret);
  });

  test("of several blocks tells each; pasted images leave the words", () => {
    const read = new TranscriptRows(null).read(
      JSON.stringify({
        type: "user",
        message: {
          content: [
            { type: "text", text: "see" },
            { type: "image", source: {} },
            { type: "text", text: "this" },
          ],
        },
        origin: { kind: "human" },
      }),
    );
    expect(read?.map(brief)).toEqual(["prompt by person: see"]);
    expect(read?.[0]).toMatchObject({ text: "see\nthis" });
  });

  test("that a person wrote like a notice is a person's", () => {
    const row = { type: "user", message: { content: "<task-notification> what is this?" }, origin: { kind: "human" } };
    expect(new TranscriptRows(null).read(JSON.stringify(row))?.[0]).toMatchObject({ origin: "person" });
  });

  test.each(["", "x", "7", "null", "[]", '{"type":"user"', "\0\0\0"])("is not %j", (line) => {
    expect(new TranscriptRows(null).read(line)).toBeNull();
  });
});
