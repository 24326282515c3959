import { counted } from "../../../core/text/when.ts";
import type { CliContext } from "../context.ts";
import { type DoctorCheck, type DoctorInput, type Finding, ok } from "./check.ts";
import { commandFindings } from "./entry-command.ts";
import { relativeFindings } from "./home.ts";
import { surveyFor } from "./hosts/survey.ts";
import { type McpConfig, type McpEntry, readMcpConfig, runsBir, usualConfigPaths } from "./mcp-config.ts";
import { secretFindings } from "./remote-entry.ts";
import { RUNTIME_VARIABLES } from "./runtime-variables.ts";

/**
 * The hosts' configuration entries that run bir: they can start, and nothing in them defeats recording or gives
 * a secret away.
 */
export const mcpEntries: DoctorCheck = {
  name: "mcp-entries",
  run: async (input: DoctorInput) => {
    const { context, configPaths } = input;
    const usual = usualConfigPaths(context).map((path) => readMcpConfig(path, context.cwd));
    const named = configPaths.map((path) => readMcpConfig(path, context.cwd));
    const known = [...usual, ...named];
    const ours = [...known.flatMap(({ entries }) => entries), ...(await otherEntries(input, known))].filter(runsBir);
    const found = [
      ...usual.flatMap((config) => brokenFindings(config, false)),
      ...named.flatMap((config) => brokenFindings(config, true)),
      ...ours.flatMap((entry) => entryFindings(entry, context)),
    ];
    if (found.length > 0) return found;
    if (ours.length > 0)
      return [
        ok(
          ours.length === 1
            ? "nothing is wrong with the 1 MCP server entry that runs bir"
            : `nothing is wrong with the ${counted(ours.length, "MCP server entry", "MCP server entries")} that run bir`,
        ),
      ];
    return [
      {
        severity: "info",
        message: "no MCP server entry that runs bir was found in the usual configuration files",
        hint: "`bir install` puts it before every server; or name a file: bir doctor --config PATH",
      },
    ];
  },
};

/** Those of hosts that keep theirs elsewhere, or in another form. */
async function otherEntries(input: DoctorInput, known: readonly McpConfig[]): Promise<McpEntry[]> {
  const { servers } = await surveyFor(input);
  const isKnown = (file: string, named: string) =>
    known.some(({ path, entries }) => path === file && entries.some(({ name }) => name === named));
  return servers
    .filter(({ list, entry }) => entry.isOurs && !isKnown(list.file, entry.name))
    .map(({ list, entry: { name, command, args, env } }) => ({
      place: list.file,
      name,
      command: command ?? "",
      args,
      env,
    }));
}

function brokenFindings({ path, state }: McpConfig, isNamed: boolean): Finding[] {
  if (state === "not-json") {
    const hint = "Its host may not read it either: look for a missing comma or bracket.";
    return [{ severity: "warning", message: `${path} cannot be read as JSON`, hint }];
  }
  if (state === "no-object") {
    const hint = 'Hosts read an object there: { "mcpServers": { … } }';
    return [{ severity: "warning", message: `${path} holds no object`, hint }];
  }
  if (state === "unreadable") {
    const hint = "See that it is a file, and that this user may read it.";
    return [{ severity: "warning", message: `${path} cannot be read`, hint }];
  }
  if (state === "missing" && isNamed) {
    return [{ severity: "warning", message: `${path} is not there`, hint: "Name a file that is." }];
  }
  return [];
}

function entryFindings(entry: McpEntry, context: CliContext): Finding[] {
  const where = `server ${JSON.stringify(entry.name)} in ${entry.place}`;
  const found = commandFindings(entry, where, context);
  const { BIR_HOME: ownHome } = entry.env;
  if (typeof ownHome === "string" && ownHome !== "" && !ownHome.startsWith("$")) {
    for (const finding of relativeFindings(ownHome, context)) {
      found.push({ ...finding, message: `${where}: ${finding.message}` });
    }
  }
  for (const [name, effect] of Object.entries(RUNTIME_VARIABLES)) {
    if (Object.hasOwn(entry.env, name)) {
      found.push({
        severity: "warning",
        message: `${where} sets ${name}: ${effect}`,
        hint: "Remove it from the entry's env.",
      });
    }
  }
  found.push(...secretFindings(entry, where));
  return found;
}
