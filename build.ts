import { createHash } from "node:crypto";
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises";
import { basename, join, relative } from "node:path";
import { parseArgs } from "node:util";
import packageJson from "./package.json" with { type: "json" };
import { compile } from "./packaging/compile.ts";
import { installRuntimes, pinnedRuntime, thisTarget } from "./packaging/runtimes.ts";
import { executableName, TARGETS } from "./packaging/targets.ts";

/**
 * Builds the executable: `bun build.ts` makes `dist/bir` for this platform out of the running Bun; `bun build.ts --all`
 * makes `dist/release` with one file a platform, out of pinned runtimes from the npm registry, and its SHA256SUMS.
 * Both replace what was there only when they are done.
 */

const DIST = join(import.meta.dirname, "dist");
const PINNED_BUN = packageJson.packageManager.replace("bun@", "");

async function buildHere(): Promise<void> {
  if (Bun.version !== PINNED_BUN) {
    console.error(`note: built with Bun ${Bun.version}; releases are built with ${PINNED_BUN}`);
  }
  const target = thisTarget();
  const destination = join(DIST, executableName(target, "bir"));
  await compile({ target, runtime: process.execPath, destination });
  console.log(relative(process.cwd(), destination));
}

async function buildRelease(): Promise<void> {
  if (Bun.version !== PINNED_BUN) {
    throw new Error(`a release needs Bun ${PINNED_BUN}, not ${Bun.version}: npx bun@${PINNED_BUN} run build --all`);
  }
  installRuntimes();
  const release = join(DIST, "release");
  const scratch = await mkdtemp(join(DIST, ".release-"));
  const next = join(scratch, "release");
  try {
    await mkdir(next);
    const sums: string[] = [];
    for (const target of TARGETS) {
      const destination = join(next, executableName(target.name, `bir-${target.name}`));
      await compile({ target: target.name, runtime: pinnedRuntime(target), destination });
      sums.push(await checksumLine(destination));
      console.log(sums.at(-1));
    }
    await writeFile(join(next, "SHA256SUMS"), `${sums.join("\n")}\n`);
    await rm(release, { recursive: true, force: true });
    await rename(next, release);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
  console.log(`in ${relative(process.cwd(), release)}`);
}

/** As `sha256sum` writes it and `sha256sum --check` reads it. */
async function checksumLine(path: string): Promise<string> {
  const hash = createHash("sha256").update(await readFile(path));
  return `${hash.digest("hex")}  ${basename(path)}`;
}

try {
  const { values } = parseArgs({ options: { all: { type: "boolean", default: false } } });
  await mkdir(DIST, { recursive: true });
  await (values.all ? buildRelease() : buildHere());
} catch (fault) {
  console.error(`build: ${fault instanceof Error ? fault.message : fault}`);
  process.exitCode = 1;
}
