import { answerOf } from "../../../../kit/program-answer.ts";
import { VERSION } from "../../../../version.ts";
import type { CliContext } from "../../context.ts";
import { identify } from "../../install/place.ts";
import { type DoctorCheck, type Finding, ok } from "../check.ts";
import { surveyFor } from "./survey.ts";

/** The executables that wrapped entries start: each is there and runs, and is of this version. */
export const recorderPrograms: DoctorCheck = {
  name: "executable",
  run: async (input) => {
    const { rows } = await surveyFor(input);
    const all = rows.flatMap((row) => (row.kind === "entry" ? [row.executableWords] : []));
    const programs = [...new Map(all.map((words) => [JSON.stringify(words), words])).values()];
    if (programs.length === 0) return [ok("no entry that install has written starts an executable")];
    return await Promise.all(programs.map((words) => findingFor(words, input.context)));
  },
};

const ANSWER_MS = 5000;

async function findingFor(words: readonly string[], { env, userHome, executableWords }: CliContext): Promise<Finding> {
  const [path = ""] = words;
  const said = await answerOf([...words, "--version"], { env, cwd: userHome, withinMs: ANSWER_MS });
  if (said === null) {
    const hint = "Write this one in its place: bir install. Or give the files back as they were: bir uninstall --all";
    return { severity: "error", message: `${path}, which wrapped servers start, does not run`, hint };
  }
  const version = said.trim();
  if (version === VERSION) return ok(`${path} runs (${version})`);
  const isSame = identify(path) === identify(executableWords[0]);
  const hint = isSame ? "Restart the applications that use it." : "Write this one in its place: bir install";
  return { severity: "warning", message: `wrapped servers start ${path} ${version}, and this is ${VERSION}`, hint };
}
