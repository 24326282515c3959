import { extensionDirectories } from "../editor-data.ts";
import type { Host, Place } from "../host.ts";
import { projectList, userList, withoutRepeats } from "../lists.ts";
import { joinIn } from "../place-paths.ts";
import { BRACED_FORMS, COMMAND_AND_ARGS } from "../shapes.ts";

/** Roo Code, an extension of VS Code and of the editors made of it. */

const SERVERS = { format: "json", path: ["mcpServers"], shape: COMMAND_AND_ARGS } as const;

export const rooCode: Host = {
  id: "roo-code",
  name: "Roo Code",
  verified: false,
  isThere: (place) => directories(place).some(place.files.exists),
  lists: (place) =>
    withoutRepeats(place, [
      projectList(SERVERS, place, place.cwd, ".roo", "mcp.json"),
      ...directories(place).map((directory) =>
        userList(SERVERS, joinIn(place, directory, "settings", "mcp_settings.json")),
      ),
    ]),
  movedBy: [],
  hasProjectLists: true,
  expansion: BRACED_FORMS,
  toolName: null,
  restartsServers: false,
  passesVariables: null,
  reload: "Reload the editor's window.",
  reservedNames: [],
  notes: [],
};

function directories(place: Place): string[] {
  return extensionDirectories(place, "rooveterinaryinc.roo-cline");
}
