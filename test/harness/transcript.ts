/**
 * One exchange of bytes between a host and a scripted upstream, run directly or through the proxy, and what each side got.
 * Knows nothing of MCP: turns are bytes. The upstream waits for the exact bytes of a turn, so a byte that is held back,
 * changed or added shows as a difference or as a wait in vain.
 */

import { readFileSync } from "node:fs";
import type { Step } from "../fakes/scripted-peer.ts";
import { Deadline } from "./deadline.ts";
import { BIR } from "./locations.ts";
import type { Exit } from "./running-process.ts";
import type { Sandbox } from "./sandbox.ts";

/** Bytes that the host writes (`up`) or the upstream writes (`down`). */
export type Turn = { up: string | Uint8Array } | { down: string | Uint8Array };

export interface Way {
  name: string;
  /** Undefined: no proxy at all. */
  flags?: readonly string[];
  env?: Record<string, string>;
  /** A command that the whole chain becomes the arguments of. */
  wrap?: readonly string[];
}

export const DIRECT: Way = { name: "direct" };
export const RECORDING: Way = { name: "recording", flags: [] };
export const DEBUGGING: Way = { name: "recording with BIR_DEBUG=all", flags: [], env: { BIR_DEBUG: "all" } };
export const NO_RECORD: Way = { name: "--no-record", flags: ["--no-record"] };
export const SWITCHED_OFF: Way = { name: "BIR_OFF=1", flags: [], env: { BIR_OFF: "1" } };
/** Hosts written for Node and Bun give their servers socket pairs; others give pipes, which hold less and block sooner. */
export const PIPES: Way = { name: "recording, over pipes", flags: [], wrap: ["sh", "-c", 'cat | "$@" | cat', "sh"] };

/** Every way through the proxy that must be invisible. */
export const THROUGH: readonly Way[] = [RECORDING, DEBUGGING, NO_RECORD, SWITCHED_OFF];

export interface Transcript {
  hostGot: Buffer;
  upstreamGot: Buffer;
  exit: Exit;
}

/** The command that runs `upstream` in this way. */
export function commandFor(way: Way, upstream: readonly string[], name = "fake"): string[] {
  const proxy = way.flags ? [BIR, "proxy", "--server-name", name, ...way.flags, "--"] : [];
  return [...(way.wrap ?? []), ...proxy, ...upstream];
}

/** Runs the turns one after the other, then EOF; what was received is complete when both sides have ended. */
export async function runTurns(
  box: Sandbox,
  way: Way,
  turns: readonly Turn[],
  deadline = new Deadline(),
): Promise<Transcript> {
  const log = box.file("received");
  const script = box.file("script.json", JSON.stringify(turns.map(stepOf)));
  const upstream = box.fake("--quiet", "--log", log, "--script", script);
  const host = box.start(commandFor(way, upstream), { env: way.env ?? {} });
  let expected = 0;
  for (const turn of turns) {
    if ("up" in turn) await host.write(turn.up);
    else {
      expected += Buffer.byteLength(turn.down);
      await host.stdout.untilSize(expected, deadline);
    }
  }
  const exit = await host.finish(deadline);
  return { hostGot: Buffer.from(host.stdout.bytes()), upstreamGot: readFileSync(log), exit };
}

/** The bytes that one side must have received after these turns. */
export function bytesOf(turns: readonly Turn[], side: "up" | "down"): Buffer {
  return Buffer.concat(
    turns.map((turn) => Buffer.from((side in turn ? (turn as Record<string, string>)[side] : "") ?? "")),
  );
}

function stepOf(turn: Turn): Step {
  if ("up" in turn) return { read: Buffer.byteLength(turn.up) };
  return { write: Buffer.from(turn.down as string).toString("base64"), encoding: "base64" };
}
