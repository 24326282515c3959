import { mkdirSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";

/**
 * Builds the C programs of the benchmark with the system's compiler, when a source is newer than its program. They are
 * in C so that the yardstick costs less than what it measures.
 */

const SOURCES = join(import.meta.dirname, "driver");
const OUTPUT = join(import.meta.dirname, "..", ".cache", "bench");
const FLAGS = ["-std=gnu11", "-O2", "-Wall", "-Wextra"];

export interface Programs {
  driver: string;
  echo: string;
  /** The server to be reached over HTTP. */
  httpEcho: string;
}

/** True where the driver can be built and run at all: Linux with a C compiler. */
export function canBuildDriver(): boolean {
  return process.platform === "linux" && Bun.which("cc") !== null;
}

/** Builds what is out of date. Throws with the compiler's words. */
export function buildDriver(output = OUTPUT): Programs {
  mkdirSync(output, { recursive: true });
  const all = readdirSync(SOURCES).filter((name) => /\.[ch]$/.test(name));
  const driver = join(output, "driver");
  const echo = join(output, "mcp-echo");
  const httpEcho = join(output, "mcp-http-echo");
  const ofDriver = all.filter((name) => name !== "mcp-echo.c").map((name) => join(SOURCES, name));
  compile(driver, ofDriver);
  compile(echo, [join(SOURCES, "mcp-echo.c")]);
  compile(httpEcho, [join(import.meta.dirname, "remote", "mcp-http-echo.c")]);
  return { driver, echo, httpEcho };
}

function compile(program: string, paths: string[]): void {
  const built = statSync(program, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  if (paths.every((path) => statSync(path).mtimeMs < built)) return;
  const sources = paths.filter((path) => path.endsWith(".c"));
  const result = Bun.spawnSync(["cc", ...FLAGS, "-o", program, ...sources, "-lm"], { stdout: "pipe", stderr: "pipe" });
  if (!result.success) throw new Error(`cc could not build ${program}:\n${result.stderr.toString()}`);
}
