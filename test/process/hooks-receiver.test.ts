/**
 * `bir hooks` with a control server that answers: what it tells, and that the host sees nothing of it, whatever it is given.
 */

import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect } from "vitest";
import { claudeCodeHooks } from "../../src/hooks/settings/claude-code-settings.ts";
import { hookCommand } from "../../src/hooks/settings/hook-command.ts";
import { argumentsHash } from "../../src/jsonrpc/arguments-hash.ts";
import { directoryOffSwitchPath, offSwitchPath } from "../../src/kit/paths.ts";
import { FakeControlServer } from "../fakes/control-server.ts";
import { TrafficTrap } from "../fakes/traffic-trap.ts";
import {
  hookText,
  outcomeOfHook,
  runHook,
  SILENT,
  spooledReports,
  spoolOf,
  startedServers,
} from "../harness/hook-process.ts";
import { BIR } from "../harness/locations.ts";
import { test as boxTest } from "../harness/process-test.ts";
import type { Sandbox } from "../harness/sandbox.ts";
import { linesOf } from "../unit/hook-fixture.ts";

const test = boxTest.extend<{ server: FakeControlServer }>({
  server: async ({ box }, use) => {
    const server = await FakeControlServer.start();
    server.announce(box.birHome);
    await use(server);
    await server.close();
  },
});

/** Nothing was told, nothing left, nothing started. */
function expectNothing(box: Sandbox, server: FakeControlServer): void {
  expect(server.requests).toEqual([]);
  expect(spoolOf(box)).toEqual([]);
  expect(startedServers(box)).toEqual([]);
}

describe("what is told", () => {
  test("a call, while the pipe stays open", async ({ box, server }) => {
    const before = Date.now();
    const env = {
      CLAUDE_PID: "4711",
      CLAUDE_PROJECT_DIR: "/home/dev/shop",
      AI_AGENT: "claude-code_2-1-332_harness",
    };
    expect(await runHook(box, hookText(box), { env })).toEqual(SILENT);
    const [request] = server.requests;
    expect(server.requests).toHaveLength(1);
    expect(request).toMatchObject({ method: "POST", route: "/tool/post" });
    expect(request?.body).toMatchObject({
      reportId: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7/),
      app: "claude-code",
      appVersion: "2.1.332",
      hostPid: 4711,
      projectDir: "/home/dev/shop",
      argsHash: null,
      mayInject: false,
      malformed: null,
      fact: { kind: "tool-ended", toolUseId: "toolu_1", input: '{"command":"true"}', cwd: box.cwd, isCut: false },
    });
    expect(request?.body.at).toBeGreaterThanOrEqual(before - 1);
    expect(request?.body.at).toBeLessThanOrEqual(Date.now());
    expect(spoolOf(box)).toEqual([]);
  });

  test("every event that a session has, at its route", async ({ box, server }) => {
    const lines = [...linesOf("basic", "hooks"), ...linesOf("permissions-compact-clear", "hooks")];
    const routes: Record<string, string> = {
      SessionStart: "/session/start",
      SessionEnd: "/session/end",
      UserPromptSubmit: "/session/prompt",
      PreToolUse: "/tool/pre",
      PermissionRequest: "/tool/pre",
      PostToolUse: "/tool/post",
      PostToolUseFailure: "/tool/post",
      PostToolBatch: "/tool/post",
      Stop: "/session/stop",
      SubagentStop: "/session/stop",
      PreCompact: "/session/prompt",
      PostCompact: "/session/prompt",
      SubagentStart: "/session/prompt",
    };
    const expected: string[] = [];
    // One that a busy server answered too late is in the spool, too.
    const told = new Map<string, string>();
    for (const line of lines) {
      const route = routes[JSON.parse(line).hook_event_name];
      if (route !== undefined) expected.push(route);
      expect(await runHook(box, line)).toEqual(SILENT);
      const left = spooledReports(box).map(({ route, report }) => ({ route, body: report }));
      for (const { route, body } of [...server.requests, ...left]) told.set(body.reportId, route);
    }
    expect(new Set(expected)).toEqual(new Set(Object.values(routes)));
    expect([...told.values()]).toEqual(expected);
  });

  test("a text that comes in pieces, and more behind it", async ({ box, server }) => {
    const hook = box.start([BIR, "hooks"]);
    for (const piece of hookText(box).match(/.{1,97}/g) ?? []) await hook.write(piece);
    await hook.write(`${hookText(box)}\n{"another":`).catch(() => {});
    expect(await outcomeOfHook(hook)).toEqual(SILENT);
    expect(server.requests.map(({ body }) => body.fact.kind)).toEqual(["tool-ended"]);
  });

  test("of a text without end as much as is kept of any", async ({ box, server }) => {
    const head = hookText(box, { tool_response: undefined, tool_use_id: undefined, duration_ms: undefined }).slice(
      0,
      -1,
    );
    const hook = box.start([BIR, "hooks"]);
    await hook.write(`${head},"tool_use_id":"toolu_1","tool_response":{"stdout":"`);
    const piece = Buffer.alloc(1024 * 1024, "all work and no play ");
    for (let i = 0; i < 17; i++) await hook.write(piece).catch(() => {});
    expect(await outcomeOfHook(hook)).toEqual(SILENT);
    const [request] = server.requests;
    expect(request?.body.fact).toMatchObject({ kind: "tool-ended", toolUseId: "toolu_1", isCut: true });
    expect(JSON.parse(request?.body.fact.response).truncated).toBe(true);
    expect(request?.text.length).toBeLessThan(300_000);
  });

  test("once by the command that hosts run, whose variable this runtime takes", async ({ box, server }) => {
    expect(await runHook(box, hookText(box), { env: { BUN_JSC_useJIT: "0" } })).toEqual(SILENT);
    expect(server.requests).toHaveLength(1);
    const shell = box.start(["/bin/sh", "-c", hookCommand(BIR)]);
    await shell.write(hookText(box)).catch(() => {});
    expect(await outcomeOfHook(shell)).toEqual(SILENT);
    expect(server.requests).toHaveLength(2);
  });

  test("under the name bir-hooks as well", async ({ box, server }) => {
    const link = box.file("bir-hooks");
    const path = join(dirname(link), "bir-hooks");
    symlinkSync(BIR, path);
    const hook = box.start([path]);
    await hook.write(hookText(box)).catch(() => {});
    expect(await outcomeOfHook(hook)).toEqual(SILENT);
    expect(server.requests).toHaveLength(1);
  });

  test("the fingerprint of a call for which the host has no id, and of no other", async ({ box, server }) => {
    const input = '{"b":1.0,"a":"x\\u0041"}';
    const old = { tool_name: "mcp__files__read", tool_use_id: undefined, tool_input: JSON.parse(input) };
    await runHook(box, hookText(box, old).replace(JSON.stringify(JSON.parse(input)), input));
    await runHook(box, hookText(box, { ...old, tool_use_id: "toolu_1" }));
    await runHook(box, hookText(box, { ...old, tool_name: "Bash" }));
    const hash = argumentsHash(input, server.token);
    expect(hash).not.toBeNull();
    expect(server.requests.map(({ body }) => body.argsHash)).toEqual([hash, null, null]);
  });
});

describe("what is not told", () => {
  test("events that are unknown, or tell nothing", async ({ box, server }) => {
    for (const hook_event_name of ["Nonsense", "Notification", "MessageDisplay", "__proto__"]) {
      expect(await runHook(box, hookText(box, { hook_event_name }))).toEqual(SILENT);
    }
    expectNothing(box, server);
  });

  test("nothing, where nothing comes", async ({ box, server }) => {
    expect(await runHook(box, "")).toEqual(SILENT);
    expect(await runHook(box, " \n\t")).toEqual(SILENT);
    const ended = box.start([BIR, "hooks"]);
    await ended.closeStdin();
    expect(await outcomeOfHook(ended)).toEqual(SILENT);
    const closed = box.start(["/bin/sh", "-c", `exec '${BIR}' hooks <&-`]);
    expect(await outcomeOfHook(closed)).toEqual(SILENT);
    const directory = box.start(["/bin/sh", "-c", `exec '${BIR}' hooks </`]);
    expect(await outcomeOfHook(directory)).toEqual(SILENT);
    expectNothing(box, server);
  });

  test("DEG-16 what is no hook, but that there was something", async ({ box, server }) => {
    const garbage = new Uint8Array(5000).map((_, i) => (i * 7919 + 128) & 0xff);
    const texts = [garbage, "[1,2]", "null", '"text"', "{}", `{"hook_event_name":"Stop"}`, "{,}"];
    for (const text of texts) {
      const hook = box.start([BIR, "hooks"]);
      await hook.write(text).catch(() => {});
      await hook.closeStdin();
      expect(await outcomeOfHook(hook)).toEqual(SILENT);
    }
    expect(server.requests.map(({ body }) => [body.fact, body.malformed])).toEqual([
      [null, { reason: "not a JSON object", sessionId: null }],
      [null, { reason: "not a JSON object", sessionId: null }],
      [null, { reason: "not a JSON object", sessionId: null }],
      [null, { reason: "not a JSON object", sessionId: null }],
      [null, { reason: "no event name", sessionId: null }],
      [null, { reason: "no session id", sessionId: null }],
      [null, { reason: "not a JSON object", sessionId: null }],
    ]);
  });

  test("DEG-16 the rest of a hook that was cut short", async ({ box, server }) => {
    const hook = box.start([BIR, "hooks"]);
    await hook.write(hookText(box).slice(0, 60));
    await hook.closeStdin();
    expect(await outcomeOfHook(hook)).toEqual(SILENT);
    expect(server.requests[0]?.body.malformed).toMatchObject({ reason: "cut short" });
  });

  const SECRETS = [`ghp_${"R4tYu7IoP2aSdF5gHj8K"}${"lZxC1vBnM3qWeR6t"}`, `pg9Xw-4z${"Qm7_Lk2"}`, "hunter2-but-longer"];

  test("a secret, to the server or to the disk", async ({ box, server }) => {
    const secret = {
      tool_input: { command: `curl -H 'Authorization: Bearer ${SECRETS[0]}' x`, password: SECRETS[2] },
      tool_response: { stdout: `DATABASE_URL=postgres://app:${SECRETS[1]}@db/x\n`, token: SECRETS[0] },
    };
    const env = { CLAUDE_PROJECT_DIR: `/tmp/${SECRETS[0]}` };
    expect(await runHook(box, hookText(box, secret), { env })).toEqual(SILENT);
    server.script = () => ({ status: 503 });
    expect(await runHook(box, hookText(box, secret), { env })).toEqual(SILENT);
    const [spooled] = spoolOf(box);
    for (const text of [server.requests[0]?.text, server.requests[1]?.text, spooled?.text]) {
      expect(text).toContain("[REDACTED:");
      for (const each of SECRETS) expect(text).not.toContain(each);
    }
  });

  test("a value under a key that only sounds like one, where a person wants that", async ({ box, server }) => {
    const counted = { tool_input: { max_tokens: "12345" } };
    await runHook(box, hookText(box, counted));
    await runHook(box, hookText(box, counted), { env: { BIR_REDACT_LEGACY_KEYS: "1" } });
    expect(server.requests.map(({ body }) => body.fact.input.includes("12345"))).toEqual([true, false]);
  });

  const OFF: [string, (box: Sandbox) => Record<string, string> | string][] = [
    ["by BIR_OFF", () => ({ BIR_OFF: "1" })],
    ["everywhere", (box) => offSwitchPath(box.birHome)],
    ["for the directory", (box) => directoryOffSwitchPath(box.cwd, box.birHome)],
    ["for a parent of the directory", (box) => directoryOffSwitchPath(dirname(box.cwd), box.birHome)],
    ["for the directory that the session has gone to", (box) => directoryOffSwitchPath("/elsewhere", box.birHome)],
  ];

  test.for(OFF)("anything, while it is switched off %s", async ([, how], { box, server }) => {
    const off = how(box);
    if (typeof off === "string") {
      mkdirSync(dirname(off), { recursive: true, mode: 0o700 });
      writeFileSync(off, "");
    }
    const env = typeof off === "string" ? {} : off;
    expect(await runHook(box, hookText(box, { cwd: "/elsewhere/below" }), { env })).toEqual(SILENT);
    expectNothing(box, server);
  });
});

describe("where it is told", () => {
  test("at the server of the environment, before the one of the files", async ({ box, server }) => {
    const other = await FakeControlServer.start();
    const { env } = other;
    await runHook(box, hookText(box), { env });
    expect([server.requests.length, other.requests.length]).toEqual([0, 1]);
    await other.close();
    await runHook(box, hookText(box), { env });
    expect(server.requests.length).toBe(1);
  });

  test("nowhere off this machine", async ({ box, server }) => {
    const trap = await TrafficTrap.start();
    const { HTTP_PROXY = "" } = trap.env;
    const proxied = { HTTP_PROXY, http_proxy: HTTP_PROXY, ALL_PROXY: HTTP_PROXY };
    const token = server.token;
    for (const BIR_CONTROL_URL of ["http://192.0.2.1:4000", "https://127.0.0.1:1", "http://127.0.0.1.example.com:1"]) {
      const env = { ...proxied, BIR_CONTROL_URL, BIR_CONTROL_TOKEN: token };
      expect(await runHook(box, hookText(box), { env })).toEqual(SILENT);
    }
    expect(server.requests).toHaveLength(3);
    expect(trap.caught).toEqual([]);
    await trap.close();
  });
});

describe("the command line", () => {
  test("any word that is none of its own ends with 2, and says so", async ({ box, server }) => {
    const wrong = box.start([BIR, "hooks", "recieve"]);
    const outcome = await outcomeOfHook(wrong);
    expect(outcome).toMatchObject({ code: 2, stdout: "" });
    expect(outcome.stderr).toContain('"recieve"');
    expect((await box.bir(["hooks", "--help"])).stdout).toContain("print-settings");
    expectNothing(box, server);
  });

  test("print-settings prints what a version takes, with the command that was asked for", async ({ box }) => {
    const words = [
      "hooks",
      "print-settings",
      "--host",
      "claude-code",
      "--host-version=2.0.76",
      "--command",
      "/opt/b ir",
    ];
    const { code, stdout, stderr } = await box.bir(words);
    expect([code, stderr]).toEqual([0, ""]);
    const { hooks } = JSON.parse(stdout);
    expect(hooks).toEqual(claudeCodeHooks({ version: [2, 0, 76], executable: "/opt/b ir", correlation: false }));
    const unknown = JSON.parse((await box.bir(["hooks", "print-settings", "--correlation"])).stdout);
    expect(unknown.hooks).toEqual(claudeCodeHooks({ version: null, executable: BIR, correlation: true }));
  });

  test.for([
    [2, "--host-version", "latest"],
    [2, "--host-version"],
    [2, "--host", "codex"],
    [2, "--command=-x"],
    [2, "--correlation=yes"],
    [2, "more"],
    [1, "--host-version", "2.0.9"],
  ] as const)("print-settings ends with %s: %s %s", async ([status, ...words], { box }) => {
    const { code, stdout, stderr } = await box.bir(["hooks", "print-settings", ...words]);
    expect([code, stdout]).toEqual([status, ""]);
    expect(stderr).toMatch(/^bir: [^\n]+\n$/);
  });

  test("BIR_DEBUG=hooks says what it does, and nothing of what it was told", async ({ box }) => {
    const { stdout, stderr, code } = await runHook(box, hookText(box), { env: { BIR_DEBUG: "hooks" } });
    expect([code, stdout]).toEqual([0, ""]);
    expect(stderr).toMatch(/^bir: \[hooks\] tool-ended\n/);
    expect(stderr).not.toContain("toolu_1");
    await box.killSurvivors();
  });
});
