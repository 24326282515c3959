/** The assertion of transparency: both sides of an exchange got exactly the bytes that the other side sent. */

import { expect } from "vitest";
import type { Deadline } from "./deadline.ts";
import type { Sandbox } from "./sandbox.ts";
import { bytesOf, runTurns, type Turn, type Way } from "./transcript.ts";

/** Buffers are compared as such first: the difference of two 12 MB strings takes minutes to print. */
export function expectSameBytes(got: Buffer, wanted: Buffer, what: string): void {
  if (got.equals(wanted)) return;
  const at = got.findIndex((byte, index) => byte !== wanted[index]);
  const from = Math.max(0, (at < 0 ? Math.min(got.length, wanted.length) : at) - 40);
  const shown = (bytes: Buffer) => JSON.stringify(bytes.subarray(from, from + 200).toString("latin1"));
  expect.fail(
    `${what}: ${got.length} bytes for ${wanted.length}; from byte ${from} got ${shown(got)} for ${shown(wanted)}`,
  );
}

/** Runs the turns in this way and fails on the first byte that differs, or when one does not come. */
export async function expectUntouched(
  box: Sandbox,
  way: Way,
  turns: readonly Turn[],
  deadline?: Deadline,
): Promise<void> {
  const { hostGot, upstreamGot, exit } = await runTurns(box, way, turns, deadline);
  expectSameBytes(hostGot, bytesOf(turns, "down"), `${way.name}: what the host got`);
  expectSameBytes(upstreamGot, bytesOf(turns, "up"), `${way.name}: what the upstream got`);
  expect(exit, way.name).toEqual({ code: 0, signal: null });
}
