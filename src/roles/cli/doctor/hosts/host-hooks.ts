import type { CliContext } from "../../context.ts";
import { shortPath } from "../../install/short-path.ts";
import { type DoctorCheck, type Finding, ok } from "../check.ts";
import { type Survey, surveyFor } from "./survey.ts";

/** Whether a host's hooks are in its settings, and whether they run. */
export const hostHooks: DoctorCheck = {
  name: "hooks",
  run: async (input) => findingsFor(await surveyFor(input), input.context),
};

function findingsFor({ outlook, rows }: Survey, context: CliContext): Finding[] {
  const hooked = outlook.hosts.filter(({ hooks }) => hooks.length > 0);
  if (hooked.length === 0) return [ok("no application here takes hooks")];
  return hooked.flatMap(({ id, name, hooks }): Finding[] => {
    const skipped = hooks.find(({ what }) => what === "skipped");
    if (skipped !== undefined) {
      const message = `${name}'s hooks would not run: ${skipped.reason ?? "it takes none"}`;
      return [{ severity: "info", message, hint: "Its servers are recorded all the same." }];
    }
    const forUser = rows.some((row) => row.kind === "hooks" && row.scope === "user" && row.hosts.includes(id));
    if (forUser || hooks.every(({ what }) => what === "already")) return [ok(`${name}'s hooks are in its settings`)];
    const files = hooks.flatMap(({ file }) => (file === null ? [] : [shortPath(file, context)])).join(", ");
    const message = `${name} has no hooks, or other ones, in ${files}: prompts and its own tools are not recorded`;
    const isHere = rows.some((row) => row.kind === "hooks" && hooks.some(({ file }) => file === row.file));
    return [{ severity: isHere ? "warning" : "info", message, hint: `Put them in: bir install --host ${id}` }];
  });
}
