import { editorUserDirectories } from "../editor-data.ts";
import type { Host, Place } from "../host.ts";
import { projectList, userList, withoutRepeats } from "../lists.ts";
import { joinIn } from "../place-paths.ts";
import { BRACED_FORMS, COMMAND_AND_ARGS } from "../shapes.ts";

/** VS Code with GitHub Copilot. What stands beside the servers (`inputs`) and in an entry (`envFile`) is never touched. */

const SERVERS = { format: "jsonc", path: ["servers"], shape: COMMAND_AND_ARGS } as const;

export const vsCode: Host = {
  id: "vs-code",
  name: "VS Code",
  verified: false,
  isThere: (place) => users(place).some(place.files.exists),
  lists: (place) =>
    withoutRepeats(place, [
      projectList(SERVERS, place, place.cwd, ".vscode", "mcp.json"),
      ...users(place).flatMap((user) => {
        const profiles = joinIn(place, user, "profiles");
        return [user, ...place.files.names(profiles).map((name) => joinIn(place, profiles, name))].map((directory) =>
          userList(SERVERS, joinIn(place, directory, "mcp.json")),
        );
      }),
    ]),
  movedBy: [],
  hasProjectLists: true,
  expansion: BRACED_FORMS,
  toolName: (server, tool) => `mcp_${server}_${tool}`,
  restartsServers: false,
  passesVariables: null,
  reload: "Restart the server from the list of MCP servers.",
  reservedNames: [],
  notes: [
    "Servers in a `settings.json` or in a `.code-workspace` file are not looked at.",
    "VS Code asks again whether a server whose entry has changed is trusted.",
  ],
};

function users(place: Place): string[] {
  return editorUserDirectories(place, ["Code", "Code - Insiders", "VSCodium"]);
}
