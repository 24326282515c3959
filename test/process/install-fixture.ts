/** What tests of the install script need: releases, a server of them, the shells it is run by, and a home that is compared. */

import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { thisTarget } from "../../packaging/runtimes.ts";
import { serverIdentity } from "../fakes/http/certificates.ts";
import { answer, RawHttpServer, type RawPeer } from "../fakes/http/raw-server.ts";
import { BIR, ROOT } from "../harness/locations.ts";
import { needs } from "../harness/requirement.ts";
import type { CliResult, Sandbox } from "../harness/sandbox.ts";

export const INSTALL_SH = join(ROOT, "install", "install.sh");
export const TARGET = thisTarget();
export const FILE = `bir-${TARGET}`;

/** A shell that the script has to run in: its name, and the words that start it. */
export type Shell = readonly [name: string, words: readonly string[]];

export const SHELLS: readonly Shell[] = [
  ["dash", ["dash"]],
  ["bash", ["bash"]],
  ["busybox", ["busybox", "sh"]],
];

export function needsShell(context: Parameters<typeof needs>[0], [name, [program = ""]]: Shell): void {
  needs(context, Bun.which(program) !== null, `there is no ${name} (apt-get install ${name})`);
}

/** What a release holds; an executable is a script that tells its version, unless another file is named. */
export interface ReleaseContent {
  version?: string;
  /** The executable's own text or path. */
  executable?: string | { path: string };
  /** In place of the right one. */
  sum?: string;
}

/** Makes a folder like dist/release, with one executable. */
export function makeRelease(box: Sandbox, content: ReleaseContent = {}, name = "release"): string {
  const folder = join(box.directory, name);
  mkdirSync(folder, { recursive: true });
  fillRelease(folder, content);
  return folder;
}

/** Puts another executable, and its checksum, into a release. */
export function fillRelease(folder: string, { version = "1.0.0", executable, sum }: ReleaseContent): void {
  const path = join(folder, FILE);
  if (typeof executable === "object") copyFileSync(executable.path, path);
  else writeFileSync(path, executable ?? fakeExecutable(version));
  chmodSync(path, 0o755);
  const others = ["darwin-arm64", "linux-x64-other"].map((one) => `${"0".repeat(64)}  bir-${one}\n`);
  writeFileSync(join(folder, "SHA256SUMS"), `${others.join("")}${sum ?? sha256(path)}  ${FILE}\n`);
}

/** The real one, under its name in a release. */
export const REAL: ReleaseContent = { executable: { path: BIR } };

export function fakeExecutable(version: string): string {
  return `#!/bin/sh\n# baseinstrunner\necho ${version}\n`;
}

export function sha256(path: string): string {
  return createHash("sha256").update(readFileSync(path)).digest("hex");
}

/** Runs the script in a home of the sandbox; nothing but PATH, HOME and `env` reaches it. */
export async function install(box: Sandbox, [, words]: Shell, env: Record<string, string>): Promise<CliResult> {
  return await runScript(box, [...words, INSTALL_SH], env);
}

export async function runScript(
  box: Sandbox,
  command: readonly string[],
  env: Record<string, string>,
): Promise<CliResult> {
  const child = box.start(command, { env: { SHELL: "/bin/bash", ...env } });
  const { code, signal } = await child.finish();
  return { code, signal, stdout: child.stdout.text(), stderr: child.stderr.text() };
}

/** The installed executable's place in a home of the sandbox. */
export function installed(box: Sandbox): string {
  return join(box.home, ".local", "bin", "bir");
}

export function receiptOf(box: Sandbox): Record<string, unknown> {
  return JSON.parse(readFileSync(join(box.birHome, "receipt.json"), "utf8"));
}

/** Everything below a directory: kind, rights, and content. */
export function tree(directory: string): Record<string, string> {
  const found: Record<string, string> = {};
  const look = (at: string): void => {
    const path = join(directory, at);
    const facts = lstatSync(path);
    const mode = (facts.mode & 0o7777).toString(8);
    if (facts.isSymbolicLink()) found[at] = `link ${readlinkSync(path)}`;
    else if (facts.isDirectory()) {
      found[at] = `directory ${mode}`;
      for (const name of readdirSync(path).sort()) look(join(at, name));
    } else found[at] = `file ${mode} ${sha256(path)}`;
  };
  look(".");
  return found;
}

/** Programs that the script may use, alone on a PATH: what `without` names is missing, what `also` holds is added. */
export function programs(box: Sandbox, without: readonly string[], also: Record<string, string> = {}): string {
  const directory = join(box.directory, `programs-${Object.keys(also).join("-")}-${without.join("-")}`);
  mkdirSync(directory, { recursive: true });
  const names =
    "awk bash busybox cat chmod cp curl cut dash dirname env fish getconf grep head id ldd ls mkdir mktemp mv openssl perl rm rmdir sed sh sha256sum shasum sysctl tail tr uname wget zsh";
  for (const name of names.split(" ")) {
    const path = Bun.which(name);
    if (path !== null && !without.includes(name) && !(name in also)) symlinkSync(path, join(directory, name));
  }
  for (const [name, text] of Object.entries(also)) {
    const path = join(directory, name);
    if (existsSync(text)) symlinkSync(text, path);
    else writeFileSync(path, `#!/bin/sh\n${text}\n`, { mode: 0o755 });
  }
  return directory;
}

/** Serves the folder of a release from this machine; `answers` are bytes, or what is done, in place of a file. */
export class ReleaseServer {
  readonly asked: string[] = [];
  readonly #server: RawHttpServer;

  private constructor(server: RawHttpServer) {
    this.#server = server;
  }

  static async start(
    folder: string,
    answers: Record<string, (peer: RawPeer) => void | Promise<void>> = {},
    tls = false,
  ): Promise<ReleaseServer> {
    const server = await RawHttpServer.start(tls ? { tls: serverIdentity("server") } : {});
    const released = new ReleaseServer(server);
    server.script = ({ target }, peer) => {
      const name = target.replace(/^\//, "");
      released.asked.push(name);
      const other = answers[name];
      if (other !== undefined) return other(peer);
      const path = join(folder, name);
      const isThere = existsSync(path);
      peer.write(isThere ? answer(readFileSync(path)) : answer("no", {}, "404 Not Found"));
    };
    onTestFinished(() => server.close());
    return released;
  }

  /** Waits until a file has been asked for so often. */
  async untilAsked(name: string, times = 1): Promise<void> {
    await this.#server.until(({ requests }) => requests.filter(({ target }) => target === `/${name}`).length >= times);
  }

  url(host = "127.0.0.1"): string {
    return this.#server.url("", host).href.replace(/\/$/, "");
  }
}

/** What `sh -l`, or another shell, has on its PATH in a home of the sandbox. */
export function pathIn(box: Sandbox, command: readonly string[], env: Record<string, string> = {}): string[] {
  const [program = "", ...args] = command;
  const { stdout } = spawnSync(program, args, { env: { ...box.env(), ...env }, encoding: "utf8" });
  return stdout.trim().split(":");
}
