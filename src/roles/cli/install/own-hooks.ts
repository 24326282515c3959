import { dirname } from "node:path";
import { type HostVersion, isOlder } from "../../../core/host-version.ts";
import { claudeCodeHooks } from "../../../hooks/settings/claude-code-settings.ts";
import { OLDEST_HOST_VERSION } from "../../../hooks/settings/claude-code-versions.ts";
import { isHookCommand } from "../../../hooks/settings/hook-command.ts";
import type { ScopedHost, ScopeOptions } from "../../../hosts/claude-code/scopes.ts";
import type { IsOurHook } from "../../../hosts/entry/hooks-text.ts";
import type { Place } from "../../../hosts/host.ts";
import type { FileTask } from "../../../hosts/plan/outcome.ts";
import { planHooks } from "../../../hosts/plan/plan-hooks.ts";

/** Our hooks in a host's settings: which ones, in which files, and why not. Decides; changes nothing. */

export interface HooksOrder {
  executableWords: readonly [string, ...string[]];
  /** Null where it is the default. */
  birHome: string | null;
  scope: "user" | "local";
  /** Also the hook that puts ids into calls. */
  correlation: boolean;
}

/** The tasks; or why there are none, one sentence without its final stop. */
export type HooksPlan = { tasks: FileTask[]; refused: null } | { tasks: []; refused: string };

export function planOwnHooks(host: ScopedHost, place: Place, options: ScopeOptions, order: HooksOrder): HooksPlan {
  const { version } = options;
  const { executableWords, birHome, scope, correlation } = order;
  const refused = hooksRefusal(host, place, options, executableWords);
  if (refused !== null) return { tasks: [], refused };
  const [executable] = executableWords;
  const groups = claudeCodeHooks({ version, executable, home: birHome, correlation });
  const tasks = host.hookFiles(place, scope, version).map(({ file, format }) =>
    planHooks({
      hosts: [host.id],
      scope,
      directory: scope === "user" ? null : dirname(dirname(file)),
      file,
      format,
      groups: { ...groups },
      isOurs: isOwnHook,
      missingDirectories: missingAbove(place, file),
    }),
  );
  return { tasks, refused: null };
}

export const isOwnHook: IsOurHook = ({ type, command }) =>
  type === "command" && typeof command === "string" && isHookCommand(command);

function hooksRefusal(
  host: ScopedHost,
  place: Place,
  options: ScopeOptions,
  executableWords: readonly string[],
): string | null {
  if (executableWords.length > 1) return "hooks need the built executable, and this runs from its sources";
  if (options.version !== null && isOlder(options.version, OLDEST_HOST_VERSION)) {
    return `${host.name} ${inWords(options.version)} is too old: its hooks are known from ${inWords(OLDEST_HOST_VERSION)} on`;
  }
  return host.hooksRefused(place, options);
}

function inWords(version: HostVersion): string {
  return version.join(".");
}

/** The directories above a file that are not there, the innermost first. */
function missingAbove(place: Place, file: string): string[] {
  const missing: string[] = [];
  for (let at = dirname(file); !place.files.exists(at) && dirname(at) !== at; at = dirname(at)) missing.push(at);
  return missing;
}
