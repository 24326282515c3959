import type { Host, Place, ServerList } from "../host.ts";
import { projectList, userList, withoutRepeats } from "../lists.ts";
import { inHome, joinIn } from "../place-paths.ts";
import { BRACED_FORMS, COMMAND_AND_ARGS } from "../shapes.ts";

/** Kiro, editor and command line; agents have servers of their own. */

const SERVERS = { format: "json", path: ["mcpServers"], shape: COMMAND_AND_ARGS } as const;

export const kiro: Host = {
  id: "kiro",
  name: "Kiro",
  verified: false,
  isThere: (place) => place.files.exists(inHome(place, ".kiro")),
  lists: (place) => {
    const user = (...parts: string[]) => userList(SERVERS, inHome(place, ".kiro", ...parts));
    const project = (...parts: string[]) => projectList(SERVERS, place, place.cwd, ".kiro", ...parts);
    return withoutRepeats(place, [
      ...agents(place, joinIn(place, place.cwd, ".kiro", "agents"), project),
      project("settings", "mcp.json"),
      ...agents(place, inHome(place, ".kiro", "agents"), user),
      user("settings", "mcp.json"),
    ]);
  },
  movedBy: [],
  hasProjectLists: true,
  expansion: BRACED_FORMS,
  toolName: null,
  restartsServers: false,
  passesVariables: null,
  reload: "Nothing in the editor, which takes it up by itself; start the command line again.",
  reservedNames: [],
  notes: ["The editor replaces only those variables that were approved in its settings."],
};

function agents(place: Place, directory: string, list: (...parts: string[]) => ServerList): ServerList[] {
  const names = place.files.names(directory).filter((name) => name.endsWith(".json"));
  return names.map((name) => list("agents", name));
}
