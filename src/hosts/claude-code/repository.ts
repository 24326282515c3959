import { realpathSync } from "node:fs";
import { type HostVersion, isOlder } from "../../core/host-version.ts";
import { fileFacts, readTextIfThere } from "../../kit/file-facts.ts";
import type { Place } from "../host.ts";
import { pathsOf } from "./places.ts";

/**
 * Which project Claude Code takes a directory for: found as it does, without git. Seen with 2.0.76 to 2.1.332
 * (docs/decisions/0010-install.md). Reads, never writes, starts nothing.
 */

/** From here on every worktree of a repository is the same project. */
const ONE_PROJECT_SINCE: HostVersion = [2, 1, 63];

export interface Project {
  /** The directory itself, symbolic links resolved. */
  cwd: string;
  /** The root of the working tree that it is in; the directory itself outside git. */
  root: string;
  /** The root of the repository's main working tree: another one than `root` inside a worktree. */
  mainRoot: string;
  /** The name under which the host keeps what belongs to this project. */
  key: string;
}

/** The project of a place's directory, for a version of the host (null: not known, so a new one). */
export function projectOf(place: Place, version: HostVersion | null): Project {
  const { join } = pathsOf(place);
  const cwd = realPath(place.cwd);
  const root = [cwd, ...above(place, cwd)].find((directory) => factsOf(join(directory, ".git")) !== null);
  if (root === undefined) return { cwd, root: cwd, mainRoot: cwd, key: cwd };
  const mainRoot = mainRootOf(place, root) ?? root;
  const isOld = version !== null && isOlder(version, ONE_PROJECT_SINCE);
  return { cwd, root, mainRoot, key: isOld ? root : mainRoot };
}

/** The directories above one, nearest first; the root of the file system is the last. */
export function above(place: Place, directory: string): string[] {
  const { dirname } = pathsOf(place);
  const found: string[] = [];
  for (let at = directory; dirname(at) !== at && dirname(at) !== "."; at = dirname(at)) found.push(dirname(at));
  return found;
}

/** The main working tree where a root is that of a worktree; null for any other, a submodule's too. */
function mainRootOf(place: Place, root: string): string | null {
  const { basename, dirname, join, resolve } = pathsOf(place);
  const git = join(root, ".git");
  if (factsOf(git)?.isDirectory !== false) return null;
  const [, pointed] = /^gitdir:\s*(.+?)\s*$/m.exec(readText(git)) ?? [];
  if (pointed === undefined) return null;
  const gitDirectory = resolve(root, pointed);
  const common = readText(join(gitDirectory, "commondir")).trim();
  if (common === "") return null;
  const shared = realPath(resolve(gitDirectory, common));
  // A bare repository has no main working tree, and stands for itself.
  return basename(shared) === ".git" ? dirname(shared) : shared;
}

function factsOf(path: string): { isDirectory: boolean } | null {
  try {
    return fileFacts(path);
  } catch {
    return null;
  }
}

function readText(path: string): string {
  try {
    return readTextIfThere(path) ?? "";
  } catch {
    return "";
  }
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
