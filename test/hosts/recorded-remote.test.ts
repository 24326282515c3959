/**
 * Claude Code with remote servers behind the proxy, over every way that MCP goes over HTTP: the session is the same as with
 * the server in the host's own configuration, and the record the same as of a server on stdio.
 */

import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect } from "vitest";
import type { Exchange } from "../fakes/http-peer/exchange.ts";
import { type Conversation, text, use } from "../fakes/model-api/script.ts";
import type { MarkedProcess } from "../harness/marked-processes.ts";
import { ask, byCall, expectEveryCall } from "./hosts/recorded-claude.ts";
import { FAILING, inProject, PARALLEL, RESULTS, TOOLS } from "./hosts/recorded-scripts.ts";
import { bothSessions, test } from "./hosts/remote-claude.ts";
import { expectStdioGolden } from "./hosts/remote-golden.ts";
import { behindProxy, installedRemotes, type RemotePeer, withEntry } from "./hosts/remote-servers.ts";
import { outcomeOf, toolResults } from "./hosts/sealed-claude.ts";

const PROMPT = "Go on";
const FORM = { type: "object", properties: { colour: { type: "string" } }, required: ["colour"] };
const ELICITATION = { message: "Which colour?", requestedSchema: FORM };

/** The server asks in a call: of the older versions with requests of its own, in 2026-07-28 with its result. */
function questions({ era }: RemotePeer): Conversation {
  const ask = (id: unknown, method: string, params?: object) => [use("mcp__fake__ask", { id, method, params })];
  const turns =
    era === "modern"
      ? [[use("mcp__fake__rounds", { rounds: 1 })], [use("mcp__fake__rounds", { rounds: 3, tag: "x" })]]
      : [ask("q", "elicitation/create", ELICITATION), ask(7, "roots/list"), ask(8, "sampling/createMessage", {})];
  return {
    name: "questions",
    prompt: "Let it ask",
    turns: [...turns, [use("mcp__fake__progress", { during: 3 })], [text("It has asked.")]],
  };
}

describe.for(installedRemotes())("Claude Code $version, $way", (peer) => {
  const isNew = peer.version === "2.1.332";

  test.for([TOOLS, FAILING, RESULTS])(
    "$name: the session is the same as with the server itself, and the record as over stdio",
    async (conversation, { box, claude, recorded, remote }) => {
      const script = inProject(box, conversation);
      writeFileSync(join(box.cwd, "note.txt"), "a note\n");
      const server = await remote(peer.way);
      const plain = await claude(peer.version, [script]);
      const claudeCode = await recorded(peer, [script]);
      const { direct, through } = await bothSessions(box, plain, claudeCode, server, script.prompt, () =>
        rmSync(join(box.cwd, "answer.txt"), { force: true }),
      );
      expect(direct.outcome.code).toBe(0);
      expect(through.lasting).toEqual(direct.lasting);
      expect(through.calls).toEqual(direct.calls);
      const runs = await claudeCode.runs();
      expectStdioGolden(box, peer, script.name, runs);
      expectEveryCall(runs, through.outcome);
    },
  );

  test("calls at the same time are told apart", async ({ box, recorded, remote }) => {
    writeFileSync(join(box.cwd, "note.txt"), "a note\n");
    const server = await remote(peer.way, { readOnly: true });
    const claudeCode = await recorded(peer, [inProject(box, PARALLEL)]);
    const outcome = await claudeCode.session(PARALLEL.prompt, withEntry(box, behindProxy(server)));
    expect(outcome).toMatchObject({ code: 0, result: "Done." });
    const runs = byCall(await claudeCode.runs());
    expectStdioGolden(box, peer, "parallel", runs);
    expectEveryCall(runs, outcome);
  });

  test("the server asks the host in a call, and tells of its progress", async ({ box, claude, recorded, remote }) => {
    const script = questions(peer);
    const server = await remote(peer.way);
    const plain = await claude(peer.version, [script]);
    const claudeCode = await recorded(peer, [script]);
    const { direct, through } = await bothSessions(box, plain, claudeCode, server, script.prompt);
    expect(direct.outcome).toMatchObject({ code: 0, result: "It has asked." });
    expect(through.lasting).toEqual(direct.lasting);
    const runs = await claudeCode.runs();
    expectEveryCall(runs, through.outcome);
    const [first, second, third, last] = runs[0]?.steps ?? [];
    if (peer.era === "modern") {
      expect([first, second]).toMatchObject([{ legs: 2 }, { legs: 4 }]);
      expect(JSON.stringify(second?.result)).toContain("cancel");
      expect(third).toMatchObject({ tool: "progress", progress: 3 });
    } else {
      const said = [first, second, third].map((step) => JSON.stringify(step?.result));
      // The older version cannot ask anybody.
      expect(said[0]).toContain(isNew ? "cancel" : "Method not found");
      expect(said[1]).toContain(`file://${box.cwd}`);
      expect(said[2]).toContain("Method not found");
      // It does not ask for progress, either.
      expect(last).toMatchObject({ tool: "progress", progress: isNew ? 3 : 0 });
    }
  });

  // 2026-07-28 knows no sessions.
  if (peer.way !== "stateless") {
    test("the server forgets its session between two calls: nobody sees it", async ({
      box,
      claude,
      recorded,
      remote,
    }) => {
      const server = await remote(peer.way);
      const script: Conversation = {
        name: "forgets",
        prompt: PROMPT,
        turns: [
          echo("one"),
          () => ({ content: echo("two"), after: Promise.resolve(server.forget()) }),
          echo("three"),
          [text("Done.")],
        ],
      };
      const plain = await claude(peer.version, [script]);
      const claudeCode = await recorded(peer, [script]);
      const { direct, through } = await bothSessions(box, plain, claudeCode, server, PROMPT);
      expect(through.outcome).toMatchObject({ code: 0, result: "Done." });
      // The newest version heals Streamable HTTP by itself, but tells its model; the others fail from then on.
      if (isNew && peer.way === "streamable") expect(through.lasting.rows).toEqual(direct.lasting.rows);
      else expect(toolResults(direct.outcome).get("toolu_forgets_2_0")).toMatchObject({ is_error: true });
      const runs = await claudeCode.runs();
      expect(runs).toMatchObject([
        { status: "completed", lossy: false, notes: [], steps: ["one", "two", "three"].map(echoed) },
      ]);
      expectEveryCall(runs, through.outcome);
    });
  }

  test("the server breaks off a call, goes away and comes back", async ({ box, recorded, remote }) => {
    const server = await remote(peer.way);
    const claudeCode = await recorded(peer, [
      { name: "first", prompt: "Before.", turns: [echo("one"), echo("broken"), echo("two"), [text("So far.")]] },
      { name: "second", prompt: "Meanwhile.", turns: [echo("nobody there"), [text("Nobody.")]] },
      { name: "third", prompt: "After.", turns: [echo("three"), echo("four"), [text("There again.")]] },
      { name: "fourth", prompt: "Once more.", turns: [echo("five"), [text("Back at once.")]] },
    ]);
    const breaksOff = (exchange: Exchange) => exchange.message.params?.arguments?.text === "broken";
    server.peer.once(breaksOff, (exchange) => exchange.reset());
    const fed = claudeCode.startFed(withEntry(box, behindProxy(server)));
    await ask(fed, "Before.");
    await server.goAway();
    await ask(fed, "Meanwhile.");
    await server.comeBack();
    await ask(fed, "After.");
    await server.goAway();
    await server.comeBack();
    await ask(fed, "Once more.");
    await fed.closeStdin();
    const outcome = await outcomeOf(fed);
    expect(outcome).toMatchObject({ code: 0, result: "Back at once." });
    const runs = await claudeCode.runs();
    const failed = (error: RegExp) => ({ tool: "echo", status: "error", error: expect.stringMatching(error) });
    expect(runs).toMatchObject([
      { steps: [echoed("one"), failed(/^upstream connection lost before the answer/), echoed("two")] },
      { steps: [failed(/^upstream unreachable/)] },
      { steps: [echoed("three"), echoed("four")] },
      { steps: [echoed("five")] },
    ]);
    expectEveryCall(runs, outcome);
    // What came of it nobody knows: it is not tried again.
    expect(server.peer.like(breaksOff)).toHaveLength(1);
  });

  test("a header that is a secret reaches the server, and nothing else", async ({ box, recorded, remote }) => {
    const secret = `opaque-${crypto.randomUUID()}`;
    const server = await remote(peer.way, {
      required: { authorization: `Bearer ${secret}`, "x-pass": secret, "x-team": "blue" },
    });
    const seen: MarkedProcess[] = [];
    const look = async () => seen.push(...box.survivors());
    const claudeCode = await recorded(peer, [
      {
        name: "secret",
        prompt: PROMPT,
        turns: [echo("one"), () => ({ content: echo("two"), after: look() }), [text("Done.")]],
      },
    ]);
    const headers = JSON.stringify({
      Authorization: `Bearer ${expanded("TEAM_TOKEN")}`,
      // The newest version blacks out what stands behind "Bearer" in its log.
      "X-Pass": expanded("TEAM_TOKEN"),
      "X-Team": expanded("TEAM:-blue"),
    });
    const entry = behindProxy(server, { BIR_UPSTREAM_HEADERS: headers, BIR_DEBUG: "all" });
    const outcome = await claudeCode.session(PROMPT, { ...withEntry(box, entry), env: { TEAM_TOKEN: secret } });
    expect(outcome).toMatchObject({ code: 0, result: "Done." });
    const runs = await claudeCode.runs();
    expect(runs).toMatchObject([{ status: "completed", steps: [echoed("one"), echoed("two")] }]);
    expect(seen.map(({ command }) => command)).toContainEqual(
      expect.stringContaining("proxy --server-name fake --url"),
    );
    expect(seen.filter(({ command }) => command.includes(secret))).toEqual([]);
    expect(filesWith(box.directory, secret)).toEqual([]);
    expect(JSON.stringify([outcome, runs])).not.toContain(secret);
    // What the host keeps of the proxy's own words was looked at too.
    expect(filesWith(box.directory, "[proxy]").join()).toContain("mcp-logs-fake");
  });

  test("a server that wants a sign-in: the session goes on without it", async ({ box, recorded, remote }) => {
    const server = await remote(peer.way, { required: { authorization: "Bearer nobody has it" } });
    const turns = [[use("Bash", { command: "echo alone", description: "Says alone" })], [text("Alone.")]];
    const claudeCode = await recorded(peer, [{ name: "alone", prompt: PROMPT, turns }]);
    const outcome = await claudeCode.session(PROMPT, withEntry(box, behindProxy(server)));
    expect(outcome).toMatchObject({ code: 0, result: "Alone." });
    expect(outcome.rows.find(({ subtype }) => subtype === "init")).toMatchObject({
      mcp_servers: [{ name: "fake", status: "failed" }],
    });
    expect(new Set(server.peer.exchanges.map(({ target }) => target))).toEqual(new Set([new URL(server.url).pathname]));
    expectEveryCall(await claudeCode.runs(), outcome);
  });
});

function echo(said: string) {
  return [use("mcp__fake__echo", { text: said })];
}

/** The step of an `echo` that was answered. */
function echoed(said: string): object {
  return { tool: "echo", args: { text: said }, status: "ok", result: { content: [{ type: "text", text: said }] } };
}

/** Where the host puts the value of this variable. */
function expanded(variable: string): string {
  return `\${${variable}}`;
}

/** The files below `directory` that hold `text`. */
function filesWith(directory: string, text: string): string[] {
  const entries = readdirSync(directory, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return paths.filter((path) => readFileSync(path).includes(text));
}
