import type { Host, Place } from "../host.ts";
import { userList } from "../lists.ts";
import { applicationData, joinIn } from "../place-paths.ts";
import { COMMAND_AND_ARGS } from "../shapes.ts";

/** Claude Desktop. Its file holds programs only; remote servers are connectors of the account. */

const SERVERS = {
  format: "json",
  path: ["mcpServers"],
  shape: { ...COMMAND_AND_ARGS, remote: null },
} as const;

export const claudeDesktop: Host = {
  id: "claude-desktop",
  name: "Claude Desktop",
  verified: false,
  isThere: (place) => place.files.exists(directory(place)),
  lists: (place) => [userList(SERVERS, joinIn(place, directory(place), "claude_desktop_config.json"))],
  movedBy: [],
  hasProjectLists: false,
  expansion: null,
  toolName: null,
  restartsServers: false,
  passesVariables: null,
  reload: "Quit Claude Desktop, also from the tray, and start it again.",
  reservedNames: [],
  notes: ["Connectors and desktop extensions are not in the file and are not recorded."],
};

function directory(place: Place): string {
  return joinIn(place, applicationData(place), "Claude");
}
