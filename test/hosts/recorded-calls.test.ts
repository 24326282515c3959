/**
 * What one session of Claude Code leaves behind with hooks and proxies: its prompt, every call once with its real result,
 * reasoning, answer and usage; in golden files. And the session itself is the same as without recording.
 */

import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect } from "vitest";
import { type Conversation, text, thinking, use } from "../fakes/model-api/script.ts";
import { BUN, ROOT } from "../harness/locations.ts";
import type { Sandbox } from "../harness/sandbox.ts";
import { installedVersions, upstreamOf } from "./hosts/claude-peers.ts";
import { byCall, expectEveryCall, test } from "./hosts/recorded-claude.ts";
import { lastingPart, withoutHookRows } from "./hosts/same-session.ts";

const READ_ONLY_UPSTREAM = join(ROOT, "test", "fakes", "read-only-upstream.ts");

const TOOLS: Conversation = {
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

const FAILING: Conversation = {
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

const RESULTS: Conversation = {
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

const INVALID: Conversation = {
  name: "invalid",
  prompt: "Call it wrongly",
  turns: [
    [text("Two at once."), use("Read", { path: 5 }), use("Bash", { command: "echo valid", description: "Says valid" })],
    [use("NoSuchTool", { a: 1 })],
    [use("mcp__fake__no-such-tool", { a: 1 })],
    [text("Enough.")],
  ],
};

const PARALLEL: Conversation = {
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

const DYING: Conversation = {
  name: "dying",
  prompt: "Break it",
  turns: [
    [use("mcp__fake__die", { code: 7 })],
    [use("Bash", { command: "true", description: "Goes on" })],
    [text("I saw.")],
  ],
};

/** The scripts with the project's directory in them. */
function of(box: Sandbox, conversation: Conversation): Conversation {
  return JSON.parse(JSON.stringify(conversation).replaceAll("PROJECT", box.cwd));
}

describe.for(installedVersions())("Claude Code $version", (peer) => {
  test.for([TOOLS, FAILING, RESULTS, INVALID])(
    "$name: the session is the same as without recording, and the run is whole",
    async (conversation, { box, claude, recorded }) => {
      const script = of(box, conversation);
      writeFileSync(join(box.cwd, "note.txt"), "a note\n");
      const plain = await claude(peer.version, [script]);
      const servers = { fake: upstreamOf(box, peer) };
      const allowed = ["Bash", "Read", "Write"];
      const direct = await plain.session({ prompt: script.prompt, servers, allowed, home: "home-plain" });
      rmSync(join(box.cwd, "answer.txt"), { force: true });
      const claudeCode = await recorded(peer, [script]);
      const outcome = await claudeCode.session(script.prompt, { allowed });
      expect(direct.code).toBe(0);
      expect(withoutHookRows(lastingPart(box, "home", outcome, claudeCode.host.model.requests))).toEqual(
        withoutHookRows(lastingPart(box, "home-plain", direct, plain.model.requests)),
      );
      const runs = await claudeCode.expectGolden(script.name);
      expectEveryCall(runs, outcome);
    },
  );

  test("calls at the same time are told apart", async ({ box, recorded }) => {
    writeFileSync(join(box.cwd, "note.txt"), "a note\n");
    const claudeCode = await recorded(peer, [of(box, PARALLEL)]);
    const upstream = [BUN, READ_ONLY_UPSTREAM, "--era", peer.era];
    const servers = { fake: claudeCode.behindProxy(upstream) };
    const outcome = await claudeCode.session(PARALLEL.prompt, { servers });
    expect(outcome).toMatchObject({ code: 0, result: "Done." });
    expectEveryCall(await claudeCode.expectGolden("parallel", byCall), outcome);
  });

  test("a server that dies in a call", async ({ recorded }) => {
    const claudeCode = await recorded(peer, [DYING]);
    const outcome = await claudeCode.session(DYING.prompt);
    expect(outcome).toMatchObject({ code: 0, result: "I saw." });
    expectEveryCall(await claudeCode.expectGolden("server-dies"), outcome);
  });
});
