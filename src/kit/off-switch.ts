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
  if (await isThere(offSwitchPath(home))) return true;
  for (const candidate of selfAndParents(directory)) {
    if (await isThere(directoryOffSwitchPath(candidate, home))) return true;
  }
  return false;
}
