import type { Host } from "../host.ts";
import { userList } from "../lists.ts";
import { inHome } from "../place-paths.ts";
import { COMMAND_AND_ARGS, UNKNOWN_FORMS } from "../shapes.ts";

/** LM Studio. */

const SERVERS = { format: "json", path: ["mcpServers"], shape: COMMAND_AND_ARGS } as const;

export const lmStudio: Host = {
  id: "lm-studio",
  name: "LM Studio",
  verified: false,
  isThere: (place) => place.files.exists(inHome(place, ".lmstudio")),
  lists: (place) => [userList(SERVERS, inHome(place, ".lmstudio", "mcp.json"))],
  movedBy: [],
  hasProjectLists: false,
  expansion: UNKNOWN_FORMS,
  toolName: null,
  restartsServers: false,
  passesVariables: null,
  reload: "Switch the server off and on in LM Studio.",
  reservedNames: [],
  notes: [],
};
