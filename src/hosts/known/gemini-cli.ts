import type { Host, Place } from "../host.ts";
import { projectList, userList, withoutRepeats } from "../lists.ts";
import { directoryFrom, joinIn } from "../place-paths.ts";
import { COMMAND_AND_ARGS, DOLLAR_FORMS, URL_AND_HEADERS } from "../shapes.ts";

/** Google's Gemini CLI. */

const SERVERS = {
  format: "json-comments",
  path: ["mcpServers"],
  shape: {
    ...COMMAND_AND_ARGS,
    remote: {
      ...URL_AND_HEADERS,
      urlKeys: [
        { key: "httpUrl", transport: "http" },
        { key: "url", transport: null },
      ],
      types: { http: "http", sse: "sse" },
      signIn: ["oauth"],
      cannotMove: ["authProviderType"],
    },
  },
} as const;

export const geminiCli: Host = {
  id: "gemini-cli",
  name: "Gemini CLI",
  verified: true,
  // Antigravity keeps files in the same directory.
  isThere: (place) =>
    ["settings.json", "tmp", "oauth_creds.json"].some((name) => place.files.exists(joinIn(place, home(place), name))),
  lists: (place) =>
    withoutRepeats(place, [
      projectList(SERVERS, place, place.cwd, ".gemini", "settings.json"),
      userList(SERVERS, joinIn(place, home(place), "settings.json")),
    ]),
  movedBy: ["GEMINI_CLI_HOME"],
  hasProjectLists: true,
  expansion: DOLLAR_FORMS,
  toolName: (server, tool) => `mcp_${server}_${tool}`,
  restartsServers: false,
  passesVariables: null,
  reload: "Start Gemini CLI again.",
  reservedNames: [],
  notes: [
    "Comments are allowed and kept; a trailing comma, a byte order mark or an empty file stops Gemini CLI itself.",
    "Variables whose names look like secrets do not reach a server, unless its `env` names them.",
  ],
};

/** The variable names the directory that holds `.gemini`. */
function home(place: Place): string {
  return joinIn(place, directoryFrom(place, "GEMINI_CLI_HOME") ?? place.userHome, ".gemini");
}
