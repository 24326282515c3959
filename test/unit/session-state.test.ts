/** What the proxy remembers of a session apart from the record: who waits for an answer, and how the session began. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readMessages } from "../../src/jsonrpc/message.ts";
import { REPEATED_ID } from "../../src/jsonrpc/repeated-handshake.ts";
import { Handshake } from "../../src/proxy/handshake.ts";
import { HandshakeReplay } from "../../src/proxy/handshake-replay.ts";
import { appOfClient } from "../../src/proxy/host-keys.ts";
import { InFlight } from "../../src/proxy/in-flight.ts";
import type { MessageObserver } from "../../src/proxy/observed-message.ts";
import { unavailableAnswer } from "../../src/proxy/unavailable.ts";
import { exitStatus, signalExitStatus } from "../../src/upstream/exit-status.ts";
import { answer, call, cancelled, notification, request, resultOf } from "./wire-fixture.ts";

function feed(observer: MessageObserver, direction: "to-upstream" | "to-host", ...messages: unknown[]): void {
  for (const written of messages) {
    const text = typeof written === "string" ? written : JSON.stringify(written);
    for (const message of readMessages(text)) {
      observer.see({ direction, message, text, tail: null, totalBytes: text.length, at: 1 });
    }
  }
}

describe("requests in flight", () => {
  const ids = (inFlight: InFlight) => inFlight.take().map(({ rawId }) => rawId);

  test("are those of the host that were neither answered nor cancelled, as the host wrote their ids", () => {
    const inFlight = new InFlight();
    feed(
      inFlight,
      "to-upstream",
      call(1),
      call("1"),
      request(2, "ping"),
      call(3),
      '{"id":4.0,"method":"x"}',
      call(null),
    );
    feed(
      inFlight,
      "to-upstream",
      '{"id":"\\u0061","method":"x"}',
      [call(6), call(7)],
      cancelled(3),
      cancelled("nobody"),
    );
    feed(inFlight, "to-host", answer(1), resultOf(7, {}), request("1", "roots/list"), '{"id":"1x","error":{}}');
    feed(inFlight, "to-upstream", resultOf("1", {}), notification("notifications/cancelled"));
    expect(ids(inFlight)).toEqual(['"1"', "2", "4.0", '"\\u0061"', "6"]);
    expect(ids(inFlight)).toEqual([]);
  });

  test("of the stateless protocol are known as such", () => {
    const inFlight = new InFlight();
    const _meta = { "io.modelcontextprotocol/protocolVersion": "2026-07-28" };
    feed(inFlight, "to-upstream", call(1, "echo", { _meta }), call(2));
    expect(inFlight.take()).toEqual([
      { rawId: "1", method: "tools/call", stateless: true },
      { rawId: "2", method: "tools/call", stateless: false },
    ]);
  });
});

describe("an answer in place of a server", () => {
  const read = (line: string) => {
    expect(line.endsWith("}\n")).toBe(true);
    expect(line.slice(0, -1)).not.toContain("\n");
    return JSON.parse(line);
  };
  const message = 'MCP server "a \\"quoted\\" name" is not available';

  test("to a tool call is a result that a model can read", () => {
    const line = unavailableAnswer({ rawId: "1.0", method: "tools/call", stateless: false }, 'a \\"quoted\\" name');
    expect(line).toContain('"id":1.0,');
    expect(read(line)).toEqual({
      jsonrpc: "2.0",
      id: 1,
      result: { content: [{ type: "text", text: message }], isError: true },
    });
  });

  test("in the stateless protocol says that it is complete", () => {
    const line = unavailableAnswer({ rawId: '"x"', method: "tools/call", stateless: true }, "s");
    expect(read(line)).toMatchObject({ id: "x", result: { resultType: "complete", isError: true } });
  });

  test("to anything else is an error outside of the protocol's own range", () => {
    const line = unavailableAnswer({ rawId: "12345678901234567890", method: "tools/list", stateless: false }, "s\n");
    expect(line).toContain('"id":12345678901234567890,');
    expect(read(line).error).toEqual({ code: -32000, message: 'MCP server "s\n" is not available' });
  });
});

describe("the handshake", () => {
  const initialize = '{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"clientInfo":{"name":"a"}},"id":0}';
  const initialized = '{"method":"notifications/initialized","jsonrpc":"2.0","params":{"x":1.0}}';

  test("is repeated as the host wrote it, under an id of ours", () => {
    const handshake = new Handshake();
    expect([handshake.initializeLine(), handshake.initializedLine()]).toEqual([null, null]);
    feed(handshake, "to-upstream", initialize, `${initialized}\r`, call(1));
    feed(handshake, "to-host", request(9, "initialize", { not: "the host's" }));
    expect(JSON.parse(handshake.initializeLine() ?? "")).toEqual({
      jsonrpc: "2.0",
      id: REPEATED_ID,
      method: "initialize",
      params: { clientInfo: { name: "a" } },
    });
    expect(handshake.initializeLine()?.endsWith("}\n")).toBe(true);
    expect(handshake.initializedLine()).toBe(`${initialized}\n`);
  });

  test("in a batch: nothing else of the batch is sent twice", () => {
    const handshake = new Handshake();
    feed(handshake, "to-upstream", [notification("notifications/initialized"), call(1)]);
    expect(JSON.parse(handshake.initializedLine() ?? "")).toEqual({
      jsonrpc: "2.0",
      method: "notifications/initialized",
    });
    feed(handshake, "to-upstream", [JSON.parse(initialize), call(1)]);
    expect(handshake.initializeLine()).toBeNull();
  });

  describe("repeated", () => {
    const answered = `{"result":{"instructions":"${"é".repeat(50)}"},"id":"${REPEATED_ID}","jsonrpc":"2.0"}\n`;
    const others = [
      "Server listening\n",
      `{"method":"notifications/message","params":{"about":"${REPEATED_ID}"}}\n`,
      "\n",
      '{"id":1,"method":"roots/list"}\r\n',
    ];

    test("keeps its answer from the host, and nothing else, however it comes in pieces", () => {
      fc.assert(
        fc.property(
          fc.subarray(others),
          fc.subarray(others),
          fc.integer({ min: 1, max: 300 }),
          (before, after, size) => {
            const input = Buffer.from([...before, answered, ...after, "half a line"].join(""));
            const replay = new HandshakeReplay();
            const passed: Buffer[] = [];
            for (let from = 0; from < input.length; from += size) {
              const chunk = Buffer.from(input.subarray(from, from + size));
              passed.push(Buffer.from(replay.filter(chunk)));
              chunk.fill(0xff);
            }
            expect(Buffer.concat(passed).toString()).toBe([...before, ...after, "half a line"].join(""));
          },
        ),
      );
    });

    test("says when it has been answered", async () => {
      const replay = new HandshakeReplay();
      let isAnswered = false;
      void replay.answered.then(() => {
        isAnswered = true;
      });
      replay.filter(Buffer.from(others.join("") + answered.slice(0, -1)));
      await Promise.resolve();
      expect(isAnswered).toBe(false);
      replay.filter(Buffer.from("\n"));
      await replay.answered;
    });

    test("passes whole lines while it waits", () => {
      const replay = new HandshakeReplay();
      expect(Buffer.from(replay.filter(Buffer.from("one\ntwo\nth"))).toString()).toBe("one\ntwo\n");
      expect(Buffer.from(replay.filter(Buffer.from("ree\n"))).toString()).toBe("three\n");
    });

    test("holds a long line without going through it again and again", () => {
      const replay = new HandshakeReplay();
      const piece = Buffer.alloc(64, 0x61);
      for (let i = 0; i < 200_000; i++) replay.filter(piece);
      expect(replay.filter(Buffer.from("\n")).length).toBe(200_000 * 64 + 1);
    });
  });
});

describe("exit statuses", () => {
  test.each([
    [0, null, 0],
    [7, null, 7],
    [143, "SIGTERM", 143],
    [null, "SIGKILL", 137],
    [135, "SIGBUS", 135],
    [162, 34, 162],
    [null, null, 1],
    [0, "SIGSEGV", 139],
  ])("exited %j by %j is %i", (exited, signal, status) => {
    expect(exitStatus(exited, signal)).toBe(status);
  });

  test.each([
    ["SIGHUP", 129],
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ])("ending by %s is %i", (signal, status) => {
    expect(signalExitStatus(signal)).toBe(status);
  });

  test
    .runIf(process.platform !== "win32")
    .each(["HUP", "INT", "QUIT", "ABRT", "KILL", "BUS", "SEGV", "PIPE", "ALRM", "TERM", "USR1"])(
    "a child that dies by %s ends as a shell would tell it",
    async (signal) => {
      const child = Bun.spawn(["sh", "-c", `ulimit -c 0; kill -${signal} $$`]);
      const shell = Bun.spawnSync(["sh", "-c", `sh -c 'ulimit -c 0; kill -${signal} $$' 2>/dev/null; exit $?`]);
      expect(exitStatus(await child.exited, child.signalCode)).toBe(shell.exitCode);
    },
  );
});

test.each([
  ["claude-code", "claude-code"],
  ["codex-mcp-client", "codex"],
  ["gemini-cli-mcp-client", "gemini-cli"],
  ["qwen-cli-mcp-client-fake", "qwen-code"],
  ["@cline/core", "cline"],
  ["cursor-vscode", "cursor"],
  ["Visual Studio Code - Insiders", "vscode"],
  ["copilot-cli", "copilot-cli"],
  ["opencode", "opencode"],
  ["", ""],
])("the client %j is the application %j", (clientName, app) => {
  expect(appOfClient(clientName)).toBe(app);
});
