/** What the tests of the running service share: starting it, asking it, and recording something for it to show. */

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { BIR } from "../harness/locations.ts";
import type { RunningProcess } from "../harness/running-process.ts";
import type { Launch, Sandbox } from "../harness/sandbox.ts";

/** A service that answers. */
export interface Serving {
  process: RunningProcess;
  url: string;
  port: number;
  token: string;
  /** What it said on stdout. */
  said: Record<string, unknown>;
}

/** Starts `bir serve` (or another command that serves) and waits until it says where it is. */
export async function startService(
  box: Sandbox,
  args: readonly string[] = ["serve", "--port", "0", "--json"],
  launch: Launch = {},
): Promise<Serving> {
  const process = box.start([BIR, ...args], launch);
  await process.stdout.untilText("\n}");
  const said = JSON.parse(process.stdout.text()) as Record<string, unknown>;
  const url = String(said.url);
  return { process, url, port: Number(new URL(url).port), token: tokenOf(box), said };
}

export function tokenOf(box: Sandbox): string {
  return (JSON.parse(readFileSync(join(box.birHome, "service.json"), "utf8")) as { token: string }).token;
}

/** Tells it to go, and answers its exit code. */
export async function endService({ process }: Serving, signal: NodeJS.Signals = "SIGTERM"): Promise<number | null> {
  process.signal(signal);
  return (await process.exit()).code;
}

/** Asks as a program that knows the token; a header that is null is left out. */
export async function ask(
  { url, token }: Pick<Serving, "url" | "token">,
  path: string,
  init: RequestInit = {},
  headers: Record<string, string | null> = {},
): Promise<Response> {
  const all = { authorization: `Bearer ${token}`, ...headers };
  const kept = Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== null);
  return await fetch(`${url}${path}`, { ...init, headers: Object.fromEntries(kept), redirect: "manual" });
}

export async function send(serving: Serving, method: string, path: string, body: unknown): Promise<Response> {
  return await ask(serving, path, { method, body: JSON.stringify(body) }, { "content-type": "application/json" });
}

/** The JSON of a good answer. */
export async function json<T = Record<string, unknown>>(serving: Serving, path: string): Promise<T> {
  const answer = await ask(serving, path);
  expect([path, answer.status]).toEqual([path, 200]);
  return (await answer.json()) as T;
}

/** Records a run of `calls` calls through the proxy; answers its id. */
export async function recordRun(box: Sandbox, calls = 1, words = "hello"): Promise<string> {
  const before = new Set(await runIds(box));
  const proxy = box.startProxy(box.fake("--quiet"));
  for (let i = 0; i < calls; i++) await proxy.call(i, "echo", { text: `${words} ${i}` });
  expect((await proxy.finish()).code).toBe(0);
  return (await runIds(box)).find((id) => !before.has(id)) ?? "none";
}

export async function runIds(box: Sandbox): Promise<string[]> {
  if (!existsSync(join(box.birHome, "recordings.db"))) return [];
  const { stdout } = await box.bir(["run", "list", "--json"]);
  return (JSON.parse(stdout) as { id: string }[]).map(({ id }) => id);
}
