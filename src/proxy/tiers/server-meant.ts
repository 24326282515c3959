import { addressOf } from "../../kit/discovery.ts";
import { readEnv } from "../../kit/env.ts";
import { setUpFor } from "../../kit/installed.ts";
import { isThere } from "../../kit/is-there.ts";
import { discoveryPath, downSwitchPath } from "../../kit/paths.ts";
import { directoriesOf, type SessionFacts } from "./session-facts.ts";

/** What files and the environment say about a control server for this session. Reads only; never asks a server. */

/** A server is meant: the environment names one, this directory has one, or hooks that were set up for it will start one. */
export async function isServerMeant(session: SessionFacts): Promise<boolean> {
  if (addressOf(readEnv("BIR_CONTROL_URL"), readEnv("BIR_CONTROL_TOKEN")) !== null) return true;
  const directories = directoriesOf(session);
  return (await hasDiscoveryFile(directories)) || (await setUpFor(directories)).hasHooks;
}

/** The session's directory is one in which recording was set up: that is where an entry for the whole user records. */
export async function isSetUpFor(session: SessionFacts): Promise<boolean> {
  const directories = directoriesOf(session);
  return (await hasDiscoveryFile(directories)) || (await setUpFor(directories)).isSetUp;
}

/** A server was switched down and is to stay away. */
export async function isServerDown(): Promise<boolean> {
  return await isThere(downSwitchPath());
}

export async function hasDiscoveryFile(directories: readonly string[]): Promise<boolean> {
  for (const directory of directories) if (await isThere(discoveryPath(directory))) return true;
  return false;
}
