import type { Discovery } from "../core/control-wire.ts";
import { readEnv } from "./env.ts";
import { birHome, serverDiscoveryPath } from "./paths.ts";

/**
 * Where a control server says that it is, read the way hot roles can afford: no module of Node, no thread. Only says where to
 * ask; whether a server of ours is there shows when it answers a request with its token. Never writes, never throws.
 */

/** How to reach a server: its port on this machine, and the token that it lets pass. */
export interface ServerAddress {
  host: "127.0.0.1" | "localhost" | "[::1]";
  port: number;
  token: string;
}

/** Larger files are none of ours. */
const MAX_BYTES = 16 * 1024;

/** The servers to ask, in that order: the one that the environment names, and the one whose file is in the home. */
export function knownServers(home = birHome()): ServerAddress[] {
  const named = addressOf(readEnv("BIR_CONTROL_URL"), readEnv("BIR_CONTROL_TOKEN"));
  const found = readDiscovery(serverDiscoveryPath(home));
  const filed = addressOf(found?.url, found?.token);
  if (named === null || filed === null) return named === null ? (filed === null ? [] : [filed]) : [named];
  return named.port === filed.port && named.token === filed.token ? [named] : [named, filed];
}

/**
 * The address for a server's URL; null where either is missing, and for a URL that leads off this machine: a project's own
 * settings can set a variable, and what is told here is for nobody else.
 */
export function addressOf(url: unknown, token: unknown): ServerAddress | null {
  if (typeof url !== "string" || typeof token !== "string" || !/^[\x21-\x7e]{1,512}$/.test(token)) return null;
  const [, host, digits] = /^http:\/\/(127\.0\.0\.1|localhost|\[::1\]):(\d{1,5})\/?$/.exec(url) ?? [];
  const port = Number(digits);
  return host === undefined || !(port > 0 && port < 65536) ? null : ({ host, port, token } as ServerAddress);
}

/** What a discovery file says; null where there is none that can be read. */
export function readDiscovery(path: string): Partial<Discovery> | null {
  try {
    const value: unknown = JSON.parse(textOf(path) ?? "");
    return typeof value === "object" ? (value as Partial<Discovery> | null) : null;
  } catch {
    return null;
  }
}

/**
 * Reading a file the ordinary way starts a pool of threads or loads a module of Node, either of which costs as much as all the
 * rest. These files are replaced, never changed in place, so that mapping one is safe. One of no plain size may be a pipe,
 * whose opening would wait.
 */
function textOf(path: string): string | null {
  const sizeBytes = Bun.file(path).size;
  if (sizeBytes === 0 || sizeBytes > MAX_BYTES) return null;
  try {
    return new TextDecoder().decode(Bun.mmap(path));
  } catch {
    // A mapping is always a writable one: not on Windows, and not on a disk that cannot be written.
    return process.getBuiltinModule("node:fs").readFileSync(path, "utf8");
  }
}
