import { type DoctorCheck, ok } from "../check.ts";
import { secretFindings } from "../remote-entry.ts";
import { surveyFor } from "./survey.ts";

/** Secrets in the arguments of servers, where every user of the machine can see them. What runs bir is looked at elsewhere. */
export const personArguments: DoctorCheck = {
  name: "arguments",
  run: async (input) => {
    const { servers } = await surveyFor(input);
    const found = servers
      .filter(({ entry }) => entry.command !== null && !entry.isOurs)
      .flatMap(({ entry: { name, command, args, env }, list, where }) =>
        secretFindings({ place: list.file, name, command: command ?? "", args, env }, where),
      );
    return found.length === 0 ? [ok("no server has a secret in its arguments")] : found;
  },
};
