import { createHash } from "node:crypto";
import { closeSync, openSync, readFileSync, readSync } from "node:fs";
import { join } from "node:path";
import { executableName, type Target } from "./targets.ts";

/**
 * Finds the Bun executable that a build is made from: the running one for this platform, pinned ones for a release.
 *
 * Bun can fetch runtimes itself while it cross-compiles, but (1.4.5) it checks no hash, ignores the registry that the
 * user configured, and takes a file of the current directory that has the right name. So a release's runtimes are
 * ordinary dependencies of packaging/runtimes: `bun install` honours .npmrc and checks the lock file's SHA-512 when it
 * downloads, and because it does not check what its cache holds already, every executable is hashed again before use.
 */

const DIRECTORY = join(import.meta.dirname, "runtimes");

/** Installs the runtimes of all targets. Needs the npm registry unless they are in Bun's cache. */
export function installRuntimes(): void {
  const everyPlatform = ["--cpu=*", "--os=*", "--libc=*"];
  const { exitCode } = Bun.spawnSync(
    [process.execPath, "install", "--frozen-lockfile", "--ignore-scripts", ...everyPlatform],
    { cwd: DIRECTORY, stdin: "ignore", stdout: "ignore", stderr: "inherit" },
  );
  if (exitCode !== 0) throw new Error("the Bun runtimes could not be installed from the npm registry (see above)");
}

/** The path of a target's runtime. Throws unless it is the pinned one, byte for byte. */
export function pinnedRuntime(target: Target): string {
  const path = join(DIRECTORY, "node_modules", target.runtime, "bin", executableName(target.name, "bun"));
  const found = createHash("sha256").update(readFileSync(path)).digest("hex");
  if (found === target.runtimeSha256) return path;
  throw new Error(
    `${path} has SHA-256 ${found}, pinned is ${target.runtimeSha256}: remove ${join(DIRECTORY, "node_modules")} and Bun's cache (bun pm cache rm), then build again`,
  );
}

/** The target that the running Bun was made for, e.g. `linux-x64-musl`. */
export function thisTarget(): string {
  const platform = process.platform === "win32" ? "windows" : process.platform;
  return `${platform}-${process.arch}${platform === "linux" && isForMusl(process.execPath) ? "-musl" : ""}`;
}

/** Whether an ELF executable asks for musl's loader: the path of the loader stands near the file's beginning. */
function isForMusl(executable: string): boolean {
  const start = Buffer.alloc(4096);
  const file = openSync(executable, "r");
  try {
    readSync(file, start);
  } finally {
    closeSync(file);
  }
  return start.includes("/ld-musl-");
}
