import type { Host, Place } from "../host.ts";
import { projectList, userList, withoutRepeats } from "../lists.ts";
import { inHome, joinIn, roaming, xdgConfig } from "../place-paths.ts";
import { COMMAND_AND_ARGS, UNKNOWN_FORMS } from "../shapes.ts";

/** Zed. Servers of its extensions stand in the same list without a command, and are left. */

const SERVERS = {
  format: "jsonc",
  path: ["context_servers"],
  shape: { ...COMMAND_AND_ARGS, type: null },
} as const;

export const zed: Host = {
  id: "zed",
  name: "Zed",
  verified: false,
  isThere: (place) => place.files.exists(directory(place)),
  lists: (place) =>
    withoutRepeats(place, [
      projectList(SERVERS, place, place.cwd, ".zed", "settings.json"),
      userList(SERVERS, joinIn(place, directory(place), "settings.json")),
    ]),
  movedBy: ["XDG_CONFIG_HOME"],
  hasProjectLists: true,
  expansion: UNKNOWN_FORMS,
  toolName: null,
  restartsServers: false,
  passesVariables: null,
  reload: "Nothing, Zed takes it up by itself.",
  reservedNames: [],
  notes: ["The older form with an object under `command` is left."],
};

function directory(place: Place): string {
  if (place.platform === "win32") return joinIn(place, roaming(place), "Zed");
  return place.platform === "darwin" ? inHome(place, ".config", "zed") : joinIn(place, xdgConfig(place), "zed");
}
