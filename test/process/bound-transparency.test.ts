/** A session that is told to a control server is, byte for byte, the session without it; what is told can be read. */

import { afterAll, beforeAll, describe, expect } from "vitest";
import { proxyBatchSchema, proxyRegistrationSchema } from "../../src/core/api/control.ts";
import { FakeControlServer } from "../fakes/control-server.ts";
import { GOLDEN_CASES } from "../harness/golden-cases.ts";
import { test } from "../harness/process-test.ts";
import { PROTOCOL_METHODS } from "../harness/protocol-methods.ts";
import type { Way } from "../harness/transcript.ts";
import { expectUntouched } from "../harness/untouched.ts";

let fake: FakeControlServer;
beforeAll(async () => {
  fake = await FakeControlServer.start();
});
afterAll(async () => await fake.close());

const bound = (): Way => ({ name: "bound", flags: [], env: fake.env });
/** Ids are taken out of calls; where there are none, nothing may change but when calls arrive. */
const takingIds = (): Way => ({
  name: "bound, taking ids",
  flags: [],
  env: { ...fake.env, BIR_CORRELATION_DECISION: "none" },
});

function expectReadable(from: number): void {
  for (const { route, text } of fake.requests.slice(from)) {
    const schema = route === "/proxy/register" ? proxyRegistrationSchema : proxyBatchSchema;
    expect(schema.safeParse(JSON.parse(text)).error?.issues ?? []).toEqual([]);
  }
}

describe("odd traffic arrives as it was sent", () => {
  test.for(GOLDEN_CASES)("$name", async ({ name, turns }, { box }) => {
    const from = fake.requests.length;
    // A call is held until its line ends.
    const ways = name.startsWith("no line feed") ? [bound()] : [bound(), takingIds()];
    await Promise.all(ways.map((way) => expectUntouched(box, way, turns)));
    expectReadable(from);
  });
});

describe("every method of the protocol", () => {
  test.for(PROTOCOL_METHODS)("$era $name", async ({ turns }, { box }) => {
    const from = fake.requests.length;
    await Promise.all([bound(), takingIds()].map((way) => expectUntouched(box, way, turns)));
    expectReadable(from);
  });
});
