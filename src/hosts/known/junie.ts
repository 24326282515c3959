import type { Host } from "../host.ts";
import { projectList, userList, withoutRepeats } from "../lists.ts";
import { inHome } from "../place-paths.ts";
import { COMMAND_AND_ARGS, UNKNOWN_FORMS } from "../shapes.ts";

/** JetBrains' Junie, in the IDE and on the command line. */

const SERVERS = { format: "json", path: ["mcpServers"], shape: COMMAND_AND_ARGS } as const;

export const junie: Host = {
  id: "junie",
  name: "Junie",
  verified: false,
  isThere: (place) => place.files.exists(inHome(place, ".junie")),
  lists: (place) =>
    withoutRepeats(place, [
      projectList(SERVERS, place, place.cwd, ".junie", "mcp", "mcp.json"),
      userList(SERVERS, inHome(place, ".junie", "mcp", "mcp.json")),
    ]),
  movedBy: [],
  hasProjectLists: true,
  expansion: UNKNOWN_FORMS,
  toolName: null,
  restartsServers: false,
  passesVariables: null,
  reload: "Start Junie again.",
  reservedNames: [],
  notes: [],
};
