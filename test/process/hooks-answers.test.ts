/**
 * What `bir hooks` does with the control server's answer: an agent's end waits for calls that are still to be told of, and a
 * call gets an id of ours where a person has chosen that. Nothing else makes it print or wait.
 */

import { describe, expect } from "vitest";
import { FakeControlServer, type Reply, type SeenRequest } from "../fakes/control-server.ts";
import {
  hookText,
  outcomeOfHook,
  runAnsweredHook,
  runHook,
  SILENT,
  spoolOf,
  startHook,
} from "../harness/hook-process.ts";
import { test as boxTest } from "../harness/process-test.ts";

const test = boxTest.extend<{ server: FakeControlServer }>({
  server: async ({ box }, use) => {
    const server = await FakeControlServer.start();
    server.announce(box.birHome);
    await use(server);
    await server.close();
  },
});

const stragglers = (count: number): Reply => ({ body: { stragglers: count, injectedId: null } });

describe("the end of an agent", () => {
  const STOP = { hook_event_name: "Stop", tool_name: undefined };

  test("waits until every call was told of", async ({ box, server }) => {
    server.script = (_, nth) => stragglers(2 - nth);
    expect(await runAnsweredHook(box, server, hookText(box, STOP))).toEqual(SILENT);
    expect(server.requests.map(({ route }) => route)).toEqual(Array(3).fill("/session/stop"));
    expect(new Set(server.requests.map(({ text }) => text)).size).toBe(1);
  });

  test("does not wait where nothing is missing", async ({ box, server }) => {
    expect(await runAnsweredHook(box, server, hookText(box, STOP))).toEqual(SILENT);
    expect(server.requests).toHaveLength(1);
  });

  test("ends though calls are missing for ever", async ({ box, server }) => {
    server.script = () => stragglers(1);
    expect(await runAnsweredHook(box, server, hookText(box, STOP))).toEqual(SILENT);
    expect(server.requests.length).toBeGreaterThan(1);
    expect(server.requests.length).toBeLessThanOrEqual(7);
    expect(spoolOf(box)).toEqual([]);
  });

  test.for(["hang", "reset", "garbage"] as const)(
    "ends when the server does not go on answering: %s",
    async (reply, { box, server }) => {
      server.script = (_, nth) => (nth === 0 ? stragglers(1) : reply);
      expect(await runAnsweredHook(box, server, hookText(box, STOP))).toEqual(SILENT);
      expect(server.requests).toHaveLength(2);
      // It was told, and that is what counts.
      expect(spoolOf(box)).toEqual([]);
    },
  );

  test.for(["PostToolUse", "SubagentStop", "SessionEnd", "StopFailure"])(
    "nothing else waits: %s",
    async (hook_event_name, { box, server }) => {
      server.script = () => stragglers(1);
      expect(await runAnsweredHook(box, server, hookText(box, { hook_event_name }))).toEqual(SILENT);
      expect(server.requests).toHaveLength(1);
    },
  );
});

describe("an id for a call", () => {
  const ID = "0199a0b0-1111-7222-8333-444455556666";
  const CALL = { hook_event_name: "PreToolUse", tool_name: "mcp__files__write", tool_response: undefined };
  const withId = ({ body }: SeenRequest): Reply => ({
    body: { stragglers: 0, injectedId: body.mayInject ? ID : null },
  });
  /** The arguments as a model wrote them: nothing of this survives being written anew. */
  const INPUT = String.raw`{ "n":1.0, "big":12345678901234567890,"e":1e3,"t":"\u0041\/é","a":[ ],"a":[1] }`;
  const textOf = (box: Parameters<typeof hookText>[0], other: object = {}, input = INPUT) =>
    hookText(box, { ...CALL, tool_input: "HERE", ...other }).replace('"HERE"', () => input);

  const DECISIONS = [
    ["allow", '"permissionDecision":"allow",'],
    ["ask", '"permissionDecision":"ask",'],
    ["none", ""],
  ] as const;

  test.for(DECISIONS)("with the decision %s", async ([decision, said], { box, server }) => {
    server.script = withId;
    const env = { BIR_CORRELATION_DECISION: decision };
    const { stdout, ...rest } = await runAnsweredHook(box, server, textOf(box), { env });
    expect({ ...rest, stdout: "" }).toEqual(SILENT);
    expect(stdout).toBe(
      `{"hookSpecificOutput":{"hookEventName":"PreToolUse",${said}"updatedInput":{"__bir_call_id__":"${ID}",${INPUT.slice(2)}}}\n`,
    );
    expect(server.requests[0]?.body).toMatchObject({ mayInject: true, fact: { kind: "tool-starting" } });
  });

  test("beside no other argument", async ({ box, server }) => {
    server.script = withId;
    const env = { BIR_CORRELATION_DECISION: "none" };
    const { stdout } = await runAnsweredHook(box, server, textOf(box, {}, "{ }"), { env });
    expect(JSON.parse(stdout).hookSpecificOutput).toEqual({
      hookEventName: "PreToolUse",
      updatedInput: { __bir_call_id__: ID },
    });
  });

  test("is put in as the model's arguments, secrets and all, and told without them", async ({ box, server }) => {
    server.script = withId;
    const token = `ghp_${"R4tYu7IoP2aSdF5gHj8K"}${"lZxC1vBnM3qWeR6t"}`;
    const { stdout } = await runAnsweredHook(box, server, textOf(box, {}, JSON.stringify({ token })), {
      env: { BIR_CORRELATION_DECISION: "none" },
    });
    expect(JSON.parse(stdout).hookSpecificOutput.updatedInput.token).toBe(token);
    expect(server.requests[0]?.text).not.toContain(token);
  });

  const ALLOW = { BIR_CORRELATION_DECISION: "allow" };
  const NOT: [string, Record<string, string>, object, string?][] = [
    ["where nobody has chosen it", {}, {}],
    ["where somebody has chosen something else", { BIR_CORRELATION_DECISION: "deny" }, {}],
    ["where it is switched off", { ...ALLOW, BIR_NO_CORRELATION: "1" }, {}],
    ["while the host only plans", ALLOW, { permission_mode: "plan" }],
    ["of a tool of the host's own", ALLOW, { tool_name: "Bash" }],
    ["that has ended", ALLOW, { hook_event_name: "PostToolUse" }],
    ["that waits for permission", ALLOW, { hook_event_name: "PermissionRequest" }],
    ["that has one", ALLOW, {}, '{"a":1,"__bir_call_id__":"x"}'],
    ["whose arguments are no object", ALLOW, {}, "[1]"],
  ];

  test.for(NOT)("is not put into a call %s", async ([, env, other, input], { box, server }) => {
    server.script = withId;
    expect(await runAnsweredHook(box, server, textOf(box, other, input), { env })).toEqual(SILENT);
    expect(server.requests.map(({ body }) => body.mayInject)).toEqual([false]);
  });

  test.for([null, "", 'a"b', "x".repeat(200), 7])(
    "is not put in where the server gives none: %s",
    async (injectedId, { box, server }) => {
      server.script = () => ({ body: { stragglers: 0, injectedId } });
      expect(await runAnsweredHook(box, server, textOf(box), { env: ALLOW })).toEqual(SILENT);
    },
  );

  test("is given up where the host does not read", async ({ box, server }) => {
    server.script = withId;
    const hook = await startHook(box, textOf(box), { env: ALLOW, paused: true });
    hook.closeStdout();
    expect(await outcomeOfHook(hook)).toEqual(SILENT);
  });

  test("is not waited for longer than anything else, and not left in the spool", async ({ box, server }) => {
    server.script = () => "hang";
    expect(await runHook(box, textOf(box), { env: ALLOW })).toEqual(SILENT);
    expect(spoolOf(box)[0]?.text).toContain('"mayInject":false');
  });
});
