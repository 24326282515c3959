import type { Host, Place, ServerList } from "../host.ts";
import { type ListKind, projectList, userList, withoutRepeats } from "../lists.ts";
import { directoryFrom, inHome, joinIn } from "../place-paths.ts";
import { COMMAND_AND_ARGS, URL_AND_HEADERS } from "../shapes.ts";

/** Continue: a YAML list of servers that hold their names, and files in the way of other hosts beside it. */

const YAML_LIST = {
  format: "yaml",
  path: ["mcpServers"],
  shape: {
    ...COMMAND_AND_ARGS,
    names: { nameKey: "name" },
    remote: { ...URL_AND_HEADERS, headers: null, cannotMove: ["requestOptions", "apiKey"] },
  },
} as const;

const JSON_OBJECT = { format: "json", path: ["mcpServers"], shape: COMMAND_AND_ARGS } as const;

export const continueDev: Host = {
  id: "continue",
  name: "Continue",
  verified: false,
  isThere: (place) => place.files.exists(home(place)),
  lists: (place) =>
    withoutRepeats(place, [
      ...blocks(place, joinIn(place, place.cwd, ".continue", "mcpServers"), (kind, name) =>
        projectList(kind, place, place.cwd, ".continue", "mcpServers", name),
      ),
      userList(YAML_LIST, joinIn(place, home(place), "config.yaml")),
      ...blocks(place, joinIn(place, home(place), "mcpServers"), (kind, name) =>
        userList(kind, joinIn(place, home(place), "mcpServers", name)),
      ),
    ]),
  movedBy: ["CONTINUE_GLOBAL_DIR"],
  hasProjectLists: true,
  expansion: { pattern: /\$\{\{[^}]*\}\}/g, inEnv: true },
  toolName: null,
  restartsServers: false,
  passesVariables: null,
  reload: "Reload the editor's window.",
  reservedNames: [],
  notes: ["`config.json`, which came before `config.yaml`, is not looked at."],
};

function home(place: Place): string {
  return directoryFrom(place, "CONTINUE_GLOBAL_DIR") ?? inHome(place, ".continue");
}

function blocks(place: Place, directory: string, list: (kind: ListKind, name: string) => ServerList): ServerList[] {
  return place.files.names(directory).flatMap((name) => {
    if (/\.ya?ml$/.test(name)) return [list(YAML_LIST, name)];
    return name.endsWith(".json") ? [list(JSON_OBJECT, name)] : [];
  });
}
