/**
 * Many sessions at once through one control server, without a host: each is a real proxy with its server, and the hooks that
 * a host would run for the same calls, some by real `bir hooks`, most as reports of the same shape. The control server is
 * killed on the way. Then every call must be in the run of its own prompt, exactly once. Owns the script and the counting;
 * asserts nothing itself, what is wrong is listed.
 */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Discovery, routeOf } from "../../src/core/control-wire.ts";
import type { Run, Step } from "../../src/core/run.ts";
import { readClaudeCodeHook } from "../../src/hooks/claude-code.ts";
import { hookReport } from "../../src/hooks/hook-report.ts";
import { serverDiscoveryPath, spoolDirectory } from "../../src/kit/paths.ts";
import { BIR } from "../harness/locations.ts";
import type { RunningProcess } from "../harness/running-process.ts";
import type { Sandbox } from "../harness/sandbox.ts";

export interface SoakPlan {
  sessions: number;
  prompts: number;
  callsPerPrompt: number;
  /** How often the control server is killed, spread evenly over the calls. */
  kills: number;
  /** One of so many hooks of calls is a real process. */
  realHookEvery: number;
}

export interface MemorySample {
  atMs: number;
  pid: number;
  rssMib: number;
}

export interface SoakResult {
  wallMs: number;
  calls: number;
  kills: number;
  memory: MemorySample[];
  /** What is wrong with the recordings, in words; empty when nothing is. */
  faults: string[];
}

const HOST = { app: "claude-code", version: "2.1.332" };
const LOOK_AGAIN_MS = 20;
const SAMPLE_MS = 100;
const WITHIN_MS = 60_000;
/** Every so many calls one is a tool of the host's own, of which no proxy tells. */
const BUILT_IN_EVERY = 4;

type Hook = Record<string, unknown>;

/** Runs the plan in a sandbox of its own, to the end of the control server. */
export async function soak(box: Sandbox, plan: SoakPlan, executable = BIR): Promise<SoakResult> {
  const begun = performance.now();
  const progress = { calls: 0, over: false };
  const total = plan.sessions * plan.prompts * plan.callsPerPrompt;
  const memory: MemorySample[] = [];
  const watching = watchMemory(box, begun, memory, progress);
  const killing = killOnTheWay(box, plan.kills, total, progress);
  const sessions = Array.from({ length: plan.sessions }, (_, n) => new SoakSession(box, plan, n, executable, progress));
  await Promise.all(sessions.map((session) => session.run()));
  const wallMs = performance.now() - begun;
  const kills = await killing;
  await settled(box, executable);
  progress.over = true;
  await watching;
  const runs = await recordedRuns(box, executable);
  return { wallMs, calls: total, kills, memory, faults: faultsOf(runs, plan) };
}

class SoakSession {
  readonly #box: Sandbox;
  readonly #plan: SoakPlan;
  readonly #n: number;
  readonly #executable: string;
  readonly #progress: { calls: number };
  readonly #id: string;
  #hooks = 0;

  constructor(box: Sandbox, plan: SoakPlan, n: number, executable: string, progress: { calls: number }) {
    this.#box = box;
    this.#plan = plan;
    this.#n = n;
    this.#executable = executable;
    this.#progress = progress;
    this.#id = sessionIdOf(n);
  }

  async run(): Promise<void> {
    const upstream = this.#box.fake("--quiet");
    const command = [this.#executable, "proxy", "--server-name", "fake", "--", ...upstream];
    const proxy = this.#box.start(command, { env: this.#env() });
    await this.#runHook({ hook_event_name: "SessionStart", source: "startup" });
    const client = { name: HOST.app, version: HOST.version };
    await proxy.request("i", "initialize", { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: client });
    for (let prompt = 0; prompt < this.#plan.prompts; prompt++) await this.#runPrompt(proxy, prompt);
    await proxy.finish();
    await this.#runHook({ hook_event_name: "SessionEnd", reason: "other" });
  }

  async #runPrompt(proxy: RunningProcess, prompt: number): Promise<void> {
    const about = { prompt_id: `${this.#id.slice(0, -2)}${String(prompt).padStart(2, "0")}` };
    const words = promptOf(this.#n, prompt);
    await this.#runHook({ ...about, hook_event_name: "UserPromptSubmit", prompt: words });
    const told: Promise<void>[] = [];
    for (let call = 0; call < this.#plan.callsPerPrompt; call++) {
      const hook = await this.#call(proxy, prompt, call);
      // As with a host, the next call does not wait for what is told of this one.
      told.push(this.#tell({ ...about, ...hook }));
      this.#progress.calls++;
    }
    await Promise.all(told);
    await this.#runHook({
      ...about,
      hook_event_name: "Stop",
      last_assistant_message: answerOf(words),
      background_tasks: [],
    });
  }

  /** Makes one call; answers the hook that a host would run for it. */
  async #call(proxy: RunningProcess, prompt: number, call: number): Promise<Hook> {
    const callId = callIdOf(this.#n, prompt, call);
    const event = { hook_event_name: "PostToolUse", tool_use_id: callId, duration_ms: 1 };
    if (isBuiltIn(call)) {
      return { ...event, tool_name: "Bash", tool_input: { command: callId }, tool_response: { stdout: callId } };
    }
    const args = { text: callId };
    await proxy.call(callId, "echo", args, { "claudecode/toolUseId": callId });
    const response = [{ type: "text", text: callId }];
    return { ...event, tool_name: "mcp__fake__echo", tool_input: args, tool_response: response };
  }

  /** Tells of a hook, now and then by a real process. */
  async #tell(hook: Hook): Promise<void> {
    if (this.#hooks++ % this.#plan.realHookEvery === 0) await this.#runHook(hook);
    else await this.#post(hook);
  }

  async #runHook(hook: Hook): Promise<void> {
    const receiver = this.#box.start([this.#executable, "hooks"], { env: this.#env() });
    await receiver.write(JSON.stringify(this.#whole(hook)));
    const { code } = await receiver.finish();
    const said = receiver.stdout.text() + receiver.stderr.text();
    if (code !== 0 || said !== "") throw new Error(`bir hooks ended with ${code}: ${said}`);
  }

  /** Posts the report of a hook until a server has taken it. The same report again and again: only one may count. */
  async #post(hook: Hook): Promise<void> {
    const reading = readClaudeCodeHook(JSON.stringify(this.#whole(hook)));
    if (reading.kind !== "fact") throw new Error("the hook tells nothing");
    const report = { ...hookReport(reading, null, false, this.#env()), at: performance.timeOrigin + performance.now() };
    const body = JSON.stringify(report);
    const end = performance.now() + WITHIN_MS;
    while (!(await posted(this.#box, routeOf(reading.fact.kind), body))) {
      if (performance.now() > end) throw new Error("no control server takes a report");
      // The real one leaves it in the spool and starts a server; this one asks until there is one.
      await startServer(this.#box, this.#executable);
    }
  }

  #whole(hook: Hook): Hook {
    const { cwd } = this.#box;
    return { session_id: this.#id, transcript_path: join(cwd, "none.jsonl"), cwd, permission_mode: "default", ...hook };
  }

  #env(): Record<string, string> {
    return {
      CLAUDECODE: "1",
      CLAUDE_CODE_SESSION_ID: this.#id,
      CLAUDE_PROJECT_DIR: this.#box.cwd,
      CLAUDE_PID: String(process.pid),
      AI_AGENT: `claude-code_${HOST.version.replaceAll(".", "-")}_harness`,
    };
  }
}

function discoveryOf(box: Sandbox): Discovery | undefined {
  try {
    return JSON.parse(readFileSync(serverDiscoveryPath(box.birHome), "utf8"));
  } catch {
    return undefined;
  }
}

async function posted(box: Sandbox, route: string, body: string): Promise<boolean> {
  const server = discoveryOf(box);
  if (server === undefined) return false;
  try {
    const headers = { authorization: `Bearer ${server.token}`, "content-type": "application/json" };
    const answer = await fetch(server.url + route, { method: "POST", headers, body });
    const said = await answer.text();
    if (answer.status >= 400 && answer.status < 500 && answer.status !== 401) {
      throw new Refused(`${route} refused a report: ${answer.status} ${said}`);
    }
    return answer.status === 200;
  } catch (cause) {
    if (cause instanceof Refused) throw cause;
    return false;
  }
}

class Refused extends Error {}

const starts = new Map<string, Promise<void>>();

/** Waits until a control server answers; one attempt at a time for a home. */
async function startServer(box: Sandbox, executable: string): Promise<void> {
  let start = starts.get(box.birHome);
  if (start === undefined) {
    start = box
      .start([executable, "up"])
      .finish()
      .then(
        () => {},
        () => {},
      );
    starts.set(box.birHome, start);
    void start.then(() => starts.delete(box.birHome));
  }
  await start;
}

async function killOnTheWay(
  box: Sandbox,
  kills: number,
  total: number,
  progress: { calls: number; over: boolean },
): Promise<number> {
  let done = 0;
  let last: number | undefined;
  while (done < kills && !progress.over && progress.calls < total) {
    const pid = discoveryOf(box)?.pid;
    if (progress.calls >= (total * (done + 1)) / (kills + 1) && pid !== undefined && pid !== last && isAlive(pid)) {
      process.kill(pid, "SIGKILL");
      last = pid;
      done++;
    }
    await Bun.sleep(LOOK_AGAIN_MS);
  }
  return done;
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** Resident memory of whichever server there is. Linux. */
async function watchMemory(
  box: Sandbox,
  begun: number,
  memory: MemorySample[],
  progress: { over: boolean },
): Promise<void> {
  while (!progress.over) {
    const pid = discoveryOf(box)?.pid;
    try {
      const [, kib] = /^VmRSS:\s*(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
      if (pid !== undefined && kib !== undefined)
        memory.push({ atMs: performance.now() - begun, pid, rssMib: Number(kib) / 1024 });
    } catch {
      // It is just being killed or started.
    }
    await Bun.sleep(SAMPLE_MS);
  }
}

/** Waits until everything is written and closed, then ends the control server. */
async function settled(box: Sandbox, executable: string): Promise<void> {
  await startServer(box, executable);
  const end = performance.now() + WITHIN_MS;
  for (;;) {
    const { stdout } = await box.bir(["run", "list", "--json", "--status", "running"]);
    const left = box.survivors().filter(({ command }) => !/\bhooks serve\b/.test(command));
    if (left.length === 0 && JSON.parse(stdout).length === 0 && putAside(box) === 0) break;
    if (performance.now() > end) break;
    await Bun.sleep(LOOK_AGAIN_MS);
  }
  await box.start([executable, "down"]).finish();
  await box.untilNoneLeft();
}

/** Files of reports that found no server in time. */
function putAside(box: Sandbox): number {
  try {
    return readdirSync(spoolDirectory(box.birHome)).length;
  } catch {
    return 0;
  }
}

async function recordedRuns(box: Sandbox, executable: string): Promise<Run[]> {
  const listed: { id: string }[] = JSON.parse((await box.bir(["run", "list", "--json"])).stdout);
  const runs: Run[] = [];
  for (const { id } of listed) {
    const showing = box.start([executable, "run", "show", id, "--json"]);
    await showing.finish();
    runs.push(JSON.parse(showing.stdout.text()));
  }
  return runs;
}

/** Everything that is not as the plan made it. */
function faultsOf(runs: readonly Run[], plan: SoakPlan): string[] {
  const faults: string[] = [];
  const byPrompt = new Map<string, Run[]>();
  for (const run of runs) {
    const key = run.input ?? `(none) ${run.tier} ${run.id}`;
    byPrompt.set(key, [...(byPrompt.get(key) ?? []), run]);
  }
  for (let n = 0; n < plan.sessions; n++) {
    for (let prompt = 0; prompt < plan.prompts; prompt++) {
      const words = promptOf(n, prompt);
      const [run, ...others] = byPrompt.get(words) ?? [];
      byPrompt.delete(words);
      if (run === undefined) faults.push(`no run of "${words}"`);
      else faults.push(...faultsOfRun(run, n, prompt, plan.callsPerPrompt));
      if (others.length > 0) faults.push(`${others.length + 1} runs of "${words}"`);
    }
  }
  for (const [key, [run]] of byPrompt) faults.push(`a run that nobody asked for: ${key}, ${run?.steps.length} calls`);
  return faults;
}

function faultsOfRun(run: Run, n: number, prompt: number, calls: number): string[] {
  const where = `"${run.input}"`;
  const faults: string[] = [];
  const wrong = (what: string, value: unknown, wanted: unknown) => {
    if (JSON.stringify(value) !== JSON.stringify(wanted)) faults.push(`${where}: ${what} is ${JSON.stringify(value)}`);
  };
  wrong("session", run.sessionId, sessionIdOf(n));
  wrong("tier", run.tier, "bound");
  wrong("status", run.status, "completed");
  wrong("lossy", [run.lossy, run.gaps], [false, []]);
  wrong("answer", run.finalAnswer, answerOf(promptOf(n, prompt)));
  const counted = new Map<string, number>();
  for (const step of run.steps) counted.set(String(step.callId), (counted.get(String(step.callId)) ?? 0) + 1);
  for (let call = 0; call < calls; call++) {
    const callId = callIdOf(n, prompt, call);
    const times = counted.get(callId) ?? 0;
    counted.delete(callId);
    if (times !== 1) faults.push(`${where}: ${times} times ${callId}`);
  }
  for (const callId of counted.keys()) faults.push(`${where}: ${callId} is another prompt's`);
  for (const step of run.steps) faults.push(...faultsOfStep(step));
  const numbers = new Set([...run.steps, ...run.notes].map(({ seq }) => seq));
  if (numbers.size !== run.steps.length + run.notes.length) faults.push(`${where}: a number is used twice`);
  return faults;
}

function faultsOfStep({ callId, tool, status, result, sources, args }: Step): string[] {
  const isMcp = tool === "echo";
  // What a server answered, not what a hook was shown of it.
  const wanted = isMcp ? { content: [{ type: "text", text: callId }] } : { stdout: callId };
  const told = isMcp ? ["hook", "proxy"] : ["hook"];
  const facts = [status, result, sources.toSorted(), args];
  const isRight =
    JSON.stringify(facts) === JSON.stringify(["ok", wanted, told, isMcp ? { text: callId } : { command: callId }]);
  return isRight ? [] : [`${callId}: ${JSON.stringify(facts)}`];
}

function isBuiltIn(call: number): boolean {
  return call % BUILT_IN_EVERY === BUILT_IN_EVERY - 1;
}

function sessionIdOf(n: number): string {
  return `5e551040-0000-4000-8000-00000000${String(n).padStart(2, "0")}00`;
}

function promptOf(n: number, prompt: number): string {
  return `session ${n}, prompt ${prompt}`;
}

function answerOf(words: string): string {
  return `answered: ${words}`;
}

function callIdOf(n: number, prompt: number, call: number): string {
  return `toolu_s${n}_p${prompt}_c${call}`;
}
