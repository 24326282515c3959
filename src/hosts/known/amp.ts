import type { Host, Place } from "../host.ts";
import { projectList, userList, withoutRepeats } from "../lists.ts";
import { directoryFrom, inHome, joinIn, upwards } from "../place-paths.ts";
import { COMMAND_AND_ARGS, UNKNOWN_FORMS } from "../shapes.ts";

/** Amp. The key of its servers has a dot in it, and is one key. */

const SERVERS = { format: "jsonc", path: ["amp.mcpServers"], shape: COMMAND_AND_ARGS } as const;
const NAMES = ["settings.json", "settings.jsonc"];

export const amp: Host = {
  id: "amp",
  name: "Amp",
  verified: false,
  isThere: (place) => place.files.exists(directory(place)),
  lists: (place) => {
    const named = directoryFrom(place, "AMP_SETTINGS_FILE");
    return withoutRepeats(place, [
      ...upwards(place, "only-here").flatMap((at) =>
        NAMES.map((name) => projectList(SERVERS, place, at, ".amp", name)),
      ),
      ...(named === null ? NAMES.map((name) => joinIn(place, directory(place), name)) : [named]).map((file) =>
        userList(SERVERS, file),
      ),
    ]);
  },
  movedBy: ["AMP_SETTINGS_FILE"],
  hasProjectLists: true,
  expansion: UNKNOWN_FORMS,
  toolName: null,
  restartsServers: false,
  passesVariables: null,
  reload: "Start Amp again.",
  reservedNames: [],
  notes: ["A project's servers have to be approved (`amp mcp approve`)."],
};

/** The same on every platform. */
function directory(place: Place): string {
  return inHome(place, ".config", "amp");
}
