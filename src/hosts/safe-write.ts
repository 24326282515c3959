import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmdirSync,
  rmSync,
  statSync,
} from "node:fs";
import { dirname, isAbsolute, resolve } from "node:path";
import { Problem } from "../core/problem.ts";
import { type ExchangeFiles, fileExchange } from "../kit/c-library.ts";
import { joinPath } from "../kit/paths.ts";
import { moveInto, moveIntoEmpty, removeLeftBeside, syncDirectory, writeBeside } from "../kit/replace-file.ts";
import { systemCode, systemReason } from "../kit/system-reason.ts";
import { ConfigSyntaxError } from "./edit/config-text.ts";
import { decodeTextFile, encodeTextFile } from "./edit/text-file.ts";

/**
 * Reads a file of another application, and puts a changed text in its place only while it is what was read. Others write the
 * same file at any moment and take no lock: what they wrote is never thrown away, not even in the instant between the last
 * look and the write. Links are followed, rights and a byte order mark stay. Knows nothing of what is in the text.
 */

/** A file as it was read. */
export interface FileState {
  /** As it was asked for. */
  path: string;
  /** Where links lead to. */
  target: string;
  /** Null where there is none. */
  bytes: Buffer | null;
  /** Without a byte order mark; empty where there is no file. */
  text: string;
  hasByteOrderMark: boolean;
  mode: number;
  owner: { uid: number; gid: number } | null;
}

/** `changed`: somebody else was faster, and nothing of ours is there. */
export type Written = "written" | "changed";

const MAX_BYTES = 64 * 1024 * 1024;
const MOST_LINKS = 40;
const MOST_SWAPS = 100;
const NOTHING_CHANGED = "Nothing in it was changed. Put that right, then run the command again.";

/** Reads a file. Throws a `Problem` for what cannot be edited, and `ConfigSyntaxError` for what is no text. */
export function readState(path: string): FileState {
  const target = followLinks(path);
  try {
    const found = statSync(target, { throwIfNoEntry: false });
    if (found === undefined) {
      return { path, target, bytes: null, text: "", hasByteOrderMark: false, mode: 0o600, owner: null };
    }
    if (!found.isFile()) throw cannotRead(path, found.isDirectory() ? "EISDIR" : "it is not a file");
    if (found.size > MAX_BYTES) throw cannotRead(path, "it is larger than a configuration can be");
    const bytes = readFileSync(target);
    const { text, hasByteOrderMark } = decodeTextFile(bytes);
    const owner = process.platform === "win32" ? null : { uid: found.uid, gid: found.gid };
    return { path, target, bytes, text, hasByteOrderMark, mode: found.mode & 0o7777, owner };
  } catch (cause) {
    throw cause instanceof Problem || cause instanceof ConfigSyntaxError
      ? cause
      : cannotRead(path, systemCode(cause) ?? String(cause));
  }
}

/** The bytes that a text has in a file like this one. */
function bytesFor(state: FileState, text: string): Buffer {
  return Buffer.from(encodeTextFile({ text, hasByteOrderMark: state.hasByteOrderMark }));
}

/** Throws a `Problem`, or what the system says, where the file is not to be replaced or cannot be. Changes nothing. */
function checkWritable({ path, target, bytes }: FileState): void {
  if (bytes !== null) {
    const { nlink, mode } = statSync(target);
    if (nlink > 1) throw cannotWrite(path, "it has a second name (a hard link), which would keep the old text");
    // The system lets an administrator write anyway, and replacing a file asks for no right on it at all.
    if (process.platform !== "win32" && (mode & 0o222) === 0) throw cannotWrite(path, "it is read-only");
    accessSync(target, constants.R_OK | constants.W_OK);
  }
  accessSync(dirname(target), constants.W_OK | constants.X_OK);
}

/** Puts `text` in the place of what was read. One attempt; throws a `Problem` when the system refuses. */
export function replaceState(state: FileState, text: string): Written {
  const { path, target } = state;
  const exchange = fileExchange();
  let beside: string | null = null;
  try {
    checkWritable(state);
    const bytes = bytesFor(state, text);
    beside = writeBeside(target, bytes, { mode: state.mode, owner: state.owner });
    if (state.bytes === null) {
      moveIntoEmpty(beside, target);
      return "written";
    }
    const mark = markOf(target);
    const ours = markOf(beside);
    if (!isStill(state) || markOf(target) !== mark) return "changed";
    // From here to the last swap every instant counts.
    if (!exchange(beside, target)) moveInto(beside, target);
    else if (markOf(beside) !== mark || !readFileSync(beside).equals(state.bytes)) {
      swapBack(exchange, beside, target, ours);
      return "changed";
    } else syncDirectory(dirname(target));
    return "written";
  } catch (cause) {
    if (cause instanceof Problem) throw cause;
    const code = systemCode(cause);
    if (code === "EEXIST" || (code === "ENOENT" && !isStill(state))) return "changed";
    throw cannotWrite(path, code ?? String(cause));
  } finally {
    if (beside !== null) rmSync(beside, { force: true });
  }
}

/**
 * Somebody wrote in the instant between the last look and the swap, and theirs came out instead of what was read: it goes back
 * at once. What comes out then is what we had put in, else again somebody's: that is newer, and goes back in its turn.
 */
function swapBack(exchange: ExchangeFiles, beside: string, target: string, ours: string): void {
  let put = ours;
  let out = markOf(beside);
  for (let i = 0; i < MOST_SWAPS && exchange(beside, target); i++) {
    const came = markOf(beside);
    if (came === put) return;
    put = out;
    out = came;
  }
}

/** Tells one writing of a file from the next, without reading it. */
function markOf(path: string): string {
  const { ino, size, mtimeNs } = statSync(path, { bigint: true });
  return `${ino}/${size}/${mtimeNs}`;
}

/** Removes a file that is still what was read; `changed` when it is not. */
export function removeState(state: FileState): Written {
  try {
    if (!isStill(state)) return "changed";
    checkWritable(state);
    rmSync(state.target);
    syncDirectory(dirname(state.target));
    return "written";
  } catch (cause) {
    if (cause instanceof Problem) throw cause;
    throw cannotWrite(state.path, systemCode(cause) ?? String(cause));
  }
}

/** Removes what an install that ended in the middle has left beside a file. Never throws. */
export function tidyBeside(file: string): void {
  try {
    removeLeftBeside(followLinks(file));
  } catch {
    // What is wrong with the file is said when it is read.
  }
}

/** True while the file holds exactly the bytes that were read. */
export function isStill(state: FileState): boolean {
  try {
    const bytes = readFileSync(state.target);
    return state.bytes?.equals(bytes) ?? false;
  } catch (cause) {
    return state.bytes === null && systemCode(cause) === "ENOENT";
  }
}

/** Directories above a file that are not there, the innermost first. */
export function missingDirectories(file: string): string[] {
  const missing: string[] = [];
  for (let at = dirname(file); !existsSync(at); at = dirname(at)) {
    missing.push(at);
    if (dirname(at) === at) break;
  }
  return missing;
}

/** Makes a directory with all that is missing above it; gives what was made, the outermost first. Throws a `Problem`. */
export function makeDirectories(directory: string): string[] {
  const missing = missingDirectories(joinPath(directory, "file")).reverse();
  try {
    mkdirSync(directory, { recursive: true });
  } catch (cause) {
    throw cannotWrite(directory, systemCode(cause) ?? String(cause));
  }
  return missing;
}

/** Removes directories, in this order, that are empty. Never throws. */
export function removeEmptyDirectories(directories: readonly string[]): void {
  for (const directory of directories) {
    try {
      rmdirSync(directory);
    } catch {
      // Somebody uses it by now.
    }
  }
}

/** Where a path leads through links, even to a file that is not there yet: one that hangs in the air is for its target. */
function followLinks(path: string): string {
  let at = path;
  for (let i = 0; i < MOST_LINKS; i++) {
    try {
      return realpathSync(at);
    } catch (cause) {
      if (systemCode(cause) !== "ENOENT") throw cannotRead(path, systemCode(cause) ?? String(cause));
    }
    try {
      const link = readlinkSync(at);
      at = isAbsolute(link) ? link : resolve(dirname(at), link);
    } catch {
      return at;
    }
  }
  throw cannotRead(path, "ELOOP");
}

function cannotRead(path: string, why: string): Problem {
  return new Problem("config-unreadable", `cannot read ${path}: ${inWords(why)}`, NOTHING_CHANGED);
}

function cannotWrite(path: string, why: string): Problem {
  return new Problem("config-unwritable", `cannot write ${path}: ${inWords(why)}`, NOTHING_CHANGED);
}

function inWords(why: string): string {
  return /^[A-Z][A-Z0-9]+$/.test(why) ? systemReason(why) : why;
}
