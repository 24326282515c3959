import type { Host, Place } from "../host.ts";
import { projectList, userList, withoutRepeats } from "../lists.ts";
import { directoryFrom, inHome, joinIn } from "../place-paths.ts";
import { COMMAND_AND_ARGS, DOLLAR_FORMS, URL_AND_HEADERS } from "../shapes.ts";

/** Alibaba's Qwen Code, a relative of Gemini CLI that also reads `.mcp.json`. */

const REMOTE = { ...URL_AND_HEADERS, signIn: ["oauth"], cannotMove: ["authProviderType"] } as const;

/** A type is not looked at here: the key of the URL says how the server is spoken to. */
const SETTINGS = {
  format: "json-comments",
  path: ["mcpServers"],
  shape: {
    ...COMMAND_AND_ARGS,
    type: null,
    remote: {
      ...REMOTE,
      urlKeys: [
        { key: "httpUrl", transport: "http" },
        { key: "url", transport: "sse" },
      ],
      types: {},
    },
  },
} as const;

const MCP_JSON = {
  format: "json-comments",
  path: ["mcpServers"],
  shape: {
    ...COMMAND_AND_ARGS,
    remote: { ...REMOTE, urlKeys: SETTINGS.shape.remote.urlKeys, types: { http: "http", sse: "sse" } },
  },
} as const;

export const qwenCode: Host = {
  id: "qwen-code",
  name: "Qwen Code",
  verified: true,
  isThere: (place) => place.files.exists(home(place)),
  lists: (place) =>
    withoutRepeats(place, [
      projectList(SETTINGS, place, place.cwd, ".qwen", "settings.json"),
      { ...projectList(MCP_JSON, place, place.cwd, ".mcp.json"), shared: true },
      userList(SETTINGS, joinIn(place, home(place), "settings.json")),
    ]),
  movedBy: ["QWEN_HOME"],
  hasProjectLists: true,
  expansion: DOLLAR_FORMS,
  toolName: (server, tool) => `mcp__${server}__${tool}`,
  restartsServers: false,
  passesVariables: null,
  reload: "Start Qwen Code again.",
  reservedNames: [],
  notes: [
    "Comments are allowed; a trailing comma stops Qwen Code itself.",
    "A project's servers have to be approved, and are asked about again when their entry has changed.",
  ],
};

function home(place: Place): string {
  return directoryFrom(place, "QWEN_HOME") ?? inHome(place, ".qwen");
}
