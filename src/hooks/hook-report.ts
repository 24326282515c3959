import type { HookReport } from "../core/control-wire.ts";
import type { HookReading } from "../core/hook-fact.ts";
import { redactText } from "../redact/redact.ts";

/**
 * What is told of one hook: what was read of it, and what this process knows of itself and of the host that started it. Takes
 * from the environment the few variables that are named here, and no other.
 */

type Environment = Readonly<Record<string, string | undefined>>;

/** The report of a hook of Claude Code. `argsHash`, `mayInject`: see the type of a report. */
export function hookReport(
  reading: Exclude<HookReading, { kind: "nothing" }>,
  argsHash: string | null,
  mayInject: boolean,
  env: Environment = process.env,
): HookReport {
  const hostPid = Number(env.CLAUDE_PID ?? "");
  const projectDir = env.CLAUDE_PROJECT_DIR;
  return {
    reportId: Bun.randomUUIDv7(),
    at: performance.timeOrigin,
    app: "claude-code",
    appVersion: versionOf(env.AI_AGENT),
    hostPid: Number.isSafeInteger(hostPid) && hostPid > 0 ? hostPid : null,
    projectDir: projectDir ? redactText(projectDir) : null,
    argsHash,
    mayInject,
    fact: reading.kind === "fact" ? reading.fact : null,
    malformed: reading.kind === "fact" ? null : { reason: reading.reason, sessionId: reading.sessionId },
  };
}

/** The version in `claude-code_2-1-332_harness`. */
function versionOf(agent: string | undefined): string | null {
  const [, version] = /^claude-code_(\d{1,9}[-.]\d{1,9}[-.]\d{1,9})(?:_|$)/.exec(agent ?? "") ?? [];
  return version?.replaceAll("-", ".") ?? null;
}
