import { type HostVersion, isOlder } from "../../core/host-version.ts";

/**
 * Which version of Claude Code takes what in the hooks of its settings. One table, found by running the published versions
 * (docs/decisions/0007-hooks.md says how): for an old one a single event that it does not know turns off every hook there is.
 */

/** What arrived with which version; present in every later one that was run. */
const ARRIVALS = {
  /** Every event that is not named below. Older versions were not run. */
  hooks: [2, 0, 10],
  PostToolUseFailure: [2, 0, 56],
  /** `async` in a hook. What came before ignores it, and waits. */
  async: [2, 1, 15],
  StopFailure: [2, 1, 78],
} as const satisfies Record<string, HostVersion>;

export type HostAbility = keyof typeof ARRIVALS;

/** The oldest version whose hooks are known. */
export const OLDEST_HOST_VERSION: HostVersion = ARRIVALS.hooks;

/** Whether a version takes it; only what every known one takes where the version is not known. */
export function takes(version: HostVersion | null, ability: HostAbility): boolean {
  return !isOlder(version ?? OLDEST_HOST_VERSION, ARRIVALS[ability]);
}
