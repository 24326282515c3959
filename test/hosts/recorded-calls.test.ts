/**
 * What one session of Claude Code leaves behind with hooks and proxies: its prompt, every call once with its real result,
 * reasoning, answer and usage; in golden files. And the session itself is the same as without recording.
 */

import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect } from "vitest";
import { type Conversation, text, use } from "../fakes/model-api/script.ts";
import { BUN, ROOT } from "../harness/locations.ts";
import { installedVersions, upstreamOf } from "./hosts/claude-peers.ts";
import { byCall, expectEveryCall, test } from "./hosts/recorded-claude.ts";
import { FAILING, inProject, PARALLEL, RESULTS, TOOLS } from "./hosts/recorded-scripts.ts";
import { lastingPart, withoutHookRows } from "./hosts/same-session.ts";

const READ_ONLY_UPSTREAM = join(ROOT, "test", "fakes", "read-only-upstream.ts");

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

const DYING: Conversation = {
  name: "dying",
  prompt: "Break it",
  turns: [
    [use("mcp__fake__die", { code: 7 })],
    [use("Bash", { command: "true", description: "Goes on" })],
    [text("I saw.")],
  ],
};

describe.for(installedVersions())("Claude Code $version", (peer) => {
  test.for([TOOLS, FAILING, RESULTS, INVALID])(
    "$name: the session is the same as without recording, and the run is whole",
    async (conversation, { box, claude, recorded }) => {
      const script = inProject(box, conversation);
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
    const claudeCode = await recorded(peer, [inProject(box, PARALLEL)]);
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
