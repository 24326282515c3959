/** `test` with a sandbox: `test("…", async ({ box }) => …)`. A process left over after the test fails it. */

import { test as plain } from "vitest";
import { Sandbox } from "./sandbox.ts";

export const test = plain.extend<{ box: Sandbox }>({
  box: async ({ task }, use) => {
    const box = new Sandbox();
    await use(box);
    await box.dispose(task.result?.state === "fail");
  },
});
