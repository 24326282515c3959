import { modifiedAt, namesIn, readTextIfThere } from "../kit/file-facts.ts";
import { joinPath, serviceDiscoveryPath, viewDirectory } from "../kit/paths.ts";
import { makePrivateDirectory, removeFile, replacePrivateFile } from "../kit/private-files.ts";

/**
 * The files by which this home's service is found, and those that open its page. All are their owner's alone, and none holds what
 * lets a program in.
 */

/** What `view/server.json` says. */
export interface ServiceDiscovery {
  /** On this machine, without a slash at the end. */
  url: string;
  pid: number;
  processStartedAt: string;
  /** Epoch ms. */
  startedAt: number;
}

/** What opens the page is no use for longer: the code in it has two minutes. */
const OPENER_MS = 150_000;
const OPENER = /^open-[\w-]+\.html$/;

/** Says where the service is, whole or not at all. Throws what the system says. */
export function publishDiscovery(home: string, own: ServiceDiscovery): void {
  makePrivateDirectory(viewDirectory(home));
  replacePrivateFile(serviceDiscoveryPath(home), `${JSON.stringify(own)}\n`);
}

/** What the discovery file says; null where there is none that is whole. */
export function readServiceDiscovery(home: string): ServiceDiscovery | null {
  try {
    const { url, pid, processStartedAt, startedAt } = JSON.parse(readTextIfThere(serviceDiscoveryPath(home)) ?? "{}");
    if (typeof url !== "string" || !/^http:\/\/127\.0\.0\.1:\d{1,5}$/.test(url)) return null;
    if (!Number.isSafeInteger(pid) || pid <= 0 || typeof processStartedAt !== "string") return null;
    return typeof startedAt === "number" ? { url, pid, processStartedAt, startedAt } : null;
  } catch {
    return null;
  }
}

/** Removes the discovery file if it is this service's. Never throws. */
export function withdrawDiscovery(home: string, own: ServiceDiscovery): void {
  try {
    const found = readServiceDiscovery(home);
    if (found?.pid === own.pid && found.startedAt === own.startedAt) removeFile(serviceDiscoveryPath(home));
  } catch {
    // It names a process that is gone, and is not believed.
  }
}

/** Writes a file that leads a browser to `link`, and answers its path: what is in it never stands in a process's arguments. */
export function writeOpener(home: string, link: string): string {
  makePrivateDirectory(viewDirectory(home));
  const path = joinPath(viewDirectory(home), `open-${Bun.randomUUIDv7()}.html`);
  const inScript = JSON.stringify(link).replaceAll("<", "\\u003c");
  const page = [
    "<!doctype html>",
    '<meta charset="utf-8">',
    '<meta name="referrer" content="no-referrer">',
    "<title>bir</title>",
    "<p>Opening the recordings…</p>",
    `<script>location.replace(${inScript})</script>`,
  ];
  replacePrivateFile(path, `${page.join("\n")}\n`);
  return path;
}

/** Removes what has opened the page, or has come too late to; without `now` (epoch ms) all of it. Never throws. */
export function removeOpeners(home: string, now = Number.POSITIVE_INFINITY): void {
  for (const name of namesIn(viewDirectory(home))) {
    if (!OPENER.test(name)) continue;
    const path = joinPath(viewDirectory(home), name);
    if (now - (modifiedAt(path) ?? 0) < OPENER_MS) continue;
    try {
      removeFile(path);
    } catch {
      // What is in it opens nothing any more.
    }
  }
}
