/**
 * What the browser tests look at: sessions that are recorded when a test file begins. One of each kind that a person meets.
 */

import { SERVER_EVERYTHING } from "../harness/locations.ts";
import type { Sandbox } from "../harness/sandbox.ts";
import { RecordedSession } from "./recorded-session.ts";

/** What an agent says when it is done with the first session's prompt. */
export const ANSWER = "Fixed: `parse()` **rejected** empty input.\n\n- added a test\n- ran all of them";
export const PROMPT = "Why does the parser reject empty input?\nFind it, fix it, and run the tests.";
/** Its first line: what lists call the runs that it was asked in. */
export const ASKED = PROMPT.split("\n")[0] ?? "";

/** Text that would do harm if a page took it for anything but text. */
export const HOSTILE = [
  "<script>window.harmed=1</script>",
  '<img src=x onerror="window.harmed=2">',
  "</script><script>window.harmed=3</script>",
  "[click](javascript:window.harmed=4)",
  "\u001b[31mred\u001b[0m \u001b]8;;javascript:window.harmed=5\u0007link\u001b]8;;\u0007",
  "right \u202eto left\u202c \u2066isolated\u2069",
  "nul \u0000 bell \u0007 lone \ud800 end",
  "__proto__ constructor {{window.harmed=6}}",
].join("\n");

/** Three prompts of two sessions: a fix with a subagent and a failing command, the same again, and hostile content. */
export async function recordSessions(box: Sandbox): Promise<void> {
  const first = new RecordedSession(box, 1);
  await first.start({ everything: [process.execPath, SERVER_EVERYTHING], fake: box.fake("--quiet") });
  await first.prompt(PROMPT);
  await fix(first, "agent-1", "Tests: 41 passed, 1 failed");
  await first.stop(ANSWER);
  await first.prompt(PROMPT);
  await fix(first, "agent-2", "Tests: 42 passed");
  await first.stop(ANSWER);
  await first.end();

  const second = new RecordedSession(box, 2);
  await second.start({ fake: box.fake("--quiet") });
  await second.prompt(HOSTILE);
  await second.call("fake", "echo", { text: HOSTILE, [HOSTILE]: [HOSTILE], nested: { "<b>key</b>": HOSTILE } });
  await second.call("fake", "fail", { text: HOSTILE });
  await second.call("fake", "big", { bytes: 1_000_000 });
  await second.builtIn("Bash", { command: HOSTILE, description: HOSTILE }, { stdout: HOSTILE, stderr: HOSTILE });
  await second.stop(HOSTILE);
  await second.end();
}

async function fix(session: RecordedSession, agentId: string, outcome: string): Promise<void> {
  await session.builtIn(
    "Read",
    { file_path: "/home/dev/parser.ts" },
    { file: { content: "export function parse() {}\n" } },
  );
  await session.call("everything", "echo", { message: "hello from the agent" });
  await session.call("everything", "get-sum", { a: 2, b: 40 });
  await session.builtInFailure("Bash", { command: "npm test" }, `Exit code 1\n${outcome}`);
  const edit = {
    file_path: "/home/dev/parser.ts",
    old_string: "if (!text) throw",
    new_string: "if (text === null) throw",
  };
  await session.builtIn("Edit", edit, { filePath: edit.file_path, structuredPatch: [] });
  await session.agent(agentId, "Look for other callers of parse()", "There are **two** callers.", async (agent) => {
    await session.builtIn(
      "Grep",
      { pattern: "parse\\(" },
      { numFiles: 2 },
      { agent_id: agent, agent_type: "general-purpose" },
    );
    await session.call("fake", "echo", { text: "from the subagent" }, agent);
  });
  await session.call("fake", "structured", {});
  await session.call("fake", "image", {});
  await session.call("fake", "fail", { text: "no such table" });
}
