import { chmodSync } from "node:fs";
import { isAbsolute } from "node:path";
import type { Discovery } from "../core/control-wire.ts";
import type { ServerLog } from "../http-server/server-log.ts";
import { namesIn, readTextIfThere } from "../kit/file-facts.ts";
import { controlDirectory, discoveryPath, joinPath, serverDiscoveryPath } from "../kit/paths.ts";
import { makePrivateDirectory, removeFile, replacePrivateFile } from "../kit/private-files.ts";

/**
 * The files that lead to this server: its own, and one for each directory that it was told of, which says that sessions there
 * are meant to have a server. Only the holder of the server's lock may write them. Never opens the lock itself.
 */

/** Tells of directories, any of them unknown, and of the session there. Never throws. */
export type DirectoryHeardOf = (directories: readonly (string | null)[], sessionId: string | null) => void;

/** More directories than this get no file: proxies there find the server by its own. */
const MAX_DIRECTORIES = 1000;
/** Sessions that take turns in a directory do not have its file written at each turn. */
const REWRITE_MS = 5000;

const DIRECTORY_FILE = /^[0-9a-f]{16}\.json$/;

export type OwnDiscovery = Omit<Discovery, "sessionId">;

export class DiscoveryFiles {
  readonly #home: string;
  readonly #own: OwnDiscovery;
  readonly #log: ServerLog;
  readonly #now: () => number;
  /** Path of a directory's file → what it says, and when it was written. */
  readonly #directories = new Map<string, { sessionId: string | null; at: number }>();

  constructor(home: string, own: OwnDiscovery, log: ServerLog, now: () => number = Date.now) {
    this.#home = home;
    this.#own = own;
    this.#log = log;
    this.#now = now;
  }

  /**
   * Takes over from servers that were killed: what one had half written goes, and the files of its directories lead here
   * from now on. Throws what the system says where the directory cannot be made.
   */
  takeOver(): void {
    const directory = controlDirectory(this.#home);
    makePrivateDirectory(directory);
    chmodSync(directory, 0o700);
    for (const name of namesIn(directory)) {
      const path = joinPath(directory, name);
      if (name.endsWith(".tmp")) this.#quietly("removing a file", () => removeFile(path));
      else if (DIRECTORY_FILE.test(name)) this.#tell(path, null);
    }
  }

  /** Writes the server's own file, whole or not at all. Throws what the system says. */
  publish(): void {
    this.#write(serverDiscoveryPath(this.#home), null);
  }

  readonly heardOf: DirectoryHeardOf = (directories, sessionId) => {
    for (const directory of directories) {
      if (directory !== null && isAbsolute(directory)) this.#tell(discoveryPath(directory, this.#home), sessionId);
    }
  };

  /** Writes the server's own file again where it was removed or replaced: only this server can be meant. Never throws. */
  keepInPlace(): void {
    this.#quietly("looking after the discovery file", () => {
      if (this.#leadsHere(serverDiscoveryPath(this.#home))) return;
      makePrivateDirectory(controlDirectory(this.#home));
      this.publish();
      // Whatever removed it may have removed the others too.
      this.#directories.clear();
    });
  }

  /** Removes every file that leads here, and no other. Never throws. */
  remove(): void {
    const directory = controlDirectory(this.#home);
    const others = namesIn(directory).filter((name) => DIRECTORY_FILE.test(name));
    for (const path of [serverDiscoveryPath(this.#home), ...others.map((name) => joinPath(directory, name))]) {
      this.#quietly("removing a discovery file", () => {
        if (this.#leadsHere(path)) removeFile(path);
      });
    }
    this.#directories.clear();
  }

  #tell(path: string, sessionId: string | null): void {
    const before = this.#directories.get(path);
    const at = this.#now();
    if (before === undefined && this.#directories.size >= MAX_DIRECTORIES) return;
    if (before !== undefined && (before.sessionId === sessionId || at - before.at < REWRITE_MS)) return;
    this.#quietly("writing a discovery file", () => {
      this.#write(path, sessionId);
      this.#directories.set(path, { sessionId, at });
    });
  }

  #write(path: string, sessionId: string | null): void {
    const content: Discovery = { ...this.#own, sessionId };
    replacePrivateFile(path, `${JSON.stringify(content)}\n`);
  }

  #leadsHere(path: string): boolean {
    return readTextIfThere(path)?.includes(JSON.stringify(this.#own.token)) ?? false;
  }

  #quietly(doing: string, work: () => void): void {
    try {
      work();
    } catch (cause) {
      this.#log.fault(doing, cause);
    }
  }
}
