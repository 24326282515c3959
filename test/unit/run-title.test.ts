/** What a run without a prompt is called: the same in the list, beside the run, in a comparison, over what was found. */

import { describe, expect, test } from "vitest";
import { calledTools, untitledRun } from "../../src/core/text/run-title.ts";
import { runTitle } from "../../src/viewer/ui/run-title.ts";
import { eventfulRun, RUN_A } from "./cli-fixture.ts";
import { IndexedStore, query } from "./store-index-fixture.ts";

const step = (server: string | null, tool: string) => ({ server, tool });

describe("a run without a prompt", () => {
  test.each([
    [[step("everything", "echo")], "everything › echo"],
    [[step("everything", "get-sum"), step("everything", "echo")], "everything › get-sum, echo"],
    [
      [step("everything", "echo"), step("everything", "get-sum"), step("everything", "get-sum")],
      "everything › get-sum, echo",
    ],
    [[step("files", "read"), step("everything", "echo")], "files › read; everything › echo"],
    [[step(null, "Bash"), step(null, "Read"), step("files", "read")], "Bash, Read; files › read"],
    [["d", "c", "b", "a"].map((tool) => step("s", tool)), "s › d, c, b, …"],
    [[step("s\u202e", "t\u001b")], "s\\u{202e} › t\\x1b"],
    [[step(null, "")], "A run without calls"],
  ])("%j is called by its tools", (steps, title) => {
    expect(untitledRun(calledTools(steps))).toBe(title);
    expect(runTitle(" \n", calledTools(steps))).toEqual({ text: title, isPrompt: false });
    expect(runTitle("Do it", calledTools(steps))).toEqual({ text: "Do it", isPrompt: true });
  });

  test("is told so while its tools are not known", () => {
    expect(runTitle(null, null).text).toBe("A run without a prompt");
  });

  test("has the same name from its calls, in the list, and over what was found", () => {
    using store = new IndexedStore().record(eventfulRun());
    const finder = store.finder();
    const steps = store.reader().run(RUN_A)?.steps ?? [];
    const name = untitledRun(calledTools(steps));
    expect(untitledRun(finder.item(RUN_A)?.tools ?? null)).toBe(name);
    const [hit] = finder.hits(query("tool:echo"), null, 1).hits;
    expect(untitledRun(hit?.run.tools ?? null)).toBe(name);
  });
});
