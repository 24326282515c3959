import { dirname } from "node:path";
import { visible } from "../../core/text/visible.ts";
import { isSet } from "../../kit/env.ts";
import { fileFacts } from "../../kit/file-facts.ts";
import { directoryOffSwitchPath, offSwitchPath, selfAndParents } from "../../kit/paths.ts";
import { createPrivateFile, makePrivateDirectory, removeFile } from "../../kit/private-files.ts";
import { recordingProblem } from "../../store/recording-problem.ts";
import type { CliContext } from "./context.ts";
import { asHomeProblem } from "./home-problem.ts";

/** The switches that turn recording off, told apart. Hot roles only ask whether any is thrown (kit/off-switch.ts). */

export interface Switches {
  /** Whether a proxy started here would record. */
  recording: boolean;
  /** `bir off`. */
  everywhere: boolean;
  /** `bir off --here`: this directory or the nearest parent that is off; null when none is. */
  directory: string | null;
  /** `BIR_OFF` in the environment of this command. */
  environment: boolean;
}

/** The switches as they concern the current directory. */
export function readSwitches({ home, cwd, env }: CliContext): Switches {
  const everywhere = isThere(offSwitchPath(home));
  const directory = selfAndParents(cwd).find((one) => isThere(directoryOffSwitchPath(one, home))) ?? null;
  const environment = isSet("BIR_OFF", env);
  return { recording: !everywhere && directory === null && !environment, everywhere, directory, environment };
}

/** As a proxy sees it: a switch that cannot be looked at is not thrown. */
function isThere(path: string): boolean {
  try {
    return fileFacts(path) !== null;
  } catch {
    return false;
  }
}

/** Turns recording off, everywhere or for this directory and below; nothing changes where it is off already. */
export function switchOff({ home, cwd }: CliContext, here: boolean): void {
  asHomeProblem(home, () => {
    const path = here ? directoryOffSwitchPath(cwd, home) : offSwitchPath(home);
    makePrivateDirectory(dirname(path));
    const content = here ? `${JSON.stringify({ directory: cwd })}\n` : "";
    try {
      createPrivateFile(path, content);
    } catch (cause) {
      if ((cause as { code?: string }).code !== "EEXIST") throw cause;
    }
  });
}

/** Takes a switch back; nothing changes where it was not thrown. Throws Problem, also where nothing can be recorded. */
export function switchOn({ home, cwd }: CliContext, here: boolean): void {
  asHomeProblem(home, () => removeFile(here ? directoryOffSwitchPath(cwd, home) : offSwitchPath(home)));
  const problem = recordingProblem(home);
  if (problem !== null) throw problem;
}

/** What is in force now, one sentence a line. */
export function switchSentences({ recording, everywhere, directory, environment }: Switches): string[] {
  if (recording) return ["Recording is on."];
  const sentences: string[] = [];
  if (everywhere) sentences.push("Recording is off everywhere. `bir on` turns it on again.");
  if (directory !== null) {
    sentences.push(
      `Recording is off in ${visible(directory)} and below. \`bir on --here\`, run there, turns it on again.`,
    );
  }
  if (environment) sentences.push("Recording is off where BIR_OFF is set, as it is in this shell.");
  return sentences;
}
