/**
 * A copy of what the executable is built from, in a directory of its own, so that a test can build without touching
 * this checkout. The packages are this checkout's, by a link. Owns the copy; remove it with `dispose`.
 */

import { cpSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { BUN, ROOT } from "./locations.ts";

const SOURCES = ["build.ts", "package.json", "tsconfig.json", "packaging", "src"];

export interface BuildResult {
  code: number;
  stdout: string;
  stderr: string;
}

export class CheckoutCopy {
  readonly directory: string;
  readonly dist: string;
  #build: Bun.Subprocess | undefined;

  /** @param name the directory's name begins so: give two copies names of different lengths */
  constructor(name: string) {
    this.directory = realpathSync(mkdtempSync(join(tmpdir(), `bir-${name}-`)));
    this.dist = join(this.directory, "dist");
    const filter = (path: string): boolean => basename(path) !== "node_modules";
    for (const source of SOURCES) {
      cpSync(join(ROOT, source), join(this.directory, source), { recursive: true, filter });
    }
    symlinkSync(join(ROOT, "node_modules"), join(this.directory, "node_modules"));
  }

  /** Runs `bun build.ts ARGS…` in it, with this process's environment and `env`. */
  async build(args: readonly string[] = [], env: Record<string, string> = {}): Promise<BuildResult> {
    const child = Bun.spawn([BUN, "build.ts", ...args], {
      cwd: this.directory,
      env: { ...process.env, ...env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.#build = child;
    const output = [new Response(child.stdout).text(), new Response(child.stderr).text()] as const;
    const [stdout, stderr, code] = await Promise.all([...output, child.exited]);
    return { code, stdout, stderr };
  }

  /** Ends a build that still runs, and removes the directory. */
  dispose(): void {
    this.#build?.kill("SIGKILL");
    rmSync(this.directory, { recursive: true, force: true });
  }
}
