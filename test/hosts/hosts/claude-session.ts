/** `test` with a sealed Claude Code: `test("…", async ({ box, claude }) => …)`. Owns nothing else. */

import { expect } from "vitest";
import type { Conversation } from "../../fakes/model-api/script.ts";
import { test as boxTest } from "../../harness/process-test.ts";
import type { ClaudeVersion } from "../installed.ts";
import { SealedClaude } from "./sealed-claude.ts";

/** `claude(version, conversations)` starts it for a test; the traffic is judged when the test is over. */
export const test = boxTest.extend<{
  claude: (version: ClaudeVersion, conversations: readonly Conversation[]) => Promise<SealedClaude>;
}>({
  claude: async ({ box, task }, use) => {
    const started: SealedClaude[] = [];
    await use(async (version, conversations) => {
      const sealed = await SealedClaude.start(box, version, conversations);
      started.push(sealed);
      return sealed;
    });
    for (const sealed of started) await sealed.close();
    if (task.result?.state !== "fail") for (const sealed of started) expect(sealed.strayTraffic()).toEqual([]);
  },
});
