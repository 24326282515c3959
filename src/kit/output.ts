/**
 * What people and programs get on stdout, and how a program of ours ends. Nothing else may touch stdout: the guard in
 * `stdout-guard.ts` turns stray writes to stderr.
 */

/** Writes to stdout and waits until it is taken. A reader that has gone away is no error. */
export async function print(text: string): Promise<void> {
  try {
    await Bun.write(Bun.stdout, text);
  } catch (error) {
    if ((error as { code?: string }).code !== "EPIPE") throw error;
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
