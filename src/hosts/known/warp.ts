import type { Host } from "../host.ts";
import { projectList, userList, withoutRepeats } from "../lists.ts";
import { inHome } from "../place-paths.ts";
import { COMMAND_AND_ARGS, UNKNOWN_FORMS } from "../shapes.ts";

/** Warp, as far as its servers stand in files. */

const SERVERS = { format: "json", path: ["mcpServers"], shape: COMMAND_AND_ARGS } as const;

export const warp: Host = {
  id: "warp",
  name: "Warp",
  verified: false,
  isThere: (place) => place.files.exists(inHome(place, ".warp")),
  lists: (place) =>
    withoutRepeats(place, [
      projectList(SERVERS, place, place.cwd, ".warp", ".mcp.json"),
      userList(SERVERS, inHome(place, ".warp", ".mcp.json")),
    ]),
  movedBy: [],
  hasProjectLists: true,
  expansion: UNKNOWN_FORMS,
  toolName: null,
  restartsServers: false,
  passesVariables: null,
  reload: "Restart the server in Warp's list of MCP servers.",
  reservedNames: [],
  notes: ["Servers that were added in Warp itself are kept elsewhere and are not recorded."],
};
