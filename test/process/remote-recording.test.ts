/** A remote session is recorded as the same session over stdio would be; off at start it is relayed, and nothing is recorded. */

import { describe, expect } from "vitest";
import type { Run } from "../../src/core/run.ts";
import type { Step as ScriptStep } from "../fakes/scripted-peer.ts";
import { listRuns, onlyRun } from "../harness/recorded-runs.ts";
import {
  answerText,
  callLine,
  INITIALIZED,
  initializeParams,
  legacySession,
  modern,
  startRemote,
} from "../harness/remote-session.ts";
import { test } from "../harness/remote-test.ts";
import type { RunningProcess } from "../harness/running-process.ts";
import { Sandbox } from "../harness/sandbox.ts";

/** What the host writes, and what the server answers to it; each in turn. */
type Turn = { say: string; answer: string | null };

const line = (message: object) => JSON.stringify({ jsonrpc: "2.0", ...message });
const modernCall = (id: unknown, params: object) => line({ id, method: "tools/call", params: modern(params) });

const HANDSHAKE: readonly Turn[] = [
  {
    say: line({ id: 0, method: "initialize", params: initializeParams() }),
    answer: line({
      id: 0,
      result: { protocolVersion: "2025-11-25", capabilities: {}, serverInfo: { name: "s", version: "1" } },
    }),
  },
  { say: INITIALIZED.trim(), answer: null },
];

const SESSIONS: readonly [string, readonly Turn[]][] = [
  [
    "of the handshake era",
    [
      ...HANDSHAKE,
      { say: callLine("1", '{"text":"é","n":1.0,"password":"hunter2"}').trim(), answer: answerText("1", '{"a":1.50}') },
      { say: callLine('"1"', "{}", "other").trim(), answer: line({ id: "1", result: { content: [], isError: true } }) },
      { say: callLine("3").trim(), answer: line({ id: 3, error: { code: -32_602, message: "no such text" } }) },
      {
        say: '{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"echo","_meta":{"claudecode/toolUseId":"toolu_9"}}}',
        answer: answerText("4", `"${"z".repeat(200_000)}"`),
      },
      { say: line({ id: 5, method: "tools/list" }), answer: line({ id: 5, result: { tools: [] } }) },
    ],
  ],
  [
    "of 2026-07-28",
    [
      {
        say: line({ id: "d", method: "server/discover", params: modern() }),
        answer: line({ id: "d", result: { supportedVersions: ["2026-07-28"], capabilities: {} } }),
      },
      {
        say: modernCall(1, { name: "ask", arguments: { q: "?" } }),
        answer: line({
          id: 1,
          result: {
            resultType: "input_required",
            requestState: "s/1",
            inputRequests: { a: { method: "elicitation/create", params: {} } },
          },
        }),
      },
      {
        say: modernCall(2, {
          name: "ask",
          arguments: { q: "?" },
          requestState: "s/1",
          inputResponses: { a: { action: "accept" } },
        }),
        answer: line({ id: 2, result: { resultType: "complete", content: [{ type: "text", text: "done" }] } }),
      },
      {
        say: modernCall(3, { name: "refused", arguments: {} }),
        answer: line({ id: 3, error: { code: -32_021, message: "capability is missing" } }),
      },
    ],
  ],
];

async function talk(host: RunningProcess, turns: readonly Turn[]): Promise<void> {
  let answers = 0;
  for (const { say, answer } of turns) {
    await host.write(`${say}\n`);
    if (answer !== null) await host.stdout.untilLines(++answers);
  }
  expect(await host.finish()).toEqual({ code: 0, signal: null });
  expect(host.stdout.lines()).toEqual(turns.flatMap(({ answer }) => answer ?? []));
}

/** A run without what is new each time. */
function lasting({ id: _id, startedAt: _at, endedAt: _end, steps, notes, ...run }: Run) {
  return {
    ...run,
    notes: notes.map(({ at: _noteAt, seq: _noteSeq, ...note }) => note),
    steps: steps.map(({ id: _stepId, startedAt: _stepAt, durationMs, waitingMs: _waiting, seq: _seq, ...step }) => ({
      ...step,
      wasTimed: durationMs !== null,
    })),
  };
}

describe.each(SESSIONS)("a session %s", (_, turns) => {
  test("leaves the same run as over stdio", async ({ box, peer }) => {
    peer.serve((exchange) => {
      const turn = turns.find(({ say }) => say === exchange.text);
      if (exchange.method === "GET") exchange.reply(405);
      else if (turn === undefined) exchange.reply(400, "not in the script");
      else if (turn.answer === null) exchange.accept();
      else exchange.json(turn.answer, turn.answer.includes("-32021") ? 400 : 200);
    });
    await talk(startRemote(box, peer), turns);
    const remote = lasting(await onlyRun(box));

    const other = new Sandbox();
    const steps = turns.flatMap(({ say, answer }): ScriptStep[] => [
      { read: Buffer.byteLength(say) + 1 },
      ...(answer === null ? [] : [{ write: `${answer}\n`, encoding: "utf8" as const }]),
    ]);
    const upstream = other.fake("--quiet", "--script", other.file("script.json", JSON.stringify(steps)));
    await talk(other.startProxy(upstream), turns);
    const local = lasting(await onlyRun(other));
    await other.dispose();

    expect(remote.steps.length).toBeGreaterThan(1);
    expect({ ...remote, cwd: "" }).toEqual({ ...local, cwd: "" });
  });
});

describe("DEG-12 off at the start", () => {
  test.for([{ BIR_OFF: "1" }, {}])("%o: everything passes, nothing is recorded", async (env, { box, peer }) => {
    if (env.BIR_OFF === undefined) await box.bir(["off"]);
    const { host } = await legacySession(box, peer, {}, { env });
    expect((await host.call(1, "echo", { text: "x" })).result?.content).toEqual([{ type: "text", text: "x" }]);
    expect(await host.finish()).toEqual({ code: 0, signal: null });
    expect(peer.like("DELETE")).toHaveLength(1);
    expect(await listRuns(box)).toEqual([]);
  });

  test("--no-record: the same", async ({ box, peer }) => {
    const { host } = await legacySession(box, peer, {}, { flags: ["--no-record"] });
    await host.call(1, "echo");
    await host.finish();
    expect(await listRuns(box)).toEqual([]);
  });
});

describe("what went wrong is in the record", () => {
  test("a call that was lost, one that was refused, one that was cancelled", async ({ box, peer }) => {
    const host = startRemote(box, peer);
    peer.once("tools/call", (exchange) => exchange.drop());
    await host.write(`${modernCall(1, { name: "lost", arguments: {} })}\n`);
    await host.stdout.untilAnswer(1);
    peer.once("tools/call", (exchange) => exchange.reply(403, "secret words"));
    await host.write(`${modernCall(2, { name: "refused", arguments: {} })}\n`);
    await host.stdout.untilAnswer(2);
    const held = peer.next("tools/call");
    await host.write(`${modernCall(3, { name: "cancelled", arguments: {} })}\n`);
    const exchange = await held;
    await host.write(`${line({ method: "notifications/cancelled", params: { requestId: 3 } })}\n`);
    await peer.untilAbandoned(exchange);
    await host.finish();
    const { steps } = await onlyRun(box);
    expect(steps.map(({ tool, status }) => [tool, status])).toEqual([
      ["lost", "error"],
      ["refused", "error"],
      ["cancelled", "cancelled"],
    ]);
    expect(steps[0]?.error).toMatch(/^upstream connection lost before the answer/);
    expect(steps[1]?.error).toBe("upstream refused (HTTP 403)");
  });

  test("a call over a session that was begun anew is one step", async ({ box, peer }) => {
    const { host, server } = await legacySession(box, peer);
    await peer.untilCount("GET", 1);
    server.expire();
    await host.call(1, "echo");
    await host.finish();
    expect((await onlyRun(box)).steps.map(({ status }) => status)).toEqual(["ok"]);
  });
});

test("an id that hooks have put into a call does not reach the server, and is in the record no argument", async ({
  box,
  peer,
}) => {
  const { host } = await legacySession(box, peer, {}, { env: { BIR_CORRELATION_DECISION: "none" } });
  await host.write(callLine("1", '{"__bir_call_id__":"bir_1","text":"é","n":1.0}'));
  await host.stdout.untilAnswer(1);
  await host.finish();
  expect(peer.like("tools/call")[0]?.text).toBe(callLine("1", '{"text":"é","n":1.0}').trim());
  expect((await onlyRun(box)).steps[0]?.args).toEqual({ text: "é", n: 1 });
});
