import type { CliContext } from "../../context.ts";
import { shortPath } from "../../install/short-path.ts";
import { type DoctorCheck, type Finding, ok } from "../check.ts";
import { type SurveyedServer, surveyFor } from "./survey.ts";

/** Servers of one name in several lists of one host: it uses one of them, and that should be the one that is recorded. */
export const shadowing: DoctorCheck = {
  name: "shadowing",
  run: async (input) => {
    const { servers } = await surveyFor(input);
    const groups = new Map<string, SurveyedServer[]>();
    for (const server of servers) {
      const key = JSON.stringify([server.host.id, server.entry.name]);
      groups.set(key, [...(groups.get(key) ?? []), server]);
    }
    const found = [...groups.values()].flatMap((group) => findingFor(group, input.context));
    return found.length === 0 ? [ok("no server is hidden by another one of its name")] : found;
  },
};

function findingFor([first, ...hidden]: readonly SurveyedServer[], context: CliContext): Finding[] {
  // A copy of ours hides what it is of, and is meant to.
  if (first === undefined || hidden.length === 0 || first.row?.kind === "added") return [];
  const { host, entry, list } = first;
  const others = [...new Set(hidden.map((one) => shortPath(one.list.file, context)))].join(", ");
  const message = `${host.name}: ${entry.name} stands in ${shortPath(list.file, context)} and in ${others}; the first is used`;
  if (entry.isOurs || !hidden.some((one) => one.entry.isOurs)) return [{ severity: "info", message, hint: null }];
  const hint = `Have the one recorded that is used: bir install --host ${host.id} --server ${entry.name}`;
  return [{ severity: "warning", message: `${message}, and it is not recorded`, hint }];
}
