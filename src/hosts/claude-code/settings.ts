import { namesIn } from "../../kit/file-facts.ts";
import type { Place } from "../host.ts";
import { asArray, type JsonObject, member, readJsonObject } from "./json-file.ts";
import {
  claudeDirectory,
  localSettingsFile,
  managedDirectory,
  pathsOf,
  sharedSettingsFile,
  userSettingsFile,
} from "./places.ts";
import type { Project } from "./repository.ts";

/** The settings that hold for a project, each with the file it is from. Reads, never writes. */

export interface Settings {
  source: "managed" | "user" | "shared" | "local";
  file: string;
  values: JsonObject;
}

/** All of them; those that are not there say nothing. */
export function settingsOf(place: Place, project: Project, managed = managedDirectory(place)): Settings[] {
  const { join } = pathsOf(place);
  const parts = join(managed, "managed-settings.d");
  const managedFiles = [
    join(managed, "managed-settings.json"),
    ...namesIn(parts)
      .filter((name) => name.endsWith(".json"))
      .map((name) => join(parts, name)),
    // What an organisation's server last sent.
    join(claudeDirectory(place), "remote-settings.json"),
  ];
  // A version reads the ones of the directory it is started in, of the repository's root, or both.
  const directories = [...new Set([project.cwd, project.root, project.mainRoot])];
  return [
    ...managedFiles.map((file) => read("managed", file)),
    read("user", userSettingsFile(place)),
    ...directories.map((directory) => read("shared", sharedSettingsFile(place, directory))),
    ...directories.map((directory) => read("local", localSettingsFile(place, directory))),
  ];
}

/** The elements of an array that several settings may hold, all together as the host takes them. */
export function elementsOf(settings: readonly Settings[], key: string): unknown[] {
  return settings.flatMap(({ values }) => asArray(member(values, key)));
}

/** The first settings in which a key has this value. */
export function settingsWith(settings: readonly Settings[], key: string, value: unknown): Settings | undefined {
  return settings.find(({ values }) => member(values, key) === value);
}

function read(source: Settings["source"], file: string): Settings {
  return { source, file, values: readJsonObject(file) };
}
