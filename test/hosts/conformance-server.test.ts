/**
 * The official server scenarios against a fixture that hosts all they need: directly, and with the proxy between the fixture
 * and an HTTP front. What they find must be the same, check by check, and the proxy must leave
 * no session and no subscription behind.
 */

import { describe, expect } from "vitest";
import { BIR } from "../harness/locations.ts";
import { test } from "../harness/process-test.ts";
import { fileNeeds } from "../harness/requirement.ts";
import { exceptionsIn, SERVER_EXCEPTIONS, verdictsOf } from "./conformance/exceptions.ts";
import { serveFixture } from "./conformance/fixture.ts";
import { serveFront } from "./conformance/front.ts";
import { LATEST_LEGACY, MODERN } from "./conformance/message.ts";
import { RUN_MS, runSuite } from "./conformance/suite.ts";
import { conformance } from "./installed.ts";

const { lack } = conformance();

/** How many scenarios the requirement sets name, so that none is lost unseen. */
const SETS = [
  { version: LATEST_LEGACY, count: 33 },
  { version: MODERN, count: 50 },
];

/** Two runs of the suite. */
const TIME = { timeout: 2.2 * RUN_MS };

if (fileNeeds(lack === undefined, lack ?? "")) {
  describe("the official server scenarios", () => {
    test.for(SETS)(
      "requirements $version: the same verdicts directly and through the proxy",
      TIME,
      async (set, { box }) => {
        const fixture = await serveFixture();
        const command = [BIR, "proxy", "--server-name", "suite", "--url", fixture.url];
        const front = await serveFront({ command, env: box.env() });
        try {
          const args = ["--requirements", set.version, "--url"];
          const direct = await runSuite(box, ["server", ...args, fixture.url]);
          expect(direct.scenarios).toHaveLength(set.count);
          expect(exceptionsIn(direct.scenarios), direct.output).toEqual(SERVER_EXCEPTIONS[set.version]);
          const left = fixture.sessions();
          const through = await runSuite(box, ["server", ...args, front.url]);
          expect(verdictsOf(through.scenarios), through.output).toEqual(verdictsOf(direct.scenarios));
          await front.close();
          await expect.poll(() => [fixture.sessions(), fixture.subscribers()]).toEqual([left, 0]);
        } finally {
          await front.close();
          await fixture.close();
        }
      },
    );
  });
}
