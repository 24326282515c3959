import type { Host, Place } from "../host.ts";
import { projectList, userList, withoutRepeats } from "../lists.ts";
import { directoryFrom, inHome, joinIn, upwards } from "../place-paths.ts";
import { COMMAND_AND_ARGS, DOLLAR_FORMS, URL_AND_HEADERS } from "../shapes.ts";

/** GitHub's Copilot CLI. */

const SERVERS = {
  format: "jsonc",
  path: ["mcpServers"],
  shape: {
    ...COMMAND_AND_ARGS,
    type: { key: "type", stdio: "local" },
    remote: {
      ...URL_AND_HEADERS,
      signIn: ["oauth", "auth", "oauthClientId", "oauthGrantType", "oauthPublicClient"],
    },
  },
} as const;

export const copilotCli: Host = {
  id: "copilot-cli",
  name: "GitHub Copilot CLI",
  verified: true,
  isThere: (place) => place.files.exists(home(place)),
  lists: (place) =>
    withoutRepeats(place, [
      ...upwards(place, "only-here").flatMap((at) => [
        { ...projectList(SERVERS, place, at, ".mcp.json"), shared: true as const },
        projectList(SERVERS, place, at, ".github", "mcp.json"),
      ]),
      userList(SERVERS, joinIn(place, home(place), "mcp-config.json")),
    ]),
  movedBy: ["COPILOT_HOME"],
  hasProjectLists: true,
  expansion: DOLLAR_FORMS,
  toolName: (server, tool) => `${server}-${tool}`,
  restartsServers: false,
  passesVariables: null,
  reload: "Start Copilot CLI again.",
  reservedNames: [],
  notes: [
    "Comments and trailing commas are allowed.",
    "A project's files count only where the directory is trusted; `.github/mcp.json` only where no `.mcp.json` is beside it.",
    "An entry under the name `github-mcp-server` takes the place of the built-in server.",
  ],
};

function home(place: Place): string {
  return directoryFrom(place, "COPILOT_HOME") ?? inHome(place, ".copilot");
}
