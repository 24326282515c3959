/**
 * Runs the real Claude Code sealed off: a home of its own, an environment of switches only, a scripted model, and a
 * trap for whatever it sends elsewhere. Owns the fakes; its processes belong to the sandbox. Judges nothing but traffic.
 */

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { ModelApi } from "../../fakes/model-api/model-api.ts";
import type { Conversation } from "../../fakes/model-api/script.ts";
import { TrafficTrap } from "../../fakes/traffic-trap.ts";
import { Deadline } from "../../harness/deadline.ts";
import { test as boxTest } from "../../harness/process-test.ts";
import type { Exit, RunningProcess } from "../../harness/running-process.ts";
import type { Sandbox } from "../../harness/sandbox.ts";
import { type ClaudeVersion, claudeCode } from "../installed.ts";

const SWITCHES = {
  ANTHROPIC_API_KEY: "sk-ant-scripted",
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
  DISABLE_TELEMETRY: "1",
  DISABLE_ERROR_REPORTING: "1",
  DISABLE_AUTOUPDATER: "1",
  // A session begins when its servers are there: on a busy machine too.
  MCP_CONNECTION_NONBLOCKING: "0",
};
/** Asked at the end of a session whatever its switches say (whether metrics are wanted); it gets no answer here. */
const ASKED_ANYWAY: Record<ClaudeVersion, readonly string[]> = {
  "2.1.332": [],
  "2.0.76": ["CONNECT api.anthropic.com:443 HTTP/1.1"],
};
const SESSION_MS = 60_000;

/** One row of `--output-format stream-json`. */
export interface StreamRow {
  type: string;
  subtype?: string;
  session_id: string;
  message?: { content: string | Record<string, unknown>[] };
  [member: string]: unknown;
}

export interface Session {
  prompt: string;
  /** The commands of the MCP servers, by name. */
  servers: Record<string, readonly string[]>;
  flags?: readonly string[];
  /** Its name in the sandbox; another one than the last session's, and nothing is known of that. */
  home?: string;
  env?: Record<string, string>;
}

export interface Outcome extends Exit {
  rows: StreamRow[];
  sessionId: string;
  /** The final answer. */
  result: unknown;
  stderr: string;
}

export class SealedClaude {
  readonly version: ClaudeVersion;
  readonly model: ModelApi;
  readonly #box: Sandbox;
  readonly #trap: TrafficTrap;

  private constructor(box: Sandbox, version: ClaudeVersion, model: ModelApi, trap: TrafficTrap) {
    this.#box = box;
    this.version = version;
    this.model = model;
    this.#trap = trap;
  }

  static async start(box: Sandbox, version: ClaudeVersion, conversations: readonly Conversation[]) {
    const [model, trap] = await Promise.all([ModelApi.start(conversations), TrafficTrap.start()]);
    return new SealedClaude(box, version, model, trap);
  }

  /** Writes a JSON file into its home. */
  file(name: string, value: unknown): void {
    writeFileSync(join(this.#box.home, name), JSON.stringify(value));
  }

  /** Starts it with these arguments. */
  run(args: readonly string[], { home = "home", env }: Partial<Session> = {}): RunningProcess {
    const HOME = join(this.#box.directory, home);
    const TMPDIR = join(HOME, "tmp");
    mkdirSync(TMPDIR, { recursive: true, mode: 0o700 });
    const sealed = { ...SWITCHES, ...this.#trap.env, HOME, TMPDIR, ANTHROPIC_BASE_URL: this.model.url };
    return this.#box.start([...claudeCode(this.version).command, ...args], { env: { ...sealed, ...env } });
  }

  /** Starts one session of `claude -p`. */
  async start(session: Session): Promise<RunningProcess> {
    const servers = Object.entries(session.servers).map(([name, [command, ...args]]) => [name, { command, args }]);
    const config = this.#box.file("mcp.json", JSON.stringify({ mcpServers: Object.fromEntries(servers) }));
    const allowed = Object.keys(session.servers).map((name) => `mcp__${name}`);
    const host = this.run(
      [
        ...["-p", session.prompt, "--model", "claude-sonnet-4-5", "--output-format", "stream-json", "--verbose"],
        ...["--mcp-config", config, "--strict-mcp-config", "--allowedTools", ...allowed, ...(session.flags ?? [])],
      ],
      session,
    );
    await host.closeStdin();
    return host;
  }

  /** Runs one session of `claude -p` to its end. */
  async session(session: Session): Promise<Outcome> {
    return await outcomeOf(await this.start(session));
  }

  async close(): Promise<void> {
    await Promise.all([this.model.close(), this.#trap.close()]);
  }

  /** Nothing was asked of the model's API that it does not have, and nothing of anybody else. */
  expectSealed(): void {
    expect(this.model.unexpected()).toEqual([]);
    expect(new Set(this.#trap.caught).difference(new Set(ASKED_ANYWAY[this.version]))).toEqual(new Set());
  }
}

export async function outcomeOf(host: RunningProcess): Promise<Outcome> {
  const exit = await host.exit(new Deadline(SESSION_MS));
  const rows = host.stdout.lines().map((line) => JSON.parse(line) as StreamRow);
  const last = rows.findLast(({ type }) => type === "result");
  const sessionId = rows.find(({ type }) => type === "system")?.session_id ?? "";
  return { ...exit, rows, sessionId, result: last?.result, stderr: host.stderr.text() };
}

/** The calls that the host told of, in the order the model made them. */
export function toolUses(outcome: Outcome): Record<string, unknown>[] {
  return blocksOf(outcome, "assistant", "tool_use");
}

/** What the model was given as the result of each call, by the call's id. */
export function toolResults(outcome: Outcome): Map<unknown, Record<string, unknown>> {
  return new Map(blocksOf(outcome, "user", "tool_result").map((block) => [block.tool_use_id, block]));
}

function blocksOf({ rows }: Outcome, row: string, block: string): Record<string, unknown>[] {
  const contents = rows.filter(({ type }) => type === row).map(({ message }) => message?.content);
  return contents.flatMap((content) => (Array.isArray(content) ? content : [])).filter(({ type }) => type === block);
}

/** `claude(version, conversations)` starts it for a test; the traffic is judged when the test is over. */
export const test = boxTest.extend<{
  claude: (version: ClaudeVersion, conversations: readonly Conversation[]) => Promise<SealedClaude>;
}>({
  claude: async ({ box, task }, use) => {
    const started: SealedClaude[] = [];
    await use(async (version, conversations) => {
      const sealed = await SealedClaude.start(box, version, conversations);
      started.push(sealed);
      return sealed;
    });
    for (const sealed of started) await sealed.close();
    if (task.result?.state !== "fail") for (const sealed of started) sealed.expectSealed();
  },
});
