import { isAbsolute, resolve } from "node:path";
import { counted } from "../../../core/text/when.ts";
import { fileFacts, namesIn } from "../../../kit/file-facts.ts";
import { joinPath } from "../../../kit/paths.ts";
import { shellWord } from "../../../kit/shell-word.ts";
import { recordingProblem } from "../../../store/recording-problem.ts";
import type { CliContext } from "../context.ts";
import { type DoctorCheck, type Finding, ok } from "./check.ts";

/** The home directory: one and the same everywhere, there or to be made, writable, and closed to everybody else. */
export const home: DoctorCheck = {
  name: "home",
  run: ({ context }) => [...relativeFindings(context.home, context), stateFinding(context.home)],
};

/** A relative BIR_HOME is another place in every directory; `~` is a directory of that name unless a shell reads it. */
export function relativeFindings(path: string, { cwd, userHome }: CliContext): Finding[] {
  if (isAbsolute(path)) return [];
  const meant = /^~(?=[/\\]|$)/.test(path) ? userHome + path.slice(1) : resolve(cwd, path);
  return [
    {
      severity: "warning",
      message: `BIR_HOME is not a whole path (${path}): every directory a recording starts in gets a store of its own`,
      hint: `Write the whole path: BIR_HOME=${shellWord(meant)}`,
    },
  ];
}

function stateFinding(path: string): Finding {
  const problem = recordingProblem(path);
  if (problem !== null) return { severity: "error", message: problem.message, hint: problem.hint };
  if (fileFacts(path) === null) {
    return { severity: "info", message: `${path} does not exist yet`, hint: "The first recording makes it." };
  }
  const open = openToOthers(path);
  return open.length === 0 ? ok(`${path} is private`) : openFinding(path, open);
}

/** The home and what is directly in it that others may read or write. */
function openToOthers(path: string): string[] {
  const all = [path, ...namesIn(path).map((name) => joinPath(path, name))];
  return all.filter((one) => ((fileFacts(one)?.mode ?? 0) & 0o077) !== 0);
}

function openFinding(path: string, open: string[]): Finding {
  const [first = path] = open;
  const others = open.length > 1 ? ` and ${counted(open.length - 1, "more file")}` : "";
  return {
    severity: "warning",
    message: `other users of this machine may open ${first}${others}`,
    hint: `Close it: chmod -R go-rwx ${shellWord(path)}`,
  };
}
