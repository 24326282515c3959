import type { Host, Place, ServerList } from "../host.ts";
import { projectList, userList, withoutRepeats } from "../lists.ts";
import { directoryFrom, inHome, joinIn, upwards, xdgConfig } from "../place-paths.ts";
import { COMMAND_AND_ARGS } from "../shapes.ts";

/** opencode: one array for program and arguments, and many files that are merged. */

const SERVERS = {
  format: "jsonc",
  path: ["mcp"],
  shape: {
    ...COMMAND_AND_ARGS,
    command: { kind: "argv", key: "command" },
    env: "environment",
    type: { key: "type", stdio: "local" },
    remote: {
      urlKeys: [{ key: "url", transport: null }],
      headers: "headers",
      types: { remote: null },
      bearerVariable: null,
      signIn: ["oauth"],
      cannotMove: [],
    },
  },
} as const;

/** Of two in one directory the second is read first. */
const NAMES = ["opencode.jsonc", "opencode.json"];

export const opencode: Host = {
  id: "opencode",
  name: "opencode",
  verified: true,
  isThere: (place) =>
    [
      joinIn(place, xdgConfig(place), "opencode"),
      inHome(place, ".opencode"),
      inHome(place, ".local", "share", "opencode"),
    ].some(place.files.exists),
  lists: (place) => withoutRepeats(place, listsOf(place)),
  movedBy: ["XDG_CONFIG_HOME", "OPENCODE_CONFIG", "OPENCODE_CONFIG_DIR"],
  hasProjectLists: true,
  expansion: { pattern: /\{(?:env|file):[^}]+\}/g, inEnv: true },
  toolName: (server, tool) => `${server}_${tool}`.replaceAll(/[^\w-]/g, "_"),
  restartsServers: false,
  passesVariables: null,
  reload: "Start opencode again.",
  reservedNames: [],
  notes: [
    "All files are merged; of several in a directory each counts.",
    "Outside a repository every directory above the working directory is looked at.",
  ],
};

function listsOf(place: Place): ServerList[] {
  const config = joinIn(place, xdgConfig(place), "opencode");
  const named = directoryFrom(place, "OPENCODE_CONFIG");
  const namedDirectory = directoryFrom(place, "OPENCODE_CONFIG_DIR");
  const directories = upwards(place, "to-the-root");
  const user = (directory: string, names = NAMES) =>
    names.map((name) => userList(SERVERS, joinIn(place, directory, name)));
  return [
    ...(namedDirectory === null ? [] : user(namedDirectory)),
    ...user(inHome(place, ".opencode")),
    ...directories
      .toReversed()
      .flatMap((at) => NAMES.map((name) => projectList(SERVERS, place, at, ".opencode", name))),
    ...directories.flatMap((at) => NAMES.map((name) => projectList(SERVERS, place, at, name))),
    ...(named === null ? [] : [userList(SERVERS, named)]),
    ...user(config, [...NAMES, "config.json"]),
  ];
}
