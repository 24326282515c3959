import { ownCommand } from "./own-executable.ts";
import { birHome, controlDirectory, downSwitchPath, joinPath, offSwitchPath, serverDiscoveryPath } from "./paths.ts";

/**
 * Starts a control server in the background: a process of a session of its own, which outlives whoever needed it first. Waits
 * for nothing; two that are started at once settle it among themselves. Never starts one that a person has switched down, or
 * has nothing to record.
 */

/**
 * `recent`: another one was started just before, and may not have come far enough to answer. `down`, `off`: a person has
 * switched the server down, or recording off.
 */
export type ServerStart = "started" | "recent" | "down" | "off" | "failed";

/** Fifty hooks that find no server are to start one of them; a server that cannot start is not to be tried at each call. */
const RECENT_MS = 1000;

/** Starts one. `isUrgent`: a person asks for it, so also right after another one, and while recording is off. Never throws. */
export function startServer(home = birHome(), isUrgent = false): ServerStart {
  const fs = process.getBuiltinModule("node:fs");
  try {
    if (fs.existsSync(downSwitchPath(home))) return "down";
    if (!isUrgent && fs.existsSync(offSwitchPath(home))) return "off";
    const marker = joinPath(controlDirectory(home), "starting");
    if (!isUrgent && isRecent(marker, serverDiscoveryPath(home))) return "recent";
    fs.mkdirSync(controlDirectory(home), { recursive: true, mode: 0o700 });
    fs.writeFileSync(marker, "", { mode: 0o600 });
    const server = Bun.spawn([...ownCommand(), "hooks", "serve"], {
      // A copy of the executable may be called after one of its roles.
      argv0: "bir",
      cwd: controlDirectory(home),
      env: serverEnvironment(home),
      stdio: ["ignore", "ignore", "ignore"],
      detached: true,
      windowsHide: true,
    });
    server.unref();
    return "started";
  } catch {
    return "failed";
  }
}

/** Whether a server was started just before and has not said yet where it listens. */
function isRecent(marker: string, discovery: string): boolean {
  const fs = process.getBuiltinModule("node:fs");
  const started = fs.statSync(marker, { throwIfNoEntry: false })?.mtimeMs;
  if (started === undefined || Math.abs(Date.now() - started) > RECENT_MS) return false;
  const listened = fs.statSync(discovery, { throwIfNoEntry: false })?.mtimeMs;
  return listened === undefined || listened < started;
}

/** Variables of the process that asks which a server is to have nothing of. */
const NOT_FOR_A_SERVER =
  /^(?:BUN_.*|BIR_(?:OFF|CONTROL_.*|UPSTREAM_.*)|CLAUDE.*|AI_AGENT|.*(?:KEY|TOKEN|SECRET|PASS|CREDENTIAL|AUTH|COOKIE|DSN|_URL|_URI).*)$/i;

/**
 * The environment of a server that may live for days: a session's keys are nothing it needs, and a directory that is meant
 * relative to where the session is would be another one there.
 */
function serverEnvironment(home: string): Record<string, string> {
  const kept = Object.entries(process.env).filter(
    ([name, value]) => value !== undefined && !NOT_FOR_A_SERVER.test(name) && !/:\/\/[^/]*@/.test(value),
  ) as [string, string][];
  const { resolve } = process.getBuiltinModule("node:path");
  return { ...Object.fromEntries(kept), BIR_HOME: resolve(home) };
}
