/**
 * `test` with a sandbox and an HTTP peer: `test("…", async ({ box, peer }) => …)`. What no HTTP client and no MCP client may do
 * fails the test, whatever it looked at.
 */

import { expect } from "vitest";
import type { Exchange } from "../fakes/http-peer/exchange.ts";
import { HttpPeer } from "../fakes/http-peer/http-peer.ts";
import { test as withBox } from "./process-test.ts";

export const test = withBox.extend<{ peer: HttpPeer }>({
  peer: async ({ task }, use) => {
    const peer = await HttpPeer.start();
    await use(peer);
    const hasFailed = task.result?.state === "fail";
    await peer.close();
    if (hasFailed) return;
    expect(peer.faults, "what the client did wrong").toEqual([]);
    for (const exchange of peer.exchanges) expectProper(exchange, peer);
  },
});

/** What holds for every request of an MCP client over HTTP, of any version. */
export function expectProper(exchange: Exchange, { origin }: { origin: string }): void {
  const what = exchange.describe();
  const names = exchange.headers.map(([name]) => name.toLowerCase());
  expect(new Set(names).size, `${what}: a header twice in ${names}`).toBe(names.length);
  expect(exchange.header("host"), what).toBe(new URL(origin).host);
  expect(["GET", "POST", "DELETE"], what).toContain(exchange.method);
  if (exchange.method === "POST") {
    expect(exchange.header("content-type"), what).toBe("application/json");
    expect(accepted(exchange), what).toEqual(["application/json", "text/event-stream"]);
    expect(exchange.header("last-event-id"), what).toBeUndefined();
  } else {
    expect(exchange.body.length, what).toBe(0);
    if (exchange.method === "GET") expect(accepted(exchange), what).toEqual(["text/event-stream"]);
  }
}

function accepted(exchange: Exchange): string[] {
  return (exchange.header("accept") ?? "").split(/,\s*/).sort();
}
