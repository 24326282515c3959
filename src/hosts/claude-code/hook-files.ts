import { type HostVersion, isOlder } from "../../core/host-version.ts";
import { answerOf } from "../../kit/program-answer.ts";
import type { Place } from "../host.ts";
import { localSettingsFile, managedDirectory, pathsOf, userSettingsFile } from "./places.ts";
import { projectOf } from "./repository.ts";
import type { HookFile, ScopeOptions } from "./scopes.ts";
import { settingsOf, settingsWith } from "./settings.ts";

/** Which settings of Claude Code take hooks, and what would keep them from running. Never writes. */

/** From here on the settings at a repository's root hold in all its directories and worktrees. */
const ROOT_SETTINGS_SINCE: HostVersion = [2, 1, 250];
const GIT_MS = 5000;

/**
 * For a project those at its root, and for versions that look only where they are started, those of the directory too: the same
 * command in both runs once.
 */
export function hookFiles(place: Place, scope: "user" | "local", version: HostVersion | null): HookFile[] {
  if (scope === "user") return [{ file: userSettingsFile(place), format: "json", scope }];
  const { cwd, key } = projectOf(place, version);
  const isNew = version !== null && !isOlder(version, ROOT_SETTINGS_SINCE);
  const directories = isNew ? [key] : [...new Set([key, cwd])];
  return directories.map((directory) => ({ file: localSettingsFile(place, directory), format: "json", scope }));
}

/** Why hooks would not run here, one sentence without its final stop; null where nothing is known against it. */
export function hooksRefused(place: Place, { version, managedDirectory: managed }: ScopeOptions): string | null {
  const settings = settingsOf(place, projectOf(place, version), managed ?? managedDirectory(place));
  const off = settingsWith(settings, "disableAllHooks", true);
  if (off !== undefined) return `${off.file} switches all hooks off ("disableAllHooks")`;
  const managedSettings = settings.filter(({ source }) => source === "managed");
  const only = settingsWith(managedSettings, "allowManagedHooksOnly", true);
  return only === undefined ? null : `${only.file} lets only the administrator's hooks run ("allowManagedHooksOnly")`;
}

/**
 * True where git would show a change of this file to the person: it is in a repository, and not ignored. Claude Code ignores its
 * local settings for the whole user the first time that it writes some.
 */
export async function isSeenByGit(place: Place, file: string): Promise<boolean> {
  const { dirname } = pathsOf(place);
  const { env } = place;
  // The project: its directory for settings need not be there.
  const cwd = dirname(dirname(file));
  const git = async (...words: string[]) => await answerOf(["git", ...words], { env, cwd, withinMs: GIT_MS });
  if ((await git("rev-parse", "--is-inside-work-tree"))?.trim() !== "true") return false;
  return (await git("check-ignore", "--", file)) === null;
}
