import { existsSync } from "node:fs";
import type { Place } from "../../../hosts/host.ts";
import type { SetUp } from "../../../hosts/ledger.ts";
import { upwards } from "../../../hosts/place-paths.ts";
import { identify } from "./place.ts";

/** Where recording is set up by an install that is run in some directory. */

/** The repository that the directory is in, else the directory itself. */
export function setUpDirectory(place: Place): string {
  return identify(upwards(place, "only-here").at(-1) ?? place.cwd);
}

export function withPlace(setUp: SetUp, directory: string, isEverywhere: boolean): SetUp {
  if (isEverywhere) return { ...setUp, everywhere: true };
  return { ...setUp, directories: [...setUp.directories.filter((one) => one !== directory), directory] };
}

/** Without what an install in `directory` has set up, for it or for everything. */
export function withoutPlace(setUp: SetUp, directory: string): SetUp {
  return { everywhere: false, directories: otherDirectories(setUp, directory) };
}

/** Other directories that are set up and are still there. */
export function otherDirectories({ directories }: SetUp, directory: string): string[] {
  return directories.filter((one) => one !== directory && existsSync(one));
}
