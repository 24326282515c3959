import { Problem } from "../../../../core/problem.ts";
import { hookExecutable } from "../../../../hooks/settings/hook-command.ts";
import type { HookFile } from "../../../../hosts/claude-code/scopes.ts";
import { ConfigSyntaxError } from "../../../../hosts/edit/config-text.ts";
import { formatOf } from "../../../../hosts/edit/formats.ts";
import { readState } from "../../../../hosts/safe-write.ts";
import { findProgram } from "../../../../kit/file-facts.ts";
import type { CliContext } from "../../context.ts";
import { isScoped } from "../../install/readers.ts";
import { shortPath } from "../../install/short-path.ts";
import { uninstall } from "../../install/uninstall.ts";
import { type DoctorCheck, type Finding, ok } from "../check.ts";
import { surveyFor } from "./survey.ts";

/** What an install has left that is of no use any more: hooks of an executable that is gone, entries that others have changed. */
export const leftovers: DoctorCheck = {
  name: "leftovers",
  run: async (input) => {
    const { context } = input;
    const { hosts, place } = await surveyFor(input);
    const files = hosts
      .filter(isScoped)
      .flatMap((host) => [...host.hookFiles(place, "local", null), ...host.hookFiles(place, "user", null)]);
    const found = [...files.flatMap((file) => deadHooks(file, context)), ...(await goneEntries(context))];
    return found.length === 0 ? [ok("nothing is left over from an earlier installation")] : found;
  },
};

function deadHooks({ file, format }: HookFile, context: CliContext): Finding[] {
  const dead = new Set(hookCommands(file, format).flatMap((command) => hookExecutable(command) ?? []));
  return [...dead]
    .filter((executable) => findProgram(executable, context.env.PATH ?? "", context.cwd) === null)
    .map((executable) => ({
      severity: "warning",
      message: `hooks in ${shortPath(file, context)} are for ${executable}, which is not there: they do nothing`,
      hint: "Write them anew with `bir install`, or take them out with `bir uninstall`.",
    }));
}

function hookCommands(file: string, format: HookFile["format"]): string[] {
  try {
    const state = readState(file);
    if (state.bytes === null) return [];
    const text = JSON.stringify(formatOf(format).parse(state.text).root.value);
    const commands: string[] = [];
    JSON.parse(text, (key, value: unknown) => {
      if (key === "command" && typeof value === "string") commands.push(value);
      return value;
    });
    return commands;
  } catch (cause) {
    if (cause instanceof Problem || cause instanceof ConfigSyntaxError) return [];
    throw cause;
  }
}

async function goneEntries(context: CliContext): Promise<Finding[]> {
  const everything = { all: true, hosts: undefined, servers: undefined, config: undefined, dryRun: true };
  const { hosts } = await uninstall(context, everything);
  return hosts.flatMap(({ name, servers }) =>
    servers
      .filter(({ what }) => what === "gone" || what === "conflict")
      .map(({ name: server, file, what }): Finding => {
        const where = `${name}: ${server} in ${shortPath(file, context)}`;
        return what === "gone"
          ? {
              severity: "info",
              message: `${where} does not run bir any more`,
              hint: "Have it forgotten: bir uninstall --all",
            }
          : {
              severity: "warning",
              message: `${where} runs bir in a way that uninstall could not take apart`,
              hint: "Change it by hand.",
            };
      }),
  );
}
