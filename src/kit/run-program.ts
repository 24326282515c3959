/** Asks a program of ours something. */

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
    const [said, code] = await Promise.all([new Response(child.stdout).text(), child.exited]);
    const version = said.trim();
    return code === 0 && /^[0-9A-Za-z.+-]+$/.test(version) ? version : null;
  } catch {
    return null;
  }
}
