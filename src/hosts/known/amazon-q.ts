import type { Host, Place, ServerList } from "../host.ts";
import { projectList, userList, withoutRepeats } from "../lists.ts";
import { inHome, joinIn } from "../place-paths.ts";
import { COMMAND_AND_ARGS, UNKNOWN_FORMS } from "../shapes.ts";

/** Amazon Q Developer: servers belong to an agent; the files from before agents are read where an agent says so. */

const SERVERS = { format: "json", path: ["mcpServers"], shape: COMMAND_AND_ARGS } as const;
/** Of the command line, and of the editors. */
const AGENTS = ["cli-agents", "agents"];

export const amazonQ: Host = {
  id: "amazon-q",
  name: "Amazon Q Developer",
  verified: false,
  isThere: (place) => place.files.exists(inHome(place, ".aws", "amazonq")),
  lists: (place) => {
    const user = (...parts: string[]) => userList(SERVERS, inHome(place, ".aws", "amazonq", ...parts));
    const project = (...parts: string[]) => projectList(SERVERS, place, place.cwd, ".amazonq", ...parts);
    return withoutRepeats(place, [
      ...agents(place, joinIn(place, place.cwd, ".amazonq"), project),
      project("mcp.json"),
      ...agents(place, inHome(place, ".aws", "amazonq"), user),
      user("mcp.json"),
    ]);
  },
  movedBy: [],
  hasProjectLists: true,
  expansion: UNKNOWN_FORMS,
  toolName: null,
  restartsServers: false,
  passesVariables: null,
  reload: "Start a new chat.",
  reservedNames: [],
  notes: [],
};

function agents(place: Place, directory: string, list: (...parts: string[]) => ServerList): ServerList[] {
  return AGENTS.flatMap((kind) =>
    place.files
      .names(joinIn(place, directory, kind))
      .filter((name) => name.endsWith(".json"))
      .map((name) => list(kind, name)),
  );
}
