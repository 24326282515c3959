/** The control server under many sessions at once, and killed on the way. `bun bench/soak.ts` is the same at full size. */

import { expect } from "vitest";
import { test } from "../harness/process-test.ts";
import { soak } from "./soak-sessions.ts";

test("four sessions at once, the server killed twice: every call once, in its own prompt's run", async ({ box }) => {
  const plan = { sessions: 4, prompts: 5, callsPerPrompt: 5, kills: 2, realHookEvery: 5 };
  const { faults, calls, kills } = await soak(box, plan);
  expect(faults).toEqual([]);
  expect({ calls, kills }).toEqual({ calls: 100, kills: 2 });
});
