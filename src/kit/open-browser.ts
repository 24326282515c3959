/**
 * Has the person's own browser open a file. Nothing that lets anybody in may be in the path: others on this machine see the
 * arguments of a process.
 */

/** A program that has not failed by then has opened it, or is about to. */
const SETTLED_MS = 1500;

type Environment = Readonly<Record<string, string | undefined>>;

/** Answers whether a browser was found that takes it. Never throws, and does not wait for the browser's end. */
export async function openInBrowser(path: string, env: Environment = process.env): Promise<boolean> {
  const command = openCommand(path, env);
  if (command === null) return false;
  try {
    const opener = Bun.spawn(command, { stdio: ["ignore", "ignore", "ignore"], detached: true, windowsHide: true });
    opener.unref();
    const status = await Promise.race([opener.exited, Bun.sleep(SETTLED_MS)]);
    return status === undefined || status === 0;
  } catch {
    return false;
  }
}

/** The command that opens a file on this system; null where there is nobody to see it. Exported for its test. */
export function openCommand(path: string, env: Environment, platform: string = process.platform): string[] | null {
  const browser = env.BROWSER?.split(":")[0]?.trim();
  if (browser) return withPath(browser, path);
  if (platform === "darwin") return ["open", path];
  if (platform === "win32") return ["rundll32", "url.dll,FileProtocolHandler", path];
  const isGraphical = Boolean(env.DISPLAY || env.WAYLAND_DISPLAY);
  return isGraphical ? ["xdg-open", path] : null;
}

/** `BROWSER` as others read it: a command whose `%s` is what to open, or which gets it as its last word. */
function withPath(browser: string, path: string): string[] {
  const words = browser.split(/\s+/);
  const isNamed = words.some((word) => word.includes("%s"));
  return isNamed ? words.map((word) => word.replaceAll("%s", path)) : [...words, path];
}
