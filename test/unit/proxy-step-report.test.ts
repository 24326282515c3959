import { describe, expect, test } from "vitest";
import { proxyReportSchema } from "../../src/core/api/control.ts";
import type { ProxyStepReport } from "../../src/core/control-wire.ts";
import type { ObservedCall } from "../../src/proxy/tiers/call-recorder.ts";
import { stepReport } from "../../src/proxy/tiers/step-report.ts";
import type { CallOutcome } from "../../src/record/assembler.ts";
import { trustedJson, trustedText } from "../../src/redact/redact.ts";

const FACT: ObservedCall = {
  server: trustedText("files"),
  tool: trustedText("read"),
  qualifiedName: trustedText("mcp__files__read"),
  args: trustedJson('{"n":1.0}'),
  truncated: false,
  callId: trustedText("toolu_1"),
  injectedId: null,
  argsHash: null,
  sessionId: trustedText("ses"),
  hostMeta: trustedJson('{"x":1e400}'),
  startedAt: 1000.25,
};
const OUTCOME: CallOutcome = {
  status: "error",
  isError: true,
  error: trustedText("no"),
  rpcError: trustedJson('{"code":-1.0}'),
  result: null,
  truncated: true,
  join: "ambiguous",
  endedAt: 1010.75,
  legs: 3,
  waitingMs: 4.5,
  progress: 2,
};
const text = (fact: Partial<ObservedCall> = {}, outcome: Partial<CallOutcome> | null = {}) =>
  stepReport(
    "r1",
    { ref: "c1", fact: { ...FACT, ...fact }, legs: 2, status: "running" },
    outcome === null ? null : { ...OUTCOME, ...outcome },
  );
const report = (...of: Parameters<typeof text>): ProxyStepReport => JSON.parse(text(...of));

describe("the report of a call", () => {
  test("that has ended", () => {
    expect(report()).toEqual({
      kind: "step",
      reportId: "r1",
      callRef: "c1",
      serverName: "files",
      toolName: "read",
      qualifiedName: "mcp__files__read",
      args: { n: 1 },
      argsHash: null,
      result: null,
      isError: true,
      errorMessage: "no",
      rpcError: { code: -1 },
      startedAt: 1000.25,
      durationMs: 10.5,
      waitingMs: 4.5,
      progress: 2,
      status: "error",
      hostCallId: "toolu_1",
      injectedId: null,
      sessionId: "ses",
      hostMeta: { x: Number.POSITIVE_INFINITY },
      legs: 3,
      truncated: true,
      isAmbiguous: true,
    });
  });

  test("that runs", () => {
    expect(report({}, null)).toMatchObject({
      status: "running",
      durationMs: null,
      result: null,
      legs: 2,
      truncated: false,
    });
  });

  test("holds payloads as they were written", () => {
    for (const json of ['{"n":1.0,"m":1e400,"a":1,"a":2}', String.raw`"\ud800\/"`, "12345678901234567890", " [ ] "]) {
      expect(text({ args: trustedJson(json) })).toContain(`"args":${json},"result"`);
      expect(text({}, { result: trustedJson(json) })).toContain(`"result":${json},"rpcError"`);
    }
  });

  test.each(["{", '{"a":1]', "1],[2", "", "nope", '"\u0001"', `${"[".repeat(3)}`])(
    "stays readable, and itself, where a payload is no JSON: %j",
    (broken) => {
      const json = trustedJson(broken);
      expect(report({ args: json, hostMeta: json }, { result: json, rpcError: json })).toMatchObject({
        args: broken,
        result: broken,
        hostMeta: { unreadable: broken },
        rpcError: { unreadable: broken },
      });
    },
  );

  test("is what a server takes", () => {
    for (const told of [report(), report({}, null), report({ args: null, hostMeta: null })]) {
      expect(proxyReportSchema.safeParse(told).error?.issues ?? []).toEqual([]);
    }
  });
});
