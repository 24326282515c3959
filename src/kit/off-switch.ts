import { isSet } from "./env.ts";
import { isThere } from "./is-there.ts";
import { birHome, directoryOffSwitchPath, offSwitchPath, selfAndParents } from "./paths.ts";

/**
 * Whether recording is switched off, read the cheap way: hot roles ask before they start anything. The switches are
 * files, written by `bir off` and removed by `bir on`.
 */

/** True when recording is off for `directory`: by `BIR_OFF`, everywhere, or for it or a parent of it. */
export async function isSwitchedOff(directory: string, home = birHome()): Promise<boolean> {
  if (isSet("BIR_OFF")) return true;
  for (const path of offSwitchPaths(directory, home)) if (await isThere(path)) return true;
  return false;
}

/** The files any of which switches recording off for `directory`. */
export function offSwitchPaths(directory: string, home = birHome()): string[] {
  const ofDirectories = selfAndParents(directory).map((each) => directoryOffSwitchPath(each, home));
  return [offSwitchPath(home), ...ofDirectories];
}
