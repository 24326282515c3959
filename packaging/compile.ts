import { mkdir, mkdtemp, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import packageJson from "../package.json" with { type: "json" };
import { ensureAdHocSignature } from "./ensure-signature.ts";
import { executableName } from "./targets.ts";

/**
 * Makes one executable out of src/main.ts and a Bun runtime.
 *
 * The result depends on the sources, the locked packages and the runtime alone: on no environment variable, on no path
 * of the machine it is built on. It never loads settings from the directory it is run in.
 */

const ROOT = join(import.meta.dirname, "..");
const MAIN = join(ROOT, "src", "main.ts");
const SCRATCH_PARENT = join(ROOT, "dist");

export interface Order {
  /** What to build for, e.g. `linux-arm64`; `bun-<target>` is Bun's name for it. */
  target: string;
  /** The path of a Bun executable for that target. */
  runtime: string;
  /** The path of the result. What was there is replaced in one step, even while it runs (on Windows it must not). */
  destination: string;
}

/** Builds one executable. Changes the process's current directory while it works: one order at a time. */
export async function compile({ target, runtime, destination }: Order): Promise<void> {
  // Names inside the executable depend on the way from here to the sources, so it is the same for every destination.
  await mkdir(SCRATCH_PARENT, { recursive: true });
  const scratch = await mkdtemp(join(SCRATCH_PARENT, ".building-"));
  const before = process.cwd();
  try {
    // Bun puts a half-made executable into the current directory.
    process.chdir(scratch);
    // The name becomes a part of the executable, so it is the same whatever the file is called in the end.
    const outfile = join(scratch, executableName(target, "bir"));
    await bundle(target, runtime, outfile);
    if (target.startsWith("darwin")) await ensureAdHocSignature(outfile, "bir");
    await rename(outfile, destination);
  } finally {
    process.chdir(before);
    await rm(scratch, { recursive: true, force: true });
  }
}

async function bundle(target: string, runtime: string, outfile: string): Promise<void> {
  const result = await Bun.build({
    entrypoints: [MAIN],
    target: "bun",
    format: "esm",
    splitting: true,
    minify: true,
    bytecode: true,
    env: "disable",
    define: {
      "process.env.NODE_ENV": '"production"',
      "process.env.BIR_BUILD_VERSION": JSON.stringify(packageJson.version),
      "process.env.BIR_BUILD_TARGET": JSON.stringify(target),
    },
    compile: {
      target: `bun-${target}` as Bun.Build.CompileTarget,
      executablePath: runtime,
      outfile,
      autoloadDotenv: false,
      autoloadBunfig: false,
      autoloadTsconfig: false,
      autoloadPackageJson: false,
    },
    throw: false,
  });
  if (!result.success) throw new Error([`building for ${target} failed:`, ...result.logs.map(described)].join("\n"));
}

function described({ position, message }: BuildMessage | ResolveMessage): string {
  return position === null ? message : `${position.file}:${position.line}:${position.column}: ${message}`;
}
