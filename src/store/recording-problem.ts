import { isAbsolute, resolve } from "node:path";
import { EXIT } from "../core/exit-codes.ts";
import { Problem } from "../core/problem.ts";
import { type FileFacts, fileFacts, isKernelDirectory, isUsable } from "../kit/file-facts.ts";
import { selfAndParents, storePath } from "../kit/paths.ts";
import { shellWord } from "../kit/shell-word.ts";
import { systemCode, systemReason } from "../kit/system-reason.ts";

/**
 * Why nothing can be recorded in a home directory, and what to do: asked by every command that finds out, so that one
 * cause has one wording. Looks, and changes nothing.
 */

/** What is asked of the system. */
export interface Look {
  facts: (path: string) => FileFacts | null;
  isUsable: (path: string, isDirectory: boolean) => boolean;
  isKernelDirectory: (path: string) => boolean;
  /** The user that would record; null where the platform has no numbers for users. */
  userId: number | null;
}

const SYSTEM: Look = { facts: fileFacts, isUsable, isKernelDirectory, userId: process.geteuid?.() ?? null };
const ELSEWHERE = "set BIR_HOME to a directory of yours";

/** Null when recordings can be kept in a home, or it can be made; a Problem (exit 3) otherwise. */
export function recordingProblem(given: string, look: Look = SYSTEM): Problem | null {
  const home = isAbsolute(given) ? given : resolve(given);
  try {
    return directoryProblem(home, look) ?? storeFilesProblem(home, look);
  } catch (cause) {
    const code = systemCode(cause);
    if (code === null) throw cause;
    return unusable(`${home} cannot be used: ${systemReason(code)}`, `${capital(ELSEWHERE)}.`);
  }
}

function directoryProblem(home: string, look: Look): Problem | null {
  const { path, facts } = nearest(home, look);
  const isHome = path === home;
  const missing = `${home} does not exist and cannot be made: `;
  if (!facts.isDirectory) {
    return unusable(
      isHome ? `${path} is not a directory` : `${missing}${path} is not a directory`,
      isHome ? `Move it away, or ${ELSEWHERE}.` : `${capital(ELSEWHERE)}.`,
    );
  }
  if (look.isKernelDirectory(path)) {
    const why = `${path} belongs to the system and holds no other files`;
    return unusable(isHome ? why : missing + why, `${capital(ELSEWHERE)}.`);
  }
  if (look.isUsable(path, true)) return null;
  if (isReadOnly(facts, look, 0o700)) {
    const why = `${path} is on a file system that is read-only`;
    return unusable(isHome ? why : missing + why, `${capital(ELSEWHERE)} on another disk.`);
  }
  const why = `${path} cannot be written by this user`;
  if (isHome) return unusable(why, accessHint(path, facts, look, "u+rwx"));
  const hint = isOwn(facts, look)
    ? accessHint(path, facts, look, "u+rwx")
    : `${capital(ELSEWHERE)}, or have it made with \`sudo install -d -m 700 -o "$(id -u)" ${shellWord(home)}\`.`;
  return unusable(missing + why, hint);
}

function storeFilesProblem(home: string, look: Look): Problem | null {
  for (const path of ["", "-wal", "-shm"].map((suffix) => storePath(home) + suffix)) {
    const facts = look.facts(path);
    if (facts === null) continue;
    if (facts.isDirectory) return unusable(`${path} is a directory`, "Move it away; the next recording makes a file.");
    if (look.isUsable(path, false)) continue;
    if (isReadOnly(facts, look, 0o600)) {
      return unusable(`${path} is on a file system that is read-only`, `${capital(ELSEWHERE)} on another disk.`);
    }
    return unusable(`${path} cannot be read and written by this user`, accessHint(path, facts, look, "u+rw"));
  }
  return null;
}

/** The path itself where there is something, or else the nearest parent that there is. */
function nearest(home: string, look: Look): { path: string; facts: FileFacts } {
  for (const path of selfAndParents(home)) {
    const facts = factsOrNull(path, look);
    if (facts !== null) return { path, facts };
  }
  return { path: home, facts: { isDirectory: true, sizeBytes: 0, mode: null, ownerId: null } };
}

/** What is in a directory that this user may not enter is looked for in vain: the directory then is what is in the way. */
function factsOrNull(path: string, look: Look): FileFacts | null {
  try {
    return look.facts(path);
  } catch (cause) {
    if (systemCode(cause) === "EACCES") return null;
    throw cause;
  }
}

function isOwn({ ownerId }: FileFacts, { userId }: Look): boolean {
  return ownerId !== null && ownerId === userId;
}

/** True when the permissions would do, so that it is the disk that refuses. */
function isReadOnly(facts: FileFacts, look: Look, needed: number): boolean {
  return look.userId === 0 || (isOwn(facts, look) && ((facts.mode ?? 0) & needed) === needed);
}

function accessHint(path: string, facts: FileFacts, look: Look, mode: string): string {
  if (look.userId === null) return `See that this user may write it, or ${ELSEWHERE}.`;
  return isOwn(facts, look)
    ? `Allow it with \`chmod ${mode} ${shellWord(path)}\`.`
    : `Make it yours with \`sudo chown -R "$(id -u)" ${shellWord(path)}\`.`;
}

function unusable(message: string, hint: string): Problem {
  return new Problem("home-unusable", message, hint, EXIT.notSetUp);
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
