/**
 * Starts `bir hooks` as a host does: its JSON on stdin, a pipe that stays open. Owns the texts that tests give it; where the
 * receiver finds a server is the test's to say.
 */

import { readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { spoolDirectory } from "../../src/kit/paths.ts";
import { BIR } from "./locations.ts";
import type { Exit, RunningProcess } from "./running-process.ts";
import type { Launch, Sandbox } from "./sandbox.ts";

export interface HookOutcome extends Exit {
  stdout: string;
  stderr: string;
}

/** What the host tells of a shell command that has ended; `other` takes the place of its members. */
export function hookOf(box: Sandbox, other: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    session_id: "5e551040-0000-4000-8000-000000000001",
    transcript_path: join(box.home, "none.jsonl"),
    cwd: box.cwd,
    prompt_id: "9a0a0000-0000-4000-8000-000000000001",
    permission_mode: "default",
    hook_event_name: "PostToolUse",
    tool_name: "Bash",
    tool_input: { command: "true" },
    tool_response: { stdout: "", stderr: "", interrupted: false },
    tool_use_id: "toolu_1",
    duration_ms: 3,
    ...other,
  };
}

/** The text of such a hook. */
export function hookText(box: Sandbox, other: Record<string, unknown> = {}): string {
  return JSON.stringify(hookOf(box, other));
}

/** A receiver that was given this text; its stdin stays open. */
export async function startHook(box: Sandbox, text: string | Uint8Array, launch: Launch = {}): Promise<RunningProcess> {
  const hook = box.start([BIR, "hooks"], launch);
  // One that has ended already, as it may, does not read.
  await hook.write(text).catch(() => {});
  return hook;
}

/** Runs a receiver to its end. Its stdin is never closed. */
export async function runHook(box: Sandbox, text: string | Uint8Array, launch?: Launch): Promise<HookOutcome> {
  return await outcomeOfHook(await startHook(box, text, launch));
}

/** Of a busy machine's hooks, which may run again. */
const TRIES = 5;

/**
 * As `runHook`, where the server answers in time: a receiver whose server was too slow for it, as on a busy machine, has left
 * its report in the spool. Then all of that is forgotten, and another one runs.
 */
export async function runAnsweredHook(
  box: Sandbox,
  server: { readonly requests: unknown[] },
  text: string | Uint8Array,
  launch?: Launch,
): Promise<HookOutcome> {
  for (let tries = 1; ; tries++) {
    const outcome = await runHook(box, text, launch);
    if (tries === TRIES || spoolOf(box).length === 0) return outcome;
    rmSync(spoolDirectory(box.birHome), { recursive: true });
    server.requests.length = 0;
  }
}

export async function outcomeOfHook(hook: RunningProcess): Promise<HookOutcome> {
  return { ...(await hook.exit()), stdout: hook.stdout.text(), stderr: hook.stderr.text() };
}

/** How every hook is to end. */
export const SILENT: HookOutcome = { code: 0, signal: null, stdout: "", stderr: "" };

export interface SpoolFile {
  name: string;
  mode: number;
  text: string;
}

/** The files in the spool. */
export function spoolOf(box: Sandbox): SpoolFile[] {
  const directory = spoolDirectory(box.birHome);
  let names: string[] = [];
  try {
    names = readdirSync(directory).sort();
  } catch {
    // Nothing was left yet.
  }
  return names.map((name) => {
    const path = join(directory, name);
    return { name, mode: statSync(path).mode & 0o777, text: readFileSync(path, "utf8") };
  });
}

/** What waits in the spool, one object a line. Every line must be whole. */
// biome-ignore lint/suspicious/noExplicitAny: tests look into it as they please
export function spooledReports(box: Sandbox): any[] {
  return spoolOf(box).flatMap(({ name, text }) => {
    if (!text.endsWith("\n")) throw new Error(`${name} ends in the middle of a line`);
    return text
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
  });
}

/** The control servers that were started in this sandbox. */
export function startedServers(box: Sandbox): number[] {
  return box
    .survivors()
    .filter(({ command }) => command.includes("hooks serve"))
    .map(({ pid }) => pid);
}
