/**
 * Runs the real Claude Code sealed off: a home of its own, an environment of switches only, a scripted model, and a
 * trap for whatever it sends elsewhere. Owns the fakes; its processes belong to the sandbox. Judges nothing but traffic.
 */

import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { ModelApi } from "../../fakes/model-api/model-api.ts";
import type { Conversation } from "../../fakes/model-api/script.ts";
import { TrafficTrap } from "../../fakes/traffic-trap.ts";
import { Deadline } from "../../harness/deadline.ts";
import type { Exit, RunningProcess } from "../../harness/running-process.ts";
import type { Sandbox } from "../../harness/sandbox.ts";
import { type ClaudeVersion, claudeCode } from "../installed.ts";
import { ClaudeTerminal } from "./claude-terminal.ts";
import type { Program } from "./terminal.ts";

const SWITCHES = {
  ANTHROPIC_API_KEY: "sk-ant-scripted",
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
  DISABLE_TELEMETRY: "1",
  DISABLE_ERROR_REPORTING: "1",
  DISABLE_AUTOUPDATER: "1",
  // A session begins when its servers are there: on a busy machine too.
  MCP_CONNECTION_NONBLOCKING: "0",
};
/**
 * Asked whatever its switches say: at the end of a session whether metrics are wanted, in a terminal what its newest
 * version is. It gets no answer here.
 */
const ASKED_ANYWAY: Record<ClaudeVersion, readonly string[]> = {
  "2.1.332": [],
  "2.0.76": ["CONNECT api.anthropic.com:443 HTTP/1.1", "CONNECT registry.npmjs.org:443 HTTP/1.1"],
};
const SESSION_MS = 60_000;
/** How much of a key its user is shown, and said yes to. */
const SHOWN_OF_KEY = 20;

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
  /** Tools that it may use without asking, beside those of its servers. */
  allowed?: readonly string[];
  flags?: readonly string[];
  /** Where it is started; the sandbox's project when not given. */
  cwd?: string;
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

  /** Writes a JSON file into a home. */
  file(name: string, value: unknown, home = "home"): void {
    const path = join(this.#box.directory, home, name);
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    writeFileSync(path, JSON.stringify(value));
  }

  /** How it is started with these arguments: sealed, in this session's home and directory. */
  program(args: readonly string[], { home = "home", cwd = this.#box.cwd, env }: Partial<Session> = {}): Program {
    const HOME = join(this.#box.directory, home);
    const TMPDIR = join(HOME, "tmp");
    mkdirSync(TMPDIR, { recursive: true, mode: 0o700 });
    const sealed = { ...SWITCHES, ...this.#trap.env, HOME, TMPDIR, ANTHROPIC_BASE_URL: this.model.url };
    const command = [...claudeCode(this.version).command, ...args];
    return { command, env: this.#box.env({ ...sealed, ...env }), cwd };
  }

  /** Starts it with these arguments. */
  run(args: readonly string[], session: Partial<Session> = {}): RunningProcess {
    const { command, ...launch } = this.program(args, session);
    return this.#box.start(command, launch);
  }

  /** Starts one session of `claude -p`. */
  async start(session: Session): Promise<RunningProcess> {
    const output = ["--output-format", "stream-json", "--verbose"];
    const host = this.run(["-p", session.prompt, ...output, ...this.#arguments(session)], session);
    await host.closeStdin();
    return host;
  }

  /** Starts one session that is given its prompts as JSON, one after the other, as programs do it. */
  startFed(session: Omit<Session, "prompt">): RunningProcess {
    const formats = ["--input-format", "stream-json", "--output-format", "stream-json", "--verbose"];
    return this.run(["-p", ...formats, ...this.#arguments(session)], session);
  }

  /** Starts one session in a terminal, past the questions of a first start. */
  async startInTerminal(session: Omit<Session, "prompt">): Promise<ClaudeTerminal> {
    const { home = "home", cwd = this.#box.cwd } = session;
    if (!existsSync(join(this.#box.directory, home, ".claude.json"))) this.file(".claude.json", answered(cwd), home);
    return await ClaudeTerminal.start(this.#box, this.program(this.#arguments(session), session));
  }

  #arguments({ servers, allowed = [], flags = [] }: Omit<Session, "prompt">): string[] {
    const entries = Object.entries(servers).map(([name, [command, ...args]]) => [name, { command, args }]);
    const config = this.#box.file("mcp.json", JSON.stringify({ mcpServers: Object.fromEntries(entries) }));
    const tools = [...Object.keys(servers).map((name) => `mcp__${name}`), ...allowed];
    const mcp = ["--mcp-config", config, "--strict-mcp-config"];
    return [
      "--model",
      "claude-sonnet-4-5",
      ...mcp,
      ...(tools.length > 0 ? ["--allowedTools", ...tools] : []),
      ...flags,
    ];
  }

  /** Runs one session of `claude -p` to its end. */
  async session(session: Session): Promise<Outcome> {
    return await outcomeOf(await this.start(session));
  }

  async close(): Promise<void> {
    await Promise.all([this.model.close(), this.#trap.close()]);
  }

  /** What it asked of the model's API that this does not have, and what it asked of anybody else. */
  strayTraffic(): string[] {
    const expected = ASKED_ANYWAY[this.version];
    return [...this.model.unexpected(), ...this.#trap.caught.filter((request) => !expected.includes(request))];
  }
}

/** What a person would have answered when they first started it in this directory. */
function answered(cwd: string): object {
  return {
    hasCompletedOnboarding: true,
    theme: "dark",
    customApiKeyResponses: { approved: [SWITCHES.ANTHROPIC_API_KEY.slice(-SHOWN_OF_KEY)], rejected: [] },
    projects: { [cwd]: { hasTrustDialogAccepted: true } },
    // Else the older version goes and fetches it.
    officialMarketplaceAutoInstallAttempted: true,
    officialMarketplaceAutoInstalled: true,
  };
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
