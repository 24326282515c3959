import type { Place } from "./host.ts";
import { applicationData, inHome, joinIn } from "./place-paths.ts";

/** Where VS Code and the editors made of it keep what is the user's, and their extensions' files. */

/** Data directories, and servers of it on machines that one works on from elsewhere. */
const EDITORS = ["Code", "Code - Insiders", "VSCodium", "Cursor", "Windsurf"];
const SERVERS = [".vscode-server", ".cursor-server", ".windsurf-server"];

/** The `User` directories of the named editors. */
export function editorUserDirectories(place: Place, editors: readonly string[]): string[] {
  return editors.map((editor) => joinIn(place, applicationData(place), editor, "User"));
}

/** Where an extension keeps files for the whole user, in every editor that can run it. */
export function extensionDirectories(place: Place, extension: string): string[] {
  const servers = place.platform === "linux" ? SERVERS.map((name) => inHome(place, name, "data", "User")) : [];
  return [...editorUserDirectories(place, EDITORS), ...servers].map((user) =>
    joinIn(place, user, "globalStorage", extension),
  );
}
