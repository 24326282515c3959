import type { Host, Place } from "../host.ts";
import { userList } from "../lists.ts";
import { directoryFrom, inHome, joinIn } from "../place-paths.ts";
import { COMMAND_AND_ARGS } from "../shapes.ts";

/** Cline in the terminal. In an editor it has files of its own: `cline-vscode.ts`. */

/** Its own command writes the program into an object `transport`; written by hand it stands in the entry itself. */
export const CLINE_SERVERS = {
  format: "json",
  path: ["mcpServers"],
  shape: {
    ...COMMAND_AND_ARGS,
    nested: "transport",
    remote: {
      urlKeys: [{ key: "url", transport: "sse" }],
      headers: "headers",
      types: { sse: "sse", streamableHttp: "http" },
      bearerVariable: null,
      signIn: ["oauth", "oauthClient"],
      // An older word for the type: with a program beside it Cline takes the whole file for broken.
      cannotMove: ["transportType"],
    },
  },
} as const;

export const cline: Host = {
  id: "cline",
  name: "Cline CLI",
  verified: true,
  isThere: (place) => place.files.exists(home(place)) || place.files.exists(settingsFile(place)),
  lists: (place) => [userList(CLINE_SERVERS, settingsFile(place))],
  movedBy: ["CLINE_DIR", "CLINE_DATA_DIR", "CLINE_MCP_SETTINGS_PATH"],
  hasProjectLists: false,
  expansion: null,
  toolName: (server, tool) => `${server}__${tool}`,
  restartsServers: false,
  passesVariables: null,
  reload: "Start Cline again.",
  reservedNames: [],
  notes: ["A remote server without a type is spoken to over SSE.", "Nothing is replaced in an entry."],
};

function home(place: Place): string {
  return directoryFrom(place, "CLINE_DIR") ?? inHome(place, ".cline");
}

function settingsFile(place: Place): string {
  const data = directoryFrom(place, "CLINE_DATA_DIR") ?? joinIn(place, home(place), "data");
  return directoryFrom(place, "CLINE_MCP_SETTINGS_PATH") ?? joinIn(place, data, "settings", "cline_mcp_settings.json");
}
