/** A scripted exchange, held directly and through the proxy, is the same: request for request, message for message. */

import { describe, expect } from "vitest";
import { HttpPeer } from "../fakes/http-peer/http-peer.ts";
import { expectGoldenText, goldenText } from "../harness/remote-golden.ts";
import { GOLDEN_SCRIPTS } from "../harness/remote-golden-scripts.ts";
import { DirectHost, HostBehindProxy } from "../harness/remote-hosts.ts";
import { test } from "../harness/remote-test.ts";

describe.each(GOLDEN_SCRIPTS)("$name", (script) => {
  test("directly", async () => {
    const peer = await HttpPeer.start();
    expectGoldenText(script.name, await goldenText(peer, script, new DirectHost(peer, script)));
    await peer.close();
    expect(peer.faults).toEqual([]);
  });

  test("through the proxy", async ({ box, peer }) => {
    const host = new HostBehindProxy(box, peer, script);
    expectGoldenText(script.name, await goldenText(peer, script, host));
    expect(host.process.stderr.text()).toBe("");
  });
});
