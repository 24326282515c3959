import { size } from "../../../core/text/when.ts";
import { fileFacts, freeSpaceBytes } from "../../../kit/file-facts.ts";
import { selfAndParents } from "../../../kit/paths.ts";
import { recordingProblem } from "../../../store/recording-problem.ts";
import { type DoctorCheck, type Finding, ok } from "./check.ts";

const MIB = 1024 * 1024;
const FULL_BYTES = 16 * MIB;
const LOW_BYTES = 512 * MIB;

/** Room for recordings on the disk that holds, or will hold, the home directory. */
export const diskSpace: DoctorCheck = {
  name: "disk-space",
  run: ({ context: { home } }) => {
    // Where nothing can be recorded, the disk of whatever is there instead means nothing.
    if (recordingProblem(home) !== null) return [];
    const existing = [...selfAndParents(home), "."].find((directory) => fileFacts(directory) !== null);
    const free = existing === undefined ? null : freeSpaceBytes(existing);
    return free === null
      ? [{ severity: "info", message: "how much room the disk has cannot be told", hint: null }]
      : [diskFinding(free)];
  },
};

/** What so many free bytes mean. */
export function diskFinding(free: number): Finding {
  if (free >= LOW_BYTES) return ok(`${size(free)} are free for recordings`);
  const message = `only ${size(free)} are free on the disk that holds recordings`;
  const hint = "Free some room, or delete old runs: bir run delete --before 30d";
  return { severity: free < FULL_BYTES ? "error" : "warning", message, hint };
}
