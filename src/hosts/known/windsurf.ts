import type { Host } from "../host.ts";
import { userList } from "../lists.ts";
import { inHome } from "../place-paths.ts";
import { BRACED_FORMS, COMMAND_AND_ARGS, URL_AND_HEADERS } from "../shapes.ts";

/** Windsurf, its preview edition, and its plug-in for other editors. */

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
    },
  },
} as const;

const EDITIONS = ["windsurf", "windsurf-next"];

export const windsurf: Host = {
  id: "windsurf",
  name: "Windsurf",
  verified: false,
  isThere: (place) => EDITIONS.some((edition) => place.files.exists(inHome(place, ".codeium", edition))),
  lists: (place) =>
    [...EDITIONS.map((edition) => [edition]), []].map((parts) =>
      userList(SERVERS, inHome(place, ".codeium", ...parts, "mcp_config.json")),
    ),
  movedBy: [],
  hasProjectLists: false,
  expansion: BRACED_FORMS,
  toolName: null,
  restartsServers: false,
  passesVariables: null,
  reload: "Press Refresh in the list of MCP servers.",
  reservedNames: [],
  notes: [],
};
