import "./kit/stdout-guard.ts";
import { VERSION } from "./version.ts";

/**
 * Picks a role from the name this executable was started under or from its first word, and loads exactly that one. Hot
 * roles are started hundreds of times a day: nothing else is imported here.
 */

const ROLE_NAMES: Readonly<Record<string, string>> = { "bir-proxy": "proxy", "bir-hooks": "hooks" };

async function main(): Promise<number> {
  const words = process.argv.slice(2);
  const role = ROLE_NAMES[ownName()] ?? words.shift();
  if (role === "proxy") return (await import("./roles/proxy.ts")).proxyRole(words);
  if (role === "hooks") return (await import("./roles/hooks.ts")).hooksRole(words);
  if (role === "--version" || role === "-v") {
    // Answered without loading the command line, which only has to say what is wrong with the output.
    const isWritten = await Bun.write(Bun.stdout, `${VERSION}\n`).then(
      () => true,
      () => false,
    );
    if (isWritten) return 0;
  }
  return (await import("./roles/cli/main.ts")).runCli(role === undefined ? [] : [role, ...words]);
}

/** The base name this program was called by, without `.exe`. */
function ownName(): string {
  const path = process.argv0.toLowerCase();
  const name = path.slice(Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1);
  return name.endsWith(".exe") ? name.slice(0, -4) : name;
}

main().then(
  (status) => process.exit(status),
  async (fault: unknown) => {
    // The message of a fault may quote what was being worked on, so only its kind is told.
    const detail = fault instanceof Error ? fault.name : "unknown";
    await Bun.write(Bun.stderr, `bir: internal fault (${detail}). Please report it with the command you ran.\n`);
    process.exit(70);
  },
);
