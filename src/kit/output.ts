import { Problem } from "../core/problem.ts";
import { systemCode, systemReason } from "./system-reason.ts";

/**
 * What people and programs get on stdout, and how a program of ours ends. Nothing else may touch stdout: the guard in
 * `stdout-guard.ts` turns stray writes to stderr.
 */

/** Writes to stdout and waits until it is taken. A reader that has gone away is no error; a full disk is a Problem. */
export async function print(text: string): Promise<void> {
  try {
    await Bun.write(Bun.stdout, text);
  } catch (cause) {
    const code = systemCode(cause);
    if (code === "EPIPE") return;
    if (code === null) throw cause;
    throw new Problem(
      "output-not-taken",
      `the output could not be written: ${systemReason(code)}`,
      "Send it to another place, or put that right and try again.",
    );
  }
}

/** Writes one line to stderr and waits until it is taken. */
export async function printError(line: string): Promise<void> {
  try {
    await Bun.write(Bun.stderr, `${line}\n`);
  } catch {
    // Nobody reads stderr: there is nowhere left to say it.
  }
}
