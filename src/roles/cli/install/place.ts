import { realpathSync } from "node:fs";
import type { Place, PlaceFiles } from "../../../hosts/host.ts";
import { fileFacts, namesIn } from "../../../kit/file-facts.ts";
import type { CliContext } from "../context.ts";

/** The machine as hosts' files are looked for on it. Reads, never writes. */

export function placeOf({ cwd, userHome, env }: CliContext): Place {
  return { platform: process.platform, userHome, cwd, env, files: DISK };
}

/** One and the same text for every path that leads to a file. */
export function identify(file: string): string {
  try {
    return realpathSync(file);
  } catch {
    return file;
  }
}

const DISK: PlaceFiles = { exists, names: namesIn };

function exists(path: string): boolean {
  try {
    return fileFacts(path) !== null;
  } catch {
    return false;
  }
}
