/** What the scripted model does in the sessions whose records are kept in golden files; `PROJECT` stands for their directory. */

import { type Conversation, text, thinking, use } from "../../fakes/model-api/script.ts";
import type { Sandbox } from "../../harness/sandbox.ts";

export const TOOLS: Conversation = {
  name: "tools",
  prompt: "Use what you have",
  turns: [
    [
      thinking("First I look around."),
      text("I look around."),
      use("Bash", { command: "cat note.txt", description: "Shows the note" }),
    ],
    [thinking("The server may know more."), use("mcp__fake__echo", { text: "what else?", deep: [{ n: 1.5 }] })],
    {
      content: [text("I write it down."), use("Write", { file_path: "PROJECT/answer.txt", content: "forty-two\n" })],
      usage: { output_tokens: 7, cache_read_input_tokens: 300 },
    },
    [use("Read", { file_path: "PROJECT/answer.txt" })],
    [thinking("That is all."), text("The answer is forty-two.")],
  ],
};

export const FAILING: Conversation = {
  name: "failing",
  prompt: "Try what fails",
  turns: [
    [use("mcp__fake__fail", { text: "no such city" })],
    [use("mcp__fake__protocol-error")],
    [use("Bash", { command: "echo out; echo err >&2; exit 3", description: "Fails" })],
    [use("Read", { file_path: "PROJECT/missing.txt" })],
    [text("All failed.")],
  ],
};

export const RESULTS: Conversation = {
  name: "results",
  prompt: "Fetch all kinds",
  turns: [
    [use("mcp__fake__structured")],
    [use("mcp__fake__image")],
    [use("mcp__fake__links")],
    [use("mcp__fake__big", { bytes: 200 })],
    [text("Fetched.")],
  ],
};

export const PARALLEL: Conversation = {
  name: "parallel",
  prompt: "All at once",
  turns: [
    // Each `hold` is answered by the `release` alone, in another order.
    [
      thinking("These do not depend on each other."),
      use("mcp__fake__hold", { key: "a" }),
      use("mcp__fake__hold", { key: "b" }),
      use("Read", { file_path: "PROJECT/note.txt" }),
      use("mcp__fake__release", { keys: ["b", "a"] }),
    ],
    [text("Done.")],
  ],
};

/** The script with the project's directory in it. */
export function inProject(box: Sandbox, conversation: Conversation): Conversation {
  return JSON.parse(JSON.stringify(conversation).replaceAll("PROJECT", box.cwd));
}
