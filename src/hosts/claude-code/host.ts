import { BRACED_FORMS } from "../shapes.ts";
import { RESERVED_NAMES } from "./entry-rules.ts";
import { foreignServers } from "./foreign-servers.ts";
import { hookFiles, hooksRefused, isSeenByGit } from "./hook-files.ts";
import { installedVersion } from "./installed-version.ts";
import { claudeDirectory, stateFile } from "./places.ts";
import { scopedLists, serverLists } from "./scoped-lists.ts";
import type { ScopedHost } from "./scopes.ts";

/** Claude Code: three scopes of servers, approvals and policies, hooks in its settings. Seen with 2.0.76 to 2.1.332. */
export const CLAUDE_CODE: ScopedHost = {
  id: "claude-code",
  name: "Claude Code",
  verified: true,
  isThere: (place) => place.files.exists(stateFile(place)) || place.files.exists(claudeDirectory(place)),
  lists: serverLists,
  movedBy: ["CLAUDE_CONFIG_DIR"],
  hasProjectLists: true,
  expansion: BRACED_FORMS,
  toolName: (server, tool) => `mcp__${inToolName(server)}__${inToolName(tool)}`,
  restartsServers: true,
  passesVariables: null,
  reload: "Start a new session, or type /clear in one that is open.",
  reservedNames: RESERVED_NAMES,
  notes: [
    'A server of a shared .mcp.json is not changed there: a wrapped copy in the project\'s local scope takes its place, and Claude Code tells of it under `/mcp` as "Conflicting scopes".',
    "Servers of a .mcp.json that nobody has approved are left, and so are those of plugins and of an administrator.",
  ],
  scopedLists,
  foreignServers,
  hookFiles,
  hooksRefused,
  isSeenByGit,
  installedVersion,
};

function inToolName(name: string): string {
  return name.replaceAll(/[^a-zA-Z0-9_-]/g, "_");
}
