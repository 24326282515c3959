/** What a session has left behind on disk and shown to others on this machine: where a secret must not be found. */

import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Sandbox } from "./sandbox.ts";

/** The bytes of every file in a sandbox, one behind the other. */
export function leftBehind(box: Sandbox): string {
  return readdirSync(box.directory, { recursive: true, encoding: "utf8" })
    .map((name) => join(box.directory, name))
    .filter((path) => statSync(path).isFile())
    .map((path) => readFileSync(path, "latin1"))
    .join("\n");
}

/** The command lines of the sandbox's living processes, which every user of the machine can read. */
export function commandLines(box: Sandbox): string {
  return box
    .survivors()
    .map(({ command }) => command)
    .join("\n");
}
