/** Many calls at once to a remote server that drops streams and forgets sessions. `bun run bench:load` is the same at full size. */

import { expect } from "vitest";
import { runLoad } from "../../bench/remote/load/run-load.ts";
import { BIR } from "../harness/locations.ts";
import { test } from "../harness/process-test.ts";

const CALLS = 600;

test("600 calls, 100 at once, streams dropped and sessions expired: each answered once and recorded", async ({
  box,
}) => {
  const { faults, calls, recorded, server } = await runLoad({
    executable: BIR,
    env: box.env(),
    home: box.birHome,
    inFlight: 100,
    maxDelayMs: 100,
    callsPerSession: 150,
    wantsMore: (made) => made < CALLS,
    sampleMs: 60_000,
  });
  expect(faults).toEqual([]);
  expect({ calls, recorded }).toEqual({ calls: CALLS, recorded: CALLS });
  // The server did what this is about.
  expect(server.resumed).toBeGreaterThan(20);
  expect(server.expired).toBeGreaterThan(2);
  expect(server.pings).toBeGreaterThan(0);
});
