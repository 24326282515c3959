/**
 * The official SDK clients, old and new, talk to servers through the proxy as if it were not there, and afterwards the
 * record holds exactly the calls they made.
 */

import { Client as ModernClient, type VersionNegotiationMode } from "@modelcontextprotocol/client";
import { StdioClientTransport as ModernTransport } from "@modelcontextprotocol/client/stdio";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { CreateMessageRequestSchema, ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { describe, expect } from "vitest";
import { BUN, SDK_SERVER, SERVER_EVERYTHING } from "../harness/locations.ts";
import { test } from "../harness/process-test.ts";
import { listRuns, onlyRun } from "../harness/recorded-runs.ts";
import type { Sandbox } from "../harness/sandbox.ts";
import { commandFor, RECORDING } from "../harness/transcript.ts";

const INFO = { name: "sdk-client", version: "4.5.6" };

/** How an SDK transport starts `upstream` behind the proxy in this sandbox. */
function behindProxy(box: Sandbox, upstream: readonly string[], name: string) {
  const [command = "", ...args] = commandFor(RECORDING, upstream, name);
  return { command, args, env: box.env(), cwd: box.cwd, stderr: "pipe" as const };
}

/** The clients drop progress that reaches them in one piece with the answer: that all three came is in the record. */
const expectProgress = (seen: readonly number[]) => expect(seen).toEqual([1, 2, 3].slice(0, seen.length));

const text = (value: string) => [{ type: "text", text: value }];

describe("SDK v1 (2025-11-25) with server-everything", () => {
  async function connect(box: Sandbox): Promise<Client> {
    const client = new Client(INFO, { capabilities: { sampling: {}, elicitation: { form: {} } } });
    client.setRequestHandler(CreateMessageRequestSchema, ({ params }) => ({
      role: "assistant",
      model: "none",
      content: { type: "text", text: `sampled at most ${params.maxTokens}` },
    }));
    client.setRequestHandler(ElicitRequestSchema, () => ({ action: "decline" }));
    await client.connect(new StdioClientTransport(behindProxy(box, [BUN, SERVER_EVERYTHING, "stdio"], "everything")));
    return client;
  }

  test("lists, calls, failures, both ways, progress, cancellation", async ({ box }) => {
    const client = await connect(box);
    const { tools } = await client.listTools();
    expect(tools.map((tool) => tool.name)).toContain("trigger-sampling-request");
    await client.ping();

    const echo = await client.callTool({ name: "echo", arguments: { message: "é 😀" } });
    expect(echo.content).toEqual(text("Echo: é 😀"));
    expect(await client.callTool({ name: "get-sum", arguments: { a: "x" } })).toMatchObject({ isError: true });
    const weather = await client.callTool({ name: "get-structured-content", arguments: { location: "New York" } });
    expect(weather.structuredContent).toEqual({ temperature: 33, conditions: "Cloudy", humidity: 82 });
    const sampling = { name: "trigger-sampling-request", arguments: { prompt: "p", maxTokens: 7 } };
    expect(JSON.stringify(await client.callTool(sampling))).toContain("sampled at most 7");
    expect(JSON.stringify(await client.callTool({ name: "trigger-elicitation-request" }))).toContain("declined");

    const progress: number[] = [];
    const long = { name: "trigger-long-running-operation", arguments: { duration: 0.1, steps: 3 } };
    await client.callTool(long, undefined, { onprogress: (step) => progress.push(step.progress) });
    expectProgress(progress);

    const abort = new AbortController();
    const endless = { ...long, arguments: { duration: 600, steps: 60_000 } };
    const cancelled = client.callTool(endless, undefined, {
      signal: abort.signal,
      onprogress: () => abort.abort("enough"),
    });
    await expect(cancelled).rejects.toThrow("enough");
    await client.callTool({ name: "echo", arguments: { message: "after" } });
    await client.close();

    const run = await onlyRun(box);
    expect(run).toMatchObject({ status: "completed", lossy: false, host: { app: INFO.name, version: INFO.version } });
    expect(run.steps.map((step) => [step.tool, step.status])).toEqual([
      ["echo", "ok"],
      ["get-sum", "error"],
      ["get-structured-content", "ok"],
      ["trigger-sampling-request", "ok"],
      ["trigger-elicitation-request", "ok"],
      ["trigger-long-running-operation", "ok"],
      ["trigger-long-running-operation", "cancelled"],
      ["echo", "ok"],
    ]);
    expect(run.steps[0]).toMatchObject({
      ...{ server: "everything", qualifiedName: "mcp__everything__echo", args: { message: "é 😀" } },
      ...{ result: { content: text("Echo: é 😀") }, isError: false, error: null, legs: 1, truncated: false, index: 0 },
    });
    expect(run.steps[2]?.result).toMatchObject({ structuredContent: { temperature: 33 } });
    expect(run.steps[5]?.progress).toBe(3);
    expect(run.steps.every((step) => step.status === "cancelled" || (step.durationMs ?? -1) >= 0)).toBe(true);
  });

  test("a client that only looks around leaves no run", async ({ box }) => {
    const client = await connect(box);
    await client.listTools();
    await client.listResources();
    await client.listPrompts();
    await client.close();
    expect(await listRuns(box)).toEqual([]);
  });

  test("two clients at once: two runs in the one store", async ({ box }) => {
    const clients = await Promise.all([connect(box), connect(box)]);
    const call = (client: Client, n: number) => client.callTool({ name: "echo", arguments: { message: `${n}` } });
    for (let n = 0; n < 50; n++) await Promise.all(clients.map((client) => call(client, n)));
    await Promise.all(clients.map((client) => client.close()));
    expect((await listRuns(box)).map((run) => [run.stepCount, run.status])).toEqual([
      [50, "completed"],
      [50, "completed"],
    ]);
  });
});

const MODES: { mode: VersionNegotiationMode; name: string; version: string; legs: number }[] = [
  { mode: "legacy", name: "legacy", version: "2025-11-25", legs: 1 },
  { mode: "auto", name: "auto", version: "2026-07-28", legs: 2 },
  { mode: { pin: "2026-07-28" }, name: "pinned to 2026-07-28", version: "2026-07-28", legs: 2 },
];

describe.each(MODES)("SDK v2, $name", ({ mode, version, legs }) => {
  async function connect(box: Sandbox, upstream: readonly string[]): Promise<[ModernClient, ModernTransport]> {
    const capabilities = { elicitation: { form: {} } };
    const client = new ModernClient(INFO, { capabilities, versionNegotiation: { mode } });
    client.setRequestHandler("elicitation/create", () => ({ action: "accept", content: { colour: "red" } }));
    const transport = new ModernTransport(behindProxy(box, upstream, "sdk"));
    await client.connect(transport);
    return [client, transport];
  }

  test("with a server of the same SDK", async ({ box }) => {
    const [client, transport] = await connect(box, [BUN, SDK_SERVER]);
    const said = { text: "" };
    transport.stderr?.on("data", (chunk: Buffer) => {
      said.text += chunk.toString();
    });
    expect(client.getNegotiatedProtocolVersion()).toBe(version);
    const { tools } = await client.listTools();
    expect(tools.map((tool) => tool.name).toSorted()).toEqual(["choose", "echo", "fail", "forecast", "steps", "wait"]);

    const echo = await client.callTool({ name: "echo", arguments: { message: "é 😀" } });
    expect(echo.content).toEqual(text("é 😀"));
    expect(await client.callTool({ name: "fail", arguments: {} })).toMatchObject({ isError: true });
    const forecast = await client.callTool({ name: "forecast", arguments: { city: "Oslo" } });
    expect(forecast.structuredContent).toEqual({ celsius: 21.5 });
    expect((await client.callTool({ name: "choose", arguments: {} })).content).toEqual(text("chose red"));
    const progress: number[] = [];
    const onprogress = (step: { progress: number }) => void progress.push(step.progress);
    await client.callTool({ name: "steps", arguments: { count: 3 } }, { onprogress });
    expectProgress(progress);

    const abort = new AbortController();
    const waiting = client.callTool({ name: "wait", arguments: {} }, { signal: abort.signal });
    await expect.poll(() => said.text, { timeout: 20_000 }).toContain("[sdk] waiting");
    abort.abort(new Error("enough"));
    await expect(waiting).rejects.toThrow("enough");
    await expect.poll(() => said.text, { timeout: 20_000 }).toContain("[sdk] cancelled");
    await client.close();

    const run = await onlyRun(box);
    expect(run.host).toEqual({ app: INFO.name, version: INFO.version });
    expect(run.steps.map((step) => [step.tool, step.status, step.legs])).toEqual([
      ["echo", "ok", 1],
      ["fail", "error", 1],
      ["forecast", "ok", 1],
      ["choose", "ok", legs],
      ["steps", "ok", 1],
      ["wait", "cancelled", 1],
    ]);
    expect(run.steps[3]?.result).toMatchObject({ content: text("chose red") });
    expect(run.steps[4]?.progress).toBe(3);
  });

  test("with the scripted server, which also ends a subscription", async ({ box }) => {
    const [client] = await connect(box, box.fake());
    if (version === "2026-07-28") {
      const listening = await client.listen({ toolsListChanged: true });
      expect(listening.honoredFilter).toEqual({ toolsListChanged: true });
      await client.callTool({ name: "listeners", arguments: { end: true } });
      expect(await listening.closed).toBe("graceful");
      const rounds = await client.callTool({ name: "rounds", arguments: { rounds: 3 } });
      expect(JSON.stringify(rounds.content)).toContain("rounds done");
    }
    await expect(client.callTool({ name: "protocol-error" })).rejects.toThrow("A scripted error");
    const dying = await client.callTool({ name: "die", arguments: { code: 3 } });
    expect(dying).toMatchObject({ isError: true, content: text('MCP server "sdk" is not available') });
    await client.close();

    const { steps } = await onlyRun(box);
    const modern = [
      ["listeners", "ok", 1],
      ["rounds", "ok", 4],
    ];
    expect(steps.map((step) => [step.tool, step.status, step.legs])).toEqual([
      ...(version === "2026-07-28" ? modern : []),
      ["protocol-error", "error", 1],
      ["die", "error", 1],
    ]);
  });
});
