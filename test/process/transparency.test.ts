/**
 * The core promise: a session through the proxy is, byte for byte, the session without it.
 * Each exchange runs directly (which proves the harness) and in every way through the proxy.
 */

import { readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect } from "vitest";
import { GOLDEN_CASES } from "../harness/golden-cases.ts";
import { BIR } from "../harness/locations.ts";
import { test } from "../harness/process-test.ts";
import { PROTOCOL_METHODS } from "../harness/protocol-methods.ts";
import { listRuns, showRun } from "../harness/recorded-runs.ts";
import { commandFor, DEBUGGING, DIRECT, PIPES, RECORDING, THROUGH } from "../harness/transcript.ts";
import { expectSameBytes, expectUntouched } from "../harness/untouched.ts";

const EVERY_WAY = [DIRECT, ...THROUGH];

describe("odd traffic arrives as it was sent", () => {
  test.for(GOLDEN_CASES)("$name", async ({ turns }, { box }) => {
    await Promise.all(EVERY_WAY.map((way) => expectUntouched(box, way, turns)));
    // Whatever passed, what is left of it can be read.
    for (const { id } of await listRuns(box)) {
      expect((await showRun(box, id)).steps.length).toBeGreaterThan(0);
      expect(await box.bir(["run", "show", id])).toMatchObject({ code: 0, stderr: "" });
      expect(await box.bir(["run", "export", id, "--format", "ndjson"])).toMatchObject({ code: 0, stderr: "" });
    }
  });
});

describe("every method of the protocol, asked by the host and by the upstream", () => {
  test.for(PROTOCOL_METHODS)("$era $name", async ({ turns }, { box }) => {
    await Promise.all([DIRECT, RECORDING, DEBUGGING].map((way) => expectUntouched(box, way, turns)));
  });
});

describe.each([...EVERY_WAY, PIPES])("as soon as it arrives ($name)", (way) => {
  test("the first half of a line is not kept back for the second", async ({ box }) => {
    const request = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"t":"😀"}}}\n';
    const answer = '{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"😀"}]}}\n';
    const halves = (line: string, at: number) => [Buffer.from(line).subarray(0, at), Buffer.from(line).subarray(at)];
    const [up1 = "", up2 = ""] = halves(request, 30);
    const [down1 = "", down2 = ""] = halves(answer, 25);
    // Each half of one side is sent only when the other side's half has arrived.
    await expectUntouched(box, way, [{ up: up1 }, { down: down1 }, { up: up2 }, { down: down2 }]);
  });

  test("every single byte of an exchange, one at a time", async ({ box }) => {
    const log = box.file("received");
    const host = box.start(commandFor(way, box.fake("--quiet", "--cat", "--log", log)), { env: way.env ?? {} });
    const bytes = Buffer.from('{"jsonrpc":"2.0","id":"é","method":"tools/call","params":{"name":"😀"}}\r\n\n[1.0]\nx');
    for (let n = 0; n < bytes.length; n++) {
      await host.write(bytes.subarray(n, n + 1));
      await host.stdout.untilSize(n + 1);
    }
    expect(await host.finish()).toEqual({ code: 0, signal: null });
    expectSameBytes(host.stdout.bytes(), bytes, "echoed");
    expectSameBytes(readFileSync(log), bytes, "received");
  });

  test("any bytes in pieces of any size", async ({ box }) => {
    const host = box.start(commandFor(way, box.fake("--quiet", "--cat")), { env: way.env ?? {} });
    const sent: Buffer[] = [];
    let total = 0;
    const line = fc.oneof(
      fc.json({ noUnicodeString: false } as object),
      fc.string({ unit: "binary" }),
      fc.constant("\r"),
    );
    const piece = fc.oneof(
      fc.uint8Array({ maxLength: 200 }),
      fc.array(line, { maxLength: 20 }).map((lines) => Buffer.from(lines.join("\n"))),
      fc.nat({ max: 300_000 }).map((size) => Buffer.alloc(size, '{"jsonrpc":"2.0","id":1,"method":"tools/call"}\n')),
    );
    for (const bytes of fc.sample(piece, { numRuns: 150, seed: 20_260_728 })) {
      sent.push(Buffer.from(bytes));
      total += bytes.length;
      await host.write(bytes);
    }
    await host.stdout.untilSize(total);
    expect(await host.finish()).toEqual({ code: 0, signal: null });
    expectSameBytes(host.stdout.bytes(), Buffer.concat(sent), "echoed");
  });
});

describe("stderr", () => {
  const said = "one\n\n  two é 😀\r\nwithout an end";

  test("the upstream's lines appear with its name in front, complete and only there", async ({ box }) => {
    const host = box.startProxy(box.fake("--quiet", "--stderr", said));
    expect((await host.request(1, "ping")).result).toEqual({});
    expect(await host.finish()).toEqual({ code: 0, signal: null });
    const lines = host.stderr.text().split("\n");
    for (const line of ["[fake] one", "[fake] ", "[fake]   two é 😀\r", "[fake] without an endEOF"]) {
      expect(lines).toContain(line);
    }
    expect(host.stdout.text()).toBe('{"jsonrpc":"2.0","id":1,"result":{}}\n');
  });

  test("half a megabyte in one write, and a line of a megabyte", async ({ box }) => {
    const host = box.startProxy(box.fake("--quiet"));
    const many = "0123456789 abcdefghijklmnopqrstuvwxyz\n".repeat(14_000);
    await host.call(1, "stderr", { text: many });
    await host.call(2, "stderr", { text: `${"é".repeat(500_000)}\n` });
    await host.finish();
    const lines = host.stderr.lines();
    expect(lines.filter((line) => line === "[fake] 0123456789 abcdefghijklmnopqrstuvwxyz")).toHaveLength(14_000);
    const long = lines.filter((line) => line.includes("é")).map((line) => line.replace("[fake] ", ""));
    expect(long.join("").length).toBe(500_000);
    expect(host.stdout.lineCount).toBe(2);
  });

  test("nothing of the proxy's own on stdout, whatever is debugged", async ({ box }) => {
    for (const debug of ["all", "1", "relay,record,store", "no such area"]) {
      const host = box.startProxy(box.fake(), { env: { BIR_DEBUG: debug } });
      await host.call(1, "stray", { lines: ["Listening…", "{", ""] });
      await host.finish();
      expect(host.stdout.lines().slice(0, 3)).toEqual(["Listening…", "{", ""]);
      expect(host.stdout.lineCount).toBe(4);
      expect(host.stdout.text().endsWith("\n")).toBe(true);
    }
  });
});

describe("what a server sees of its surroundings", () => {
  test.for(THROUGH)("environment and arguments pass unchanged ($name)", async (way, { box }) => {
    const odd = ["", " ", "a b", '"', "'", "\\", "--", "--server-name", "$HOME", "*", "é😀", "line\nfeed"];
    const script = 'printf "%s\\0" "$@"; printf "%s\\0" "$ODD" "$(pwd)"';
    const env = { ODD: " spaces = and 'quotes' é ", ...way.env };
    const direct = box.start(["sh", "-c", script, "sh", ...odd], { env });
    const through = box.start(commandFor(way, ["sh", "-c", script, "sh", ...odd]), { env });
    expect(await direct.finish()).toEqual({ code: 0, signal: null });
    expect(await through.finish()).toEqual({ code: 0, signal: null });
    expect(through.stdout.text()).toBe(direct.stdout.text());
  });

  test("files in the working directory change nothing", async ({ box }) => {
    const hostile = {
      ".env": "BIR_OFF=1\nEVIL=1\nBUN_OPTIONS=--preload=./evil.ts\n",
      ".env.local": "EVIL=2\n",
      "bunfig.toml": 'preload = ["./evil.ts"]\n[run]\nsilent = false\n',
      "evil.ts": 'console.log("evil"); process.env.EVIL = "3";',
      "tsconfig.json": "{ not json",
      "package.json": '{"name":"evil","type":"commonjs","imports":{"#x":"./evil.ts"}',
    };
    for (const [name, content] of Object.entries(hostile)) writeFileSync(join(box.cwd, name), content);
    const host = box.startProxy(["sh", "-c", 'printf "%s." "$EVIL"; cat; echo said >&2']);
    await host.write('{"jsonrpc":"2.0","id":1,"method":"ping"}\n');
    await host.stdout.untilText("}\n");
    expect(await host.finish()).toEqual({ code: 0, signal: null });
    expect(host.stdout.text()).toBe('.{"jsonrpc":"2.0","id":1,"method":"ping"}\n');
    // Not switched off either: a proxy that had become the server would not name it here.
    expect(host.stderr.text()).toBe("[fake] said\n");
  });

  test("under the name bir-proxy, and with the command's base name for the server's", async ({ box }) => {
    const alias = join(box.directory, "bir-proxy");
    symlinkSync(BIR, alias);
    const host = box.start([alias, "--", "/bin/sh", "-c", "cat; echo said >&2"]);
    await host.write("[1.0]");
    expect(await host.finish()).toEqual({ code: 0, signal: null });
    expect(host.stdout.text()).toBe("[1.0]");
    expect(host.stderr.text()).toBe("[sh] said\n");
  });
});
