import { chmodSync } from "node:fs";
import { EXIT } from "../core/exit-codes.ts";
import { Problem } from "../core/problem.ts";
import { readTextIfThere } from "./file-facts.ts";
import { birHome, configPath, credentialsPath } from "./paths.ts";
import { makePrivateDirectory, removeFile, replacePrivateFile } from "./private-files.ts";
import { serviceUrl } from "./service-url.ts";

/**
 * A person's settings (`config.json`) and what lets us into a service (`credentials.json`), both for their owner alone. Members
 * that are not known stay as they are. A token never leaves this module but as the value that is sent, and belongs to the one
 * address that it was given for.
 */

/** The service that what is recorded goes to. */
export interface ServiceConfig {
  /** As `serviceUrl` spells it. */
  url: string;
  /** Plain HTTP to another machine was allowed. */
  allowHttp: boolean;
  /** Runs that began before (epoch ms) are not sent; 0: everything is. */
  since: number;
}

type Members = Record<string, unknown>;

const TOKEN = /^[\x21-\x7e]{1,4096}$/;

/** The configured service; null where there is none. Throws Problem where the file cannot be understood. */
export function readService(home = birHome()): ServiceConfig | null {
  const { service } = readMembers(configPath(home));
  if (service === undefined || service === null) return null;
  const { url, allowHttp = false, since = 0 } = isMembers(service) ? service : {};
  if (typeof url !== "string" || typeof allowHttp !== "boolean" || typeof since !== "number") {
    throw damaged(configPath(home));
  }
  try {
    return { url: serviceUrl(url, allowHttp), allowHttp, since };
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : "";
    throw damaged(configPath(home), `its service's url cannot be used: ${why}`);
  }
}

/** What the service at `url` lets pass; null where none is kept for it. Throws Problem where the file cannot be understood. */
export function readToken(url: string, home = birHome()): string | null {
  const { service } = readMembers(credentialsPath(home));
  makePrivate(credentialsPath(home));
  if (!isMembers(service) || service.url !== url) return null;
  const { token } = service;
  return typeof token === "string" && TOKEN.test(token) ? token : null;
}

/** Writes both: the token first, so that a service is never named without it. Throws Problem, or what the system says. */
export function saveService(service: ServiceConfig, token: string, home = birHome()): void {
  if (!TOKEN.test(token)) throw new TypeError("a token is one line of visible characters");
  const config = readMembers(configPath(home));
  const credentials = readMembers(credentialsPath(home));
  makePrivateDirectory(home);
  const { url, allowHttp, since } = service;
  write(credentialsPath(home), { ...credentials, service: { url, token } });
  write(configPath(home), { ...config, service: { url, ...(allowHttp ? { allowHttp } : {}), since } });
}

/** Takes the service and its token out; what else the files hold stays. Throws Problem, or what the system says. */
export function removeService(home = birHome()): void {
  for (const path of [configPath(home), credentialsPath(home)]) {
    const { service, ...others } = readMembers(path);
    if (Object.keys(others).length === 0) removeFile(path);
    else if (service !== undefined) write(path, others);
  }
}

/** True for what can be a token: one line of visible characters without a space. */
export function isToken(text: string): boolean {
  return TOKEN.test(text);
}

function write(path: string, members: Members): void {
  replacePrivateFile(path, `${JSON.stringify(members, null, 2)}\n`);
}

/** Whoever wrote it with another program may have let others read it. */
function makePrivate(path: string): void {
  try {
    chmodSync(path, 0o600);
  } catch {
    // There is none, or it is somebody else's to keep.
  }
}

function readMembers(path: string): Members {
  const text = readTextIfThere(path);
  if (text === null || text.trim() === "") return {};
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw damaged(path);
  }
  if (!isMembers(value)) throw damaged(path);
  return value;
}

function isMembers(value: unknown): value is Members {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function damaged(path: string, why = "it is not what bir writes there"): Problem {
  return new Problem(
    "config-damaged",
    `${path} cannot be used: ${why}`,
    "Put it right or remove it, then run `bir login` again",
    EXIT.notSetUp,
  );
}
