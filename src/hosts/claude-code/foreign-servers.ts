import type { Place } from "../host.ts";
import { asObject, member, readJsonObject } from "./json-file.ts";
import { managedDirectory, pathsOf } from "./places.ts";
import { pluginServers } from "./plugin-servers.ts";
import { projectOf } from "./repository.ts";
import type { ForeignServer, ScopeOptions } from "./scopes.ts";
import { settingsOf } from "./settings.ts";

/** Servers that Claude Code has from plugins or from an administrator: they are told of, and left. Reads, never writes. */

export function foreignServers(place: Place, options: ScopeOptions): ForeignServer[] {
  const managed = options.managedDirectory ?? managedDirectory(place);
  const settings = settingsOf(place, projectOf(place, options.version), managed);
  const ofPlugins = pluginServers(place, settings).map(({ name, file }) => {
    return { name, file, reason: "it belongs to a plugin, and an update of that would undo the change" };
  });
  const file = pathsOf(place).join(managed, "managed-mcp.json");
  const given = [
    { file, servers: member(readJsonObject(file), "mcpServers") },
    ...settings
      .filter(({ source }) => source === "managed")
      .map((one) => ({ file: one.file, servers: member(one.values, "managedMcpServers") })),
  ];
  const reason = "the administrator of this machine gives it";
  const ofAdministrator = given.flatMap((one) =>
    Object.keys(asObject(one.servers)).map((name) => ({ name, file: one.file, reason })),
  );
  return [...ofPlugins, ...ofAdministrator];
}
