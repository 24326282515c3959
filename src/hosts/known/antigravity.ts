import type { Host, Place } from "../host.ts";
import { projectList, userList, withoutRepeats } from "../lists.ts";
import { inHome, joinIn } from "../place-paths.ts";
import { COMMAND_AND_ARGS, UNKNOWN_FORMS, URL_AND_HEADERS } from "../shapes.ts";

/** Google's Antigravity, editor and command line. */

const SERVERS = {
  format: "json",
  path: ["mcpServers"],
  shape: {
    ...COMMAND_AND_ARGS,
    remote: {
      ...URL_AND_HEADERS,
      urlKeys: [
        { key: "serverUrl", transport: null },
        { key: "url", transport: null },
      ],
      cannotMove: ["authProviderType"],
    },
  },
} as const;

export const antigravity: Host = {
  id: "antigravity",
  name: "Antigravity",
  verified: false,
  isThere: (place) => directories(place).some(place.files.exists),
  lists: (place) =>
    withoutRepeats(place, [
      projectList(SERVERS, place, place.cwd, ".agents", "mcp_config.json"),
      ...directories(place).map((directory) => userList(SERVERS, joinIn(place, directory, "mcp_config.json"))),
    ]),
  movedBy: [],
  hasProjectLists: true,
  expansion: UNKNOWN_FORMS,
  toolName: null,
  restartsServers: false,
  passesVariables: null,
  reload: "Press Refresh in the list of MCP servers, or start the command line again.",
  reservedNames: [],
  notes: ["`~/.gemini/antigravity` is the editor's, `~/.gemini/config` that of the command line."],
};

function directories(place: Place): string[] {
  return [inHome(place, ".gemini", "antigravity"), inHome(place, ".gemini", "config")];
}
