import { posix, win32 } from "node:path";
import type { Place } from "./host.ts";

/**
 * Where the directories are that hosts keep their files in, on the platform of a place; never on the one this runs on. Asks the disk
 * nothing but which directory is a repository.
 */

/** Joins below a directory with the separator of the place's platform. */
export function joinIn(place: Place, directory: string, ...parts: string[]): string {
  return pathOf(place).join(directory, ...parts);
}

/** Below the person's own directory. */
export function inHome(place: Place, ...parts: string[]): string {
  return joinIn(place, place.userHome, ...parts);
}

/** The directory that a variable names, seen from the working directory; null where it is unset or empty. */
export function directoryFrom(place: Place, variable: string): string | null {
  const value = place.env[variable];
  if (value === undefined || value.trim() === "") return null;
  if (value === "~" || /^~[\\/]/.test(value)) return inHome(place, value.slice(1));
  const { isAbsolute, join } = pathOf(place);
  return isAbsolute(value) ? value : join(place.cwd, value);
}

/** `$XDG_CONFIG_HOME`, or `~/.config`: also on macOS and Windows, for programs that look there on every platform. */
export function xdgConfig(place: Place): string {
  return directoryFrom(place, "XDG_CONFIG_HOME") ?? inHome(place, ".config");
}

/** `%APPDATA%`, or where Windows has it. */
export function roaming(place: Place): string {
  return directoryFrom(place, "APPDATA") ?? inHome(place, "AppData", "Roaming");
}

/** Where an application of the desktop keeps its data on each platform. */
export function applicationData(place: Place): string {
  if (place.platform === "darwin") return inHome(place, "Library", "Application Support");
  return place.platform === "win32" ? roaming(place) : xdgConfig(place);
}

/** The working directory and those above it, up to the repository it is in; without a repository `outside`. */
export function upwards(place: Place, outside: "only-here" | "to-the-root"): string[] {
  const all = withParents(place);
  const repository = all.findIndex((directory) => place.files.exists(joinIn(place, directory, ".git")));
  if (repository >= 0) return all.slice(0, repository + 1);
  return outside === "only-here" ? [place.cwd] : all;
}

function withParents(place: Place): string[] {
  const { dirname } = pathOf(place);
  const all = [place.cwd];
  for (let next = dirname(place.cwd); next !== all.at(-1) && next !== "."; next = dirname(next)) all.push(next);
  return all;
}

function pathOf(place: Place): typeof posix {
  return place.platform === "win32" ? win32 : posix;
}
