import type { Host, Place } from "../host.ts";
import { userList } from "../lists.ts";
import { directoryFrom, joinIn, roaming, xdgConfig } from "../place-paths.ts";
import { COMMAND_AND_ARGS } from "../shapes.ts";

/** Goose, desktop and command line. Extensions that are built in stand in the same list under other types, and are left. */

const SERVERS = {
  format: "yaml",
  path: ["extensions"],
  shape: {
    ...COMMAND_AND_ARGS,
    command: { kind: "command-and-args", command: "cmd", args: "args" },
    env: "envs",
    remote: {
      urlKeys: [{ key: "uri", transport: null }],
      headers: "headers",
      types: { sse: "sse", streamable_http: "http" },
      bearerVariable: null,
      signIn: [],
      cannotMove: [],
    },
  },
} as const;

export const goose: Host = {
  id: "goose",
  name: "Goose",
  verified: false,
  isThere: (place) => place.files.exists(directory(place)),
  lists: (place) => [userList(SERVERS, joinIn(place, directory(place), "config.yaml"))],
  movedBy: ["GOOSE_PATH_ROOT", "XDG_CONFIG_HOME"],
  hasProjectLists: false,
  // In headers only, out of its own store of secrets.
  expansion: { pattern: /\$\{[^}]+\}|\$[A-Za-z_]\w*/g, inEnv: false },
  toolName: (server, tool) => `${server}__${tool}`,
  restartsServers: false,
  passesVariables: null,
  reload: "Start a new session.",
  reservedNames: [],
  notes: ["Goose writes its file anew when its settings are changed in it, and keeps no comments."],
};

function directory(place: Place): string {
  const root = directoryFrom(place, "GOOSE_PATH_ROOT");
  if (root !== null) return joinIn(place, root, "config");
  if (place.platform === "win32") return joinIn(place, roaming(place), "Block", "goose", "config");
  return joinIn(place, xdgConfig(place), "goose");
}
