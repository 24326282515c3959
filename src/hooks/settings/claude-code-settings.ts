import type { HostVersion } from "../../core/host-version.ts";
import { type HostAbility, takes } from "./claude-code-versions.ts";
import { hookCommand } from "./hook-command.ts";

/**
 * The hooks that Claude Code is to run: which events, and which of them it waits for. docs/decisions/0007-hooks.md gives the
 * reasons. Writes nothing anywhere.
 */

export interface HookEntry {
  type: "command";
  command: string;
  /** Seconds. */
  timeout: number;
  async?: true;
}

export interface HookGroup {
  matcher?: string;
  hooks: [HookEntry];
}

export type HookEvents = Record<string, [HookGroup]>;

interface EventPlan {
  event: string;
  /** What a version must take for it, beside hooks at all. */
  needs?: HostAbility;
  /** Tools for which it runs. */
  matcher?: string;
  /** The host need not wait for it, where it can do without: something that it does wait for follows. */
  canBeAsync: boolean;
  timeoutSeconds: number;
}

const PLAN: readonly EventPlan[] = [
  { event: "SessionStart", canBeAsync: false, timeoutSeconds: 10 },
  { event: "UserPromptSubmit", canBeAsync: false, timeoutSeconds: 10 },
  { event: "PostToolUse", matcher: "*", canBeAsync: true, timeoutSeconds: 10 },
  { event: "PostToolUseFailure", needs: "PostToolUseFailure", matcher: "*", canBeAsync: true, timeoutSeconds: 10 },
  { event: "SubagentStop", canBeAsync: true, timeoutSeconds: 10 },
  { event: "PreCompact", canBeAsync: true, timeoutSeconds: 10 },
  { event: "Stop", canBeAsync: false, timeoutSeconds: 10 },
  { event: "StopFailure", needs: "StopFailure", canBeAsync: false, timeoutSeconds: 10 },
  // Without a timeout of its own it would have 1.5 s.
  { event: "SessionEnd", canBeAsync: false, timeoutSeconds: 5 },
];

/** Before a call of an MCP tool; the host waits for what it says. */
const CORRELATION: EventPlan = { event: "PreToolUse", matcher: "mcp__.*", canBeAsync: false, timeoutSeconds: 5 };

export interface SettingsOrder {
  /** Null: not known, so what every known version takes. */
  version: HostVersion | null;
  /** The executable: an absolute path, or a name to be looked up when a hook runs. */
  executable: string;
  /** Where recordings are, if not where they are by default. */
  home?: string | null;
  /** Also a hook before each call of an MCP tool, which can put an id into its arguments. */
  correlation: boolean;
}

/** The `hooks` of the settings. */
export function claudeCodeHooks({ version, executable, home, correlation }: SettingsOrder): HookEvents {
  const command = hookCommand(executable, home);
  const events: HookEvents = {};
  for (const { event, needs, matcher, canBeAsync, timeoutSeconds } of correlation ? [...PLAN, CORRELATION] : PLAN) {
    if (needs !== undefined && !takes(version, needs)) continue;
    const entry: HookEntry = { type: "command", command, timeout: timeoutSeconds };
    if (canBeAsync && takes(version, "async")) entry.async = true;
    events[event] = [matcher === undefined ? { hooks: [entry] } : { matcher, hooks: [entry] }];
  }
  return events;
}
