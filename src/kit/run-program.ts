/** Runs a program of ours to its end: to ask it something, or in this terminal. */

const STDERR = 2;
const VERSION_MS = 20_000;

/** What `executable --version` answers; null when it does not run here, or says nothing in time. */
export async function versionOf(executable: string): Promise<string | null> {
  try {
    const child = Bun.spawn([executable, "--version"], {
      stdio: ["ignore", "pipe", "ignore"],
      timeout: VERSION_MS,
      killSignal: "SIGKILL",
      windowsHide: true,
    });
    const [said, code] = await Promise.all([child.stdout.text(), child.exited]);
    const version = said.trim();
    return code === 0 && /^[0-9A-Za-z.+-]+$/.test(version) ? version : null;
  } catch {
    return null;
  }
}

/** Runs a command in this terminal, all that it says on stderr; answers its exit code, 1 when a signal ended it. */
export async function runHere(command: readonly string[], env: Record<string, string | undefined>): Promise<number> {
  const child = Bun.spawn([...command], { env, stdio: ["inherit", STDERR, "inherit"] });
  await child.exited;
  return child.exitCode ?? 1;
}
