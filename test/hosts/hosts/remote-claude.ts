/**
 * `test` with remote servers beside a recorded Claude Code: `test("…", async ({ box, claude, recorded, remote }) => …)`, and a
 * session of the same script with the server itself and through the proxy.
 */

import { expect } from "vitest";
import type { Exchange } from "../../fakes/http-peer/exchange.ts";
import { RemoteMcp, type RemoteOptions, type RemoteWay } from "../../fakes/remote-mcp/remote-mcp.ts";
import type { Sandbox } from "../../harness/sandbox.ts";
import { startServer } from "../../process/control-process.ts";
import { type RecordedClaude, test as recordedTest } from "./recorded-claude.ts";
import { behindProxy, directly, withEntry } from "./remote-servers.ts";
import { type Lasting, lastingPart, withoutHookRows } from "./same-session.ts";
import type { Outcome, SealedClaude } from "./sealed-claude.ts";

export interface RemoteSession {
  outcome: Outcome;
  lasting: Lasting;
  /** What the server was asked to call, and the headers of MCP that came with it; without what is new in each session. */
  calls: object[];
}

/** Runs the script that both know: first without us, then recorded. `between` clears up behind the first. */
export async function bothSessions(
  box: Sandbox,
  plain: SealedClaude,
  recorded: RecordedClaude,
  server: RemoteMcp,
  prompt: string,
  between: () => void = () => {},
): Promise<{ direct: RemoteSession; through: RemoteSession }> {
  const home = "home-plain";
  const first = await plain.session({ ...withEntry(box, directly(server)), prompt, home });
  const firstCalls = callsAt(server);
  between();
  const second = await recorded.session(prompt, withEntry(box, behindProxy(server)));
  const lasting = (of: string, outcome: Outcome, { model }: SealedClaude) =>
    withoutHookRows(lastingPart(box, of, outcome, model.requests));
  return {
    direct: { outcome: first, lasting: lasting(home, first, plain), calls: firstCalls },
    through: {
      outcome: second,
      lasting: lasting("home", second, recorded.host),
      calls: callsAt(server).slice(firstCalls.length),
    },
  };
}

function callsAt({ peer }: RemoteMcp): object[] {
  return peer.like("tools/call").map(callOf);
}

function callOf(exchange: Exchange): object {
  const { progressToken: _, ...meta } = exchange.message.params._meta;
  const { "mcp-session-id": __, ...headers } = exchange.headersLike("mcp-");
  return { params: { ...exchange.message.params, _meta: meta }, headers };
}

/**
 * `remote(way)` starts one for a test, and a control server before it: one that the first hook starts may be there too late for
 * the first call of such short sessions. What no HTTP client may do fails the test.
 */
export const test = recordedTest.extend<{
  remote: (way: RemoteWay, options?: RemoteOptions) => Promise<RemoteMcp>;
}>({
  remote: async ({ box, task }, use) => {
    const started: RemoteMcp[] = [];
    await use(async (way, options) => {
      await startServer(box);
      const remote = await RemoteMcp.start(way, options);
      started.push(remote);
      return remote;
    });
    for (const remote of started) await remote.close();
    if (task.result?.state !== "fail") for (const { peer } of started) expect(peer.faults).toEqual([]);
  },
});
