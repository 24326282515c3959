/** A raw host before `bir proxy --url`, and the messages that hosts of both eras send, as text. */

import { expect } from "vitest";
import type { HttpPeer } from "../fakes/http-peer/http-peer.ts";
import { LegacyMcp, type LegacyOptions } from "../fakes/http-peer/legacy-mcp.ts";
import type { WireMessage } from "./byte-log.ts";
import { BIR } from "./locations.ts";
import type { RunningProcess } from "./running-process.ts";
import type { ProxyOptions, Sandbox } from "./sandbox.ts";

export const LATEST_LEGACY = "2025-11-25";
export const MODERN = "2026-07-28";

const PREFIX = "io.modelcontextprotocol";

/** What a request of 2026-07-28 has in `params._meta`. */
export const MODERN_META = {
  [`${PREFIX}/protocolVersion`]: MODERN,
  [`${PREFIX}/clientInfo`]: { name: "raw-host", version: "1.0.0" },
  [`${PREFIX}/clientCapabilities`]: { elicitation: { form: {} } },
};

export const INITIALIZED = '{"jsonrpc":"2.0","method":"notifications/initialized"}\n';

/** Starts `bir proxy --url` before this peer, or before another address. */
export function startRemote(
  box: Sandbox,
  at: HttpPeer | string,
  { name = "fake", flags = [], ...launch }: ProxyOptions = {},
): RunningProcess {
  const url = typeof at === "string" ? at : at.url;
  return box.start([BIR, "proxy", "--server-name", name, "--url", url, ...flags], launch);
}

/** A host behind which a server of the older versions stands, their handshake done. */
export async function legacySession(
  box: Sandbox,
  peer: HttpPeer,
  options: LegacyOptions = {},
  launch: ProxyOptions = {},
): Promise<{ host: RunningProcess; server: LegacyMcp }> {
  const server = new LegacyMcp(options);
  peer.serve(server.handle);
  const host = startRemote(box, peer, launch);
  await shakeHands(host);
  return { host, server };
}

/** The handshake of the older versions, up to the notification; answers what the server said. */
export async function shakeHands(host: RunningProcess, version = LATEST_LEGACY) {
  const answer = await host.request(0, "initialize", initializeParams(version));
  await host.write(INITIALIZED);
  return answer;
}

export function initializeParams(version = LATEST_LEGACY) {
  return {
    protocolVersion: version,
    capabilities: { roots: { listChanged: true }, sampling: {}, elicitation: { form: {} } },
    clientInfo: { name: "raw-host", version: "1.0.0" },
  };
}

/** The params of a request of 2026-07-28. */
export function modern(params: object = {}, meta: object = {}): object {
  return { ...params, _meta: { ...MODERN_META, ...meta } };
}

/** A `tools/call` as a line: arguments as JSON text. */
export function callLine(id: string, args = "{}", name = "echo"): string {
  return `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":${JSON.stringify(name)},"arguments":${args}}}\n`;
}

/** An answer as JSON text, without a line feed. */
export function answerText(id: string, value = "null"): string {
  return `{"jsonrpc":"2.0","id":${id},"result":{"content":[],"structuredContent":${value}}}`;
}

/** Fails unless this is our answer in place of a server's: one short error. */
export function expectLocal({ error, result }: WireMessage, words: RegExp): void {
  expect({ result, error }).toEqual({ error: { code: -32_000, message: expect.stringMatching(words) } });
  expect(error?.message.length).toBeLessThan(200);
}
