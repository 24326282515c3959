import { existsSync } from "node:fs";
import { join } from "node:path";

/** What is put in front of the server, and how it is started. */

export interface Place {
  /** The server's command. */
  server: string[];
  /** A directory of this figure and subject alone, for recordings. */
  directory: string;
}

export interface Launch {
  argv: string[];
  env?: Record<string, string>;
  /** Ends what `launch` started beside the subject. */
  stop?: () => void;
}

export interface Subject {
  name: string;
  /** Its recordings are a store of bir's under `directory`: every call must be found there. */
  records: boolean;
  /** A peer may be left out when it takes too long; its failure is shown, not ours to mend. */
  peer: boolean;
  /** Why it cannot run, if it cannot. */
  unavailable: string | undefined;
  launch(place: Place): Promise<Launch>;
}

/** The server alone: the yardstick. */
export const direct: Subject = {
  name: "direct",
  records: false,
  peer: false,
  unavailable: undefined,
  launch: async ({ server }) => ({ argv: server }),
};

/** The executable with recording on and off. */
export function ownSubjects(executable: string): Subject[] {
  const unavailable = existsSync(executable) ? undefined : `${executable} is missing: \`bun run build\` makes it`;
  const subject = (name: string, records: boolean, flags: string[]): Subject => ({
    name,
    records,
    peer: false,
    unavailable,
    launch: async ({ server, directory }) => ({
      argv: [executable, "proxy", "--server-name", "echo", ...flags, "--", ...server],
      env: { BIR_HOME: directory },
    }),
  });
  return [subject("bir", true, []), subject("no-record", false, ["--no-record"])];
}

/** A real Node; under `bun run` the first `node` on the path may be Bun under another name. */
export function findNode(): string | null {
  for (const directory of (process.env.PATH ?? "").split(":")) {
    if (directory === "" || /bun-node-/.test(directory)) continue;
    const candidate = join(directory, "node");
    if (existsSync(candidate)) return candidate;
  }
  return null;
}
