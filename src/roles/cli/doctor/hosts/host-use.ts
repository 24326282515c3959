import type { CliContext } from "../../context.ts";
import type { HostReport, ServerReport } from "../../install/report.ts";
import { shortPath } from "../../install/short-path.ts";
import { counted } from "../../text/when.ts";
import type { DoctorCheck, Finding } from "../check.ts";
import { programVersions } from "./program-versions.ts";
import { surveyFor } from "./survey.ts";

/** Host by host: which servers are recorded, and which are not and why. */
export const hostUse: DoctorCheck = {
  name: "hosts",
  run: async (input) => {
    const { outlook, place, rows } = await surveyFor(input);
    if (outlook.hosts.length === 0) {
      return [info("no application with MCP servers was found", "`bir install` lists those that it looks for.")];
    }
    const versions = await programVersions(
      outlook.hosts.map(({ id }) => id),
      place,
    );
    const isInstalled = rows.length > 0;
    return outlook.hosts.flatMap((host) =>
      findingsFor(host, versions.get(host.id) ?? null, isInstalled, input.context),
    );
  },
};

const RECORDED: readonly ServerReport["what"][] = ["already", "renewed"];

function findingsFor(host: HostReport, version: string | null, isInstalled: boolean, context: CliContext): Finding[] {
  const { servers } = host;
  const who = `${host.name}${version === null ? "" : ` ${version}`}${host.verified ? "" : " (unverified)"}`;
  if (servers.length === 0) return [info(`${who} has no MCP server here`, null)];
  const recorded = servers.filter(({ what }) => RECORDED.includes(what));
  const names = recorded.length === 0 ? "" : `: ${recorded.map(({ name }) => name).join(", ")}`;
  const message = `${who}: ${recorded.length} of ${counted(servers.length, "server")} run behind bir${names}`;
  const first: Finding = { severity: recorded.length > 0 ? "ok" : "info", message, hint: null };
  return [first, ...servers.flatMap((server) => notRecorded(host, server, isInstalled, context))];
}

function notRecorded(
  { id, name }: HostReport,
  server: ServerReport,
  isInstalled: boolean,
  context: CliContext,
): Finding[] {
  const where = `${name}: ${server.name} in ${shortPath(server.file, context)}${server.line === null ? "" : `:${server.line}`}`;
  if (server.what === "wrapped") {
    const severity = isInstalled ? "warning" : "info";
    return [{ severity, message: `${where} is not recorded`, hint: `Have it recorded: bir install --host ${id}` }];
  }
  if (server.what !== "left") return [];
  return [info(`${where} is left as it is: ${server.reason ?? "it cannot be wrapped"}`, null)];
}

function info(message: string, hint: string | null): Finding {
  return { severity: "info", message, hint };
}
