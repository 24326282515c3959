import { describe, expect, test } from "vitest";
import { hookReportSchema } from "../../src/core/api/control.ts";
import { readClaudeCodeHook } from "../../src/hooks/claude-code.ts";
import { hookReport } from "../../src/hooks/hook-report.ts";
import { injectionOf, injectionOutput } from "../../src/hooks/injection.ts";
import { rawInput } from "../../src/hooks/raw-input.ts";
import { linesOf, sessionsWith } from "./hook-fixture.ts";

/** What is told of one hook, and the arguments that an id can be put into. */

function read(line: string) {
  const reading = readClaudeCodeHook(line);
  if (reading.kind === "nothing") throw new Error("a hook that tells nothing");
  return reading;
}

const STOP = '{"hook_event_name":"Stop","session_id":"s"}';

describe("the report", () => {
  test("of every hook of every session is what the server takes", () => {
    for (const session of sessionsWith("hooks")) {
      for (const line of linesOf(session, "hooks")) {
        const reading = readClaudeCodeHook(line);
        if (reading.kind === "nothing") continue;
        const report = hookReport(reading, null, false, {});
        expect(hookReportSchema.parse(JSON.parse(JSON.stringify(report)))).toEqual(report);
      }
    }
  });

  test("of what could not be read as well", () => {
    const report = hookReport(read("[]"), null, false, {});
    expect(hookReportSchema.parse(report)).toEqual(report);
    expect(report).toMatchObject({ fact: null, malformed: { reason: "not a JSON object", sessionId: null } });
  });

  test.each([
    ["claude-code_2-1-332_harness", "2.1.332"],
    ["claude-code_2.1.332_harness", "2.1.332"],
    ["claude-code_2-1-332", "2.1.332"],
    ["claude-code_2-1_harness", null],
    ["other_2-1-332_harness", null],
    ["", null],
    [undefined, null],
  ])("the host's version in %j is %j", (AI_AGENT, version) => {
    expect(hookReport(read(STOP), null, false, { AI_AGENT }).appVersion).toBe(version);
  });

  test.each([
    ["12", 12],
    ["0", null],
    ["-1", null],
    ["1.5", null],
    ["1e99", null],
    ["", null],
    [undefined, null],
  ])("the host's process in %j is %j", (CLAUDE_PID, pid) => {
    expect(hookReport(read(STOP), null, false, { CLAUDE_PID }).hostPid).toBe(pid);
  });

  test("a secret in the project's name is none of the report's", () => {
    const token = `ghp_${"R4tYu7IoP2aSdF5gHj8K"}${"lZxC1vBnM3qWeR6t"}`;
    const { projectDir } = hookReport(read(STOP), null, false, { CLAUDE_PROJECT_DIR: `/home/${token}` });
    expect(projectDir).toBe("/home/[REDACTED:github-token]");
  });

  test("no two reports have one id", () => {
    expect(hookReport(read(STOP), null, false, {}).reportId).not.toBe(hookReport(read(STOP), null, false, {}).reportId);
  });
});

describe("the arguments as they were written", () => {
  test.each([
    ['{"a":1,"tool_input":{"x": 1.0}}', '{"x": 1.0}'],
    [' \n{"tool_input" : { } , "tool_input":{"y":[{"tool_input":{}}]}}', '{"y":[{"tool_input":{}}]}'],
    ['{"tool_response":{"tool_input":{"z":1}}}', null],
    ['{"tool_input":[1]}', null],
    ['{"tool_input":null}', null],
    ['{"tool_input":{"x":', null],
    ["", null],
    ["[]", null],
  ])("%j", (text, expected) => {
    expect(rawInput(text)).toBe(expected);
  });

  const CALL = '{"hook_event_name":"PreToolUse","session_id":"s","tool_name":"mcp__a__b","tool_input":{"x":1.50}}';

  test("with an id in them are what they were, and the id", () => {
    const { fact } = read(CALL) as Extract<ReturnType<typeof read>, { kind: "fact" }>;
    const injection = injectionOf(fact, CALL, { BIR_CORRELATION_DECISION: "ask" });
    expect(injection).toEqual({ decision: "ask", input: '{"x":1.50}' });
    expect(injection && injectionOutput(injection, "id_1-2")).toContain(
      '"updatedInput":{"__bir_call_id__":"id_1-2","x":1.50}',
    );
    expect(injection && injectionOutput(injection, 'i"d')).toBeNull();
  });
});
