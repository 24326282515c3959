import { counted } from "../../../../core/text/when.ts";
import { HOSTS } from "../../../../hosts/hosts.ts";
import { setUpFor } from "../../../../kit/installed.ts";
import type { CliContext } from "../../context.ts";
import { identify } from "../../install/place.ts";
import type { HostReport, ServerReport } from "../../install/report.ts";
import { shortPath } from "../../install/short-path.ts";
import type { DoctorCheck, Finding } from "../check.ts";
import { programVersions } from "./program-versions.ts";
import { type SurveyedServer, surveyFor } from "./survey.ts";

/** Host by host: which servers are recorded, and which are not and why. */
export const hostUse: DoctorCheck = {
  name: "hosts",
  run: async (input) => {
    const { outlook, place, rows, servers } = await surveyFor(input);
    if (outlook.hosts.length === 0) {
      return [
        info(
          "no application with MCP servers that bir knows was found",
          `It looks for ${HOSTS.map(({ name }) => name).join(", ")}.`,
        ),
      ];
    }
    const versions = await programVersions(
      outlook.hosts.map(({ id }) => id),
      place,
    );
    const isInstalled = rows.length > 0;
    return [
      ...outlook.hosts.flatMap((host) => findingsFor(host, versions.get(host.id) ?? null, isInstalled, input.context)),
      ...(await notSetUp(servers, input.context)),
    ];
  },
};

const RECORDED: readonly ServerReport["what"][] = ["already", "renewed"];

function findingsFor(host: HostReport, version: string | null, isInstalled: boolean, context: CliContext): Finding[] {
  const { servers } = host;
  const who = `${host.name}${version === null ? "" : ` ${version}`}${host.verified ? "" : " (unverified)"}`;
  if (servers.length === 0) return [info(`${who} has no MCP server here`, null)];
  const recorded = servers.filter(({ what }) => RECORDED.includes(what));
  const names = recorded.length === 0 ? "" : `: ${recorded.map(({ name }) => name).join(", ")}`;
  const run = servers.length === 1 ? "runs" : "run";
  const message = `${who}: ${recorded.length} of ${counted(servers.length, "server")} ${run} behind bir${names}`;
  const first: Finding = { severity: recorded.length > 0 ? "ok" : "info", message, hint: null };
  return [first, ...servers.flatMap((server) => notRecorded(host, server, isInstalled, context))];
}

/** Entries of the whole user run here too, but record only where that was set up. */
async function notSetUp(servers: readonly SurveyedServer[], { cwd, home }: CliContext): Promise<Finding[]> {
  const isForSetUpPlaces = servers.some(({ row, entry }) => row !== null && entry.isOurs && hasUserScope(entry.args));
  if (!isForSetUpPlaces || (await setUpFor([cwd, identify(cwd)], home)).isSetUp) return [];
  return [
    {
      severity: "warning",
      message: "this directory is not set up, so entries of the whole user record nothing here",
      hint: "`bir install` here, or `bir install --user` for everywhere",
    },
  ];
}

/** Among the words of ours, which end at `--`. */
function hasUserScope(args: readonly string[]): boolean {
  const end = args.indexOf("--");
  const own = end < 0 ? args : args.slice(0, end);
  return own.includes("--scope=user") || own.some((word, index) => word === "--scope" && own[index + 1] === "user");
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
