/** The MCP Inspector, as people run it, in front of a server that it starts through the proxy. */

import { describe, expect } from "vitest";
import { Deadline } from "../harness/deadline.ts";
import { BUN, SERVER_EVERYTHING } from "../harness/locations.ts";
import { test } from "../harness/process-test.ts";
import { onlyRun } from "../harness/recorded-runs.ts";
import { fileNeeds } from "../harness/requirement.ts";
import type { CliResult, Sandbox } from "../harness/sandbox.ts";
import { commandFor, DIRECT, RECORDING, type Way } from "../harness/transcript.ts";
import { inspector } from "./installed.ts";

const { command, lack } = inspector();
const EVERYTHING = [BUN, SERVER_EVERYTHING, "stdio"];

/** Runs the Inspector's command line on a config file that names one server, as a user's config would. */
async function inspect(box: Sandbox, way: Way, upstream: readonly string[], flags: string[]): Promise<CliResult> {
  const [file, ...args] = commandFor(way, upstream, "everything");
  const env = box.env(way.env);
  const config = box.file("mcp.json", JSON.stringify({ mcpServers: { everything: { command: file, args, env } } }));
  const host = box.start([...command, "--cli", "--config", config, "--server", "everything", ...flags]);
  const { code, signal } = await host.finish(new Deadline(90_000));
  return { code, signal, stdout: host.stdout.text(), stderr: host.stderr.text() };
}

const ECHO = ["--method", "tools/call", "--tool-name", "echo", "--tool-arg", "message=hello é"];

if (fileNeeds(lack === undefined, lack ?? "")) {
  describe("the Inspector's command line", () => {
    test.for([
      { name: "tools/list", flags: ["--method", "tools/list"] },
      { name: "tools/call", flags: ECHO },
      { name: "tools/call with --protocol-era auto", flags: ["--protocol-era", "auto", ...ECHO] },
      { name: "resources/list", flags: ["--method", "resources/list"] },
    ])("$name: the same output, direct and through the proxy", async ({ flags }, { box }) => {
      const direct = await inspect(box, DIRECT, EVERYTHING, [...flags, "--format", "json", "-q"]);
      expect(direct).toMatchObject({ code: 0, signal: null });
      const through = await inspect(box, RECORDING, EVERYTHING, [...flags, "--format", "json", "-q"]);
      expect(through).toMatchObject({ code: 0, signal: null });
      expect(JSON.parse(through.stdout)).toEqual(JSON.parse(direct.stdout));
    });

    test("--protocol-era modern, with a server that speaks 2026-07-28", async ({ box }) => {
      const flags = ["--protocol-era", "modern", "--method", "tools/call", "--tool-name", "structured"];
      const direct = await inspect(box, DIRECT, box.fake(), [...flags, "--format", "json", "-q"]);
      const through = await inspect(box, RECORDING, box.fake(), [...flags, "--format", "json", "-q"]);
      expect(through).toMatchObject({ code: 0, signal: null, stdout: direct.stdout });
      expect((await onlyRun(box)).steps).toMatchObject([{ tool: "structured", status: "ok" }]);
    });

    test("--load: 500 calls, 10 at a time, without an error and all in the record", async ({ box }) => {
      const flags = [...ECHO, "--load", "--load-requests", "500", "--load-concurrency", "10", "--format", "json"];
      const { code, stdout } = await inspect(box, RECORDING, EVERYTHING, flags);
      expect(code).toBe(0);
      expect(JSON.parse(stdout).result).toMatchObject({ ok: 500, toolErrors: 0, errors: 0 });
      const run = await onlyRun(box);
      expect(run).toMatchObject({ lossy: false, gaps: [], status: "completed" });
      expect(run.steps.map((step) => step.status)).toEqual(Array(500).fill("ok"));
    });
  });
}
