import { dirname } from "node:path";
import type { Place } from "../../../hosts/host.ts";
import { upwards } from "../../../hosts/place-paths.ts";
import { answerOf } from "../../../kit/program-answer.ts";

/** Whether git would show a file of ours to a person as new, and so to everybody who shares the project. Asks git; changes nothing. */

const ANSWER_MS = 2000;

/** False where it cannot be told: no git, no repository. */
export async function isShownByGit(file: string, place: Place): Promise<boolean> {
  const { env, files } = place;
  const git = env.PATH === undefined ? null : Bun.which("git", { PATH: env.PATH, cwd: place.cwd });
  const directory = dirname(file);
  if (git === null || !files.exists(directory)) return false;
  const root = upwards({ ...place, cwd: directory }, "only-here").at(-1) ?? directory;
  if (!files.exists(`${root}/.git`)) return false;
  const ask = (...words: string[]) => answerOf([git, ...words], { env, cwd: directory, withinMs: ANSWER_MS });
  if ((await ask("check-ignore", "--", file)) !== null) return false;
  return (await ask("rev-parse", "--git-dir")) !== null;
}
