import type { Host } from "../host.ts";
import { projectList, userList, withoutRepeats } from "../lists.ts";
import { inHome } from "../place-paths.ts";
import { BRACED_FORMS, COMMAND_AND_ARGS } from "../shapes.ts";

/** Cursor, editor and command line. */

const SERVERS = { format: "json", path: ["mcpServers"], shape: COMMAND_AND_ARGS } as const;

export const cursor: Host = {
  id: "cursor",
  name: "Cursor",
  verified: false,
  isThere: (place) => place.files.exists(inHome(place, ".cursor")),
  lists: (place) =>
    withoutRepeats(place, [
      projectList(SERVERS, place, place.cwd, ".cursor", "mcp.json"),
      userList(SERVERS, inHome(place, ".cursor", "mcp.json")),
    ]),
  movedBy: [],
  hasProjectLists: true,
  expansion: BRACED_FORMS,
  toolName: null,
  restartsServers: false,
  passesVariables: null,
  reload: "Switch the server off and on in Cursor's settings, or start Cursor again.",
  reservedNames: [],
  notes: ["Cursor asks again whether a project's server may run when its entry has changed."],
};
