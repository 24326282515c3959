import { posix, win32 } from "node:path";
import type { Place } from "../host.ts";
import { inHome } from "../place-paths.ts";

/** Where Claude Code keeps its files, on the platform of a place. Asks the disk only what it asks itself; reads no content. */

/** Path arithmetic of the place's platform. */
export function pathsOf({ platform }: Pick<Place, "platform">): typeof posix {
  return platform === "win32" ? win32 : posix;
}

/** Its own directory: `CLAUDE_CONFIG_DIR`, else `~/.claude`. */
export function claudeDirectory(place: Place): string {
  return movedTo(place) ?? inHome(place, ".claude");
}

/** The file that holds its servers of the user and local scope, and what it remembers of each project. */
export function stateFile(place: Place): string {
  const { join } = pathsOf(place);
  const old = join(claudeDirectory(place), ".config.json");
  return place.files.exists(old) ? old : join(movedTo(place) ?? place.userHome, ".claude.json");
}

export function userSettingsFile(place: Place): string {
  return pathsOf(place).join(claudeDirectory(place), "settings.json");
}

/** For all who share the project. */
export function sharedSettingsFile(place: Place, directory: string): string {
  return pathsOf(place).join(directory, ".claude", "settings.json");
}

/** For this person in the project. */
export function localSettingsFile(place: Place, directory: string): string {
  return pathsOf(place).join(directory, ".claude", "settings.local.json");
}

/** Where an administrator's files are. */
export function managedDirectory({ platform }: Place): string {
  if (platform === "darwin") return "/Library/Application Support/ClaudeCode";
  return platform === "win32" ? "C:\\Program Files\\ClaudeCode" : "/etc/claude-code";
}

function movedTo(place: Place): string | null {
  const named = place.env.CLAUDE_CONFIG_DIR;
  if (!named) return null;
  const { isAbsolute, join } = pathsOf(place);
  return isAbsolute(named) ? named : join(place.cwd, named);
}
