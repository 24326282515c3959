import { extensionDirectories } from "../editor-data.ts";
import type { Host, Place } from "../host.ts";
import { userList, withoutRepeats } from "../lists.ts";
import { joinIn } from "../place-paths.ts";
import { UNKNOWN_FORMS } from "../shapes.ts";
import { CLINE_SERVERS } from "./cline.ts";

/** Cline as an extension of VS Code and of the editors made of it. */

export const clineVscode: Host = {
  id: "cline-vscode",
  name: "Cline in VS Code",
  verified: false,
  isThere: (place) => directories(place).some(place.files.exists),
  lists: (place) =>
    withoutRepeats(
      place,
      directories(place).map((directory) =>
        userList(CLINE_SERVERS, joinIn(place, directory, "settings", "cline_mcp_settings.json")),
      ),
    ),
  movedBy: [],
  hasProjectLists: false,
  expansion: UNKNOWN_FORMS,
  toolName: null,
  restartsServers: false,
  passesVariables: null,
  reload: "Reload the editor's window.",
  reservedNames: [],
  notes: [],
};

function directories(place: Place): string[] {
  return extensionDirectories(place, "saoudrizwan.claude-dev");
}
