import type { Place } from "../host.ts";
import { asArray, asObject, asStrings, type JsonObject, member, readJsonObject } from "./json-file.ts";
import { claudeDirectory, pathsOf } from "./places.ts";
import type { Settings } from "./settings.ts";

/** The servers that plugins bring. They belong to the plugin, which an update replaces, so they are only told of. Reads only. */

export interface PluginServer {
  /** As the host names it. */
  name: string;
  file: string;
  /** What it starts, the program first; empty where it is connected to. */
  words: string[];
}

/** Those of the plugins that are switched on. */
export function pluginServers(place: Place, settings: readonly Settings[]): PluginServer[] {
  const { join } = pathsOf(place);
  const installed = readJsonObject(join(claudeDirectory(place), "plugins", "installed_plugins.json"));
  const plugins = Object.entries(asObject(member(installed, "plugins"))).filter(([id]) => isOn(id, settings));
  return plugins.flatMap(([id, installs]) => {
    const [plugin = id] = id.split("@");
    const directories = new Set(asStrings(asArray(installs).map((one) => member(asObject(one), "installPath"))));
    return [...directories].flatMap((directory) =>
      [join(directory, ".mcp.json"), join(directory, ".claude-plugin", "plugin.json")].flatMap((file) =>
        serversIn(file, plugin),
      ),
    );
  });
}

function isOn(id: string, settings: readonly Settings[]): boolean {
  const said = settings.map(({ values }) => member(asObject(member(values, "enabledPlugins")), id));
  return said.includes(true);
}

function serversIn(file: string, plugin: string): PluginServer[] {
  const content = readJsonObject(file);
  const wrapped = member(content, "mcpServers");
  // A plugin's .mcp.json may hold the servers without anything around them.
  const servers = wrapped === undefined && file.endsWith(".mcp.json") ? content : asObject(wrapped);
  return Object.entries(servers).map(([name, entry]) => {
    return { name: `plugin:${plugin}:${name}`, file, words: wordsOf(asObject(entry)) };
  });
}

function wordsOf(entry: JsonObject): string[] {
  const command = member(entry, "command");
  return typeof command === "string" ? [command, ...asStrings(member(entry, "args"))] : [];
}
