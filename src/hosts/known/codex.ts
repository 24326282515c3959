import type { Host, Place } from "../host.ts";
import { projectList, userList, withoutRepeats } from "../lists.ts";
import { directoryFrom, inHome, joinIn, upwards } from "../place-paths.ts";
import { COMMAND_AND_ARGS } from "../shapes.ts";

/** OpenAI's Codex CLI and its IDE extension, which share one file. */

const SERVERS = {
  format: "toml",
  path: ["mcp_servers"],
  shape: {
    ...COMMAND_AND_ARGS,
    type: null,
    remote: {
      urlKeys: [{ key: "url", transport: "http" }],
      headers: "http_headers",
      types: {},
      bearerVariable: "bearer_token_env_var",
      signIn: ["scopes"],
      // Beside a command each of these makes Codex refuse the whole file.
      cannotMove: ["env_http_headers", "oauth", "oauth_resource", "auth"],
    },
  },
} as const;

export const codex: Host = {
  id: "codex",
  name: "Codex",
  verified: true,
  isThere: (place) => place.files.exists(home(place)),
  lists: (place) =>
    withoutRepeats(place, [
      ...upwards(place, "only-here").map((at) => projectList(SERVERS, place, at, ".codex", "config.toml")),
      userList(SERVERS, joinIn(place, home(place), "config.toml")),
    ]),
  movedBy: ["CODEX_HOME"],
  hasProjectLists: true,
  mergesEntries: true,
  expansion: null,
  toolName: (server, tool) => `mcp__${server}__${tool}`,
  restartsServers: false,
  passesVariables: { listKey: "env_vars" },
  reload: "Start Codex again.",
  reservedNames: [],
  notes: [
    "A project's file counts only where the project is trusted.",
    "Entries of one name in several files are merged key by key.",
    "A server is given only the variables of its `env` and those named in `env_vars`.",
    "`codex mcp add` writes all tables of servers anew, so comments in them are lost to it, not to `bir`.",
  ],
};

function home(place: Place): string {
  return directoryFrom(place, "CODEX_HOME") ?? inHome(place, ".codex");
}
