/** What a test needs and this machine may lack. With BIR_TEST_REQUIRE=all a lack is a failure, else a named skip. */

import { type TestContext, test } from "vitest";

const required = process.env.BIR_TEST_REQUIRE === "all";

/** Call first in a test: skips it, saying why, unless `present`. */
export function needs(context: TestContext, present: boolean, reason: string): void {
  if (present) return;
  if (required) throw new Error(`required, but ${reason}`);
  context.skip(reason);
}

/** For a whole file: registers one failing or skipped test that says why, and tells whether to go on. */
export function fileNeeds(present: boolean, reason: string): boolean {
  if (!present) {
    test(`needs: ${reason}`, (context) => needs(context, false, reason));
  }
  return present;
}
