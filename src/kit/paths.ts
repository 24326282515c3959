import { readEnv } from "./env.ts";

/** Where things live under `$BIR_HOME`. Pure string work: nothing here touches the disk. */

const SEPARATOR = process.platform === "win32" ? "\\" : "/";

function homeDirectory(): string {
  const home = process.platform === "win32" ? (process.env.USERPROFILE ?? process.env.HOME) : process.env.HOME;
  // Without HOME the system's own list of users knows; the module for it is not loaded otherwise.
  return home || process.getBuiltinModule("node:os").homedir();
}

/** Joins path parts with this platform's separator. */
export function joinPath(...parts: string[]): string {
  return parts.join(SEPARATOR);
}

/** `$BIR_HOME`, or `~/.baseinstrunner`. */
export function birHome(): string {
  return readEnv("BIR_HOME") ?? joinPath(homeDirectory(), ".baseinstrunner");
}

/** The journal and its projections. */
export function storePath(home = birHome()): string {
  return joinPath(home, "recordings.db");
}

/** A person's settings. */
export function configPath(home = birHome()): string {
  return joinPath(home, "config.json");
}

/** What lets us into the service that the settings name. */
export function credentialsPath(home = birHome()): string {
  return joinPath(home, "credentials.json");
}

/** What the installer put where, and what it was made of. */
export function receiptPath(home = birHome()): string {
  return joinPath(home, "receipt.json");
}

/** Present while recording is switched off everywhere. */
export function offSwitchPath(home = birHome()): string {
  return joinPath(home, "off");
}

/** Present while recording is switched off in `directory` and below. */
export function directoryOffSwitchPath(directory: string, home = birHome()): string {
  return joinPath(home, "off.d", directoryKey(directory));
}

/** Present while the control server is not to be started. */
export function downSwitchPath(home = birHome()): string {
  return joinPath(home, "down");
}

/** Where the control server says how it is reached. */
export function controlDirectory(home = birHome()): string {
  return joinPath(home, "control");
}

/** The server's own discovery file: there is one server for a home. */
export function serverDiscoveryPath(home = birHome()): string {
  return joinPath(controlDirectory(home), "server.json");
}

/** The discovery file of a directory: says that sessions there are meant to have a server. */
export function discoveryPath(directory: string, home = birHome()): string {
  const hash = new Bun.CryptoHasher("sha256").update(directory).digest("hex");
  return joinPath(controlDirectory(home), `${hash.slice(0, 16)}.json`);
}

/** Where reports wait that found no server. */
export function spoolDirectory(home = birHome()): string {
  return joinPath(home, "spool");
}

/** What programs and browsers show the local service to be let in. */
export function serviceSecretsPath(home = birHome()): string {
  return joinPath(home, "service.json");
}

/** Where the local service says where it is, and keeps what opens its page. */
export function viewDirectory(home = birHome()): string {
  return joinPath(home, "view");
}

/** The local service's own discovery file: there is one service for a home. */
export function serviceDiscoveryPath(home = birHome()): string {
  return joinPath(viewDirectory(home), "server.json");
}

/** The index of words and tools: made out of the store, and made again where it is missing. */
export function searchIndexPath(home = birHome()): string {
  return joinPath(home, "search.db");
}

/** 16 hex digits that stand for a directory in names of switch files. No cryptographic hash: every start pays for it. */
function directoryKey(directory: string): string {
  return Bun.hash(directory).toString(16).padStart(16, "0");
}

/** `directory` and all its parents, nearest first. */
export function selfAndParents(directory: string): string[] {
  const found = [directory];
  let rest = directory;
  for (;;) {
    const cut = Math.max(rest.lastIndexOf("/"), SEPARATOR === "\\" ? rest.lastIndexOf("\\") : -1);
    if (cut < 0) return found;
    const parent = cut === 0 ? "/" : rest.slice(0, cut);
    if (parent === rest) return found;
    found.push(parent);
    if (cut === 0) return found;
    rest = parent;
  }
}
