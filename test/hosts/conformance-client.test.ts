/**
 * The official client scenarios: their servers check the HTTP of a client, which here is the proxy, started by a plain stdio
 * host. Every check of theirs is asserted by itself.
 */

import { describe, expect } from "vitest";
import { BIR, BUN } from "../harness/locations.ts";
import { test } from "../harness/process-test.ts";
import { onlyRun } from "../harness/recorded-runs.ts";
import { fileNeeds } from "../harness/requirement.ts";
import type { Sandbox } from "../harness/sandbox.ts";
import { CLIENT_EXCEPTIONS, exceptionsIn } from "./conformance/exceptions.ts";
import { LATEST_LEGACY, type Message, MODERN } from "./conformance/message.ts";
import { runSuite, STDIO_HOST } from "./conformance/suite.ts";
import { conformance } from "./installed.ts";

const { lack } = conformance();

interface Outcome {
  code: number | null;
  output: string;
  /** Every check that is no SUCCESS. */
  exceptions: string[];
  passed: number;
  /** What the host was answered, by what it asked. */
  answers: { request: string; answer: Message }[];
}

async function run(box: Sandbox, scenario: string, version: string): Promise<Outcome> {
  const env = {
    RUNTIME: BUN,
    STDIO_HOST,
    STDIO_PEER: JSON.stringify([BIR, "proxy", "--server-name", "suite", "--url"]),
  };
  const args = ["client", "--command", '"$RUNTIME" "$STDIO_HOST"', "--scenario", scenario, "--spec-version", version];
  const { code, output, scenarios } = await runSuite(box, args, env);
  const [only] = scenarios;
  if (only === undefined || scenarios.length > 1) throw new Error(`no or many results:\n${output}`);
  const passed = only.checks.filter(({ status }) => status === "SUCCESS").length;
  const answers = JSON.parse(only.stdout || "[]");
  return { code, output: output + only.stderr, exceptions: exceptionsIn([only]), passed, answers };
}

const results = ({ answers }: Outcome, asked: string) =>
  answers.filter(({ request }) => request === asked).map(({ answer }) => answer.result);

/** How many checks a scenario makes at least: an empty list of them is no success. */
const SCENARIOS = [
  { version: "2025-06-18", scenario: "initialize", checks: 1 },
  { version: "2025-06-18", scenario: "tools_call", checks: 2 },
  { version: LATEST_LEGACY, scenario: "initialize", checks: 1 },
  { version: LATEST_LEGACY, scenario: "tools_call", checks: 2 },
  { version: LATEST_LEGACY, scenario: "sse-retry", checks: 3 },
  { version: LATEST_LEGACY, scenario: "elicitation-sep1034-client-defaults", checks: 5 },
  { version: LATEST_LEGACY, scenario: "json-schema-2020-12-preservation", checks: 9 },
  { version: MODERN, scenario: "tools_call", checks: 2 },
  { version: MODERN, scenario: "request-metadata", checks: 8 },
  { version: MODERN, scenario: "http-standard-headers", checks: 9 },
  { version: MODERN, scenario: "http-custom-headers", checks: 18 },
  { version: MODERN, scenario: "http-invalid-tool-headers", checks: 12 },
  { version: MODERN, scenario: "json-schema-ref-no-deref", checks: 1 },
  { version: MODERN, scenario: "json-schema-2020-12-preservation", checks: 9 },
  { version: MODERN, scenario: "sep-2322-client-request-state", checks: 5 },
];

if (fileNeeds(lack === undefined, lack ?? "")) {
  describe("the official client scenarios, by a stdio host through the proxy", () => {
    test.for(SCENARIOS)("$scenario at $version", async ({ scenario, version, checks }, { box }) => {
      const outcome = await run(box, scenario, version);
      expect(outcome.exceptions, outcome.output).toEqual(CLIENT_EXCEPTIONS[`${scenario} at ${version}`] ?? []);
      expect(outcome).toMatchObject({ passed: checks, code: 0 });
    });

    test("what the host is answered is what the server said, and it is recorded", async ({ box }) => {
      const outcome = await run(box, "tools_call", MODERN);
      expect(results(outcome, "tools/call add_numbers")).toMatchObject([
        { content: [{ type: "text", text: "The sum of 2 and 3 is 5" }] },
      ]);
      expect((await onlyRun(box)).steps).toMatchObject([{ tool: "add_numbers", status: "ok" }]);
    });

    test("the host never sees a tool that a client over HTTP must reject", async ({ box }) => {
      const outcome = await run(box, "http-invalid-tool-headers", MODERN);
      expect(results(outcome, "tools/list")).toMatchObject([{ tools: [{ name: "valid_tool" }] }]);
    });

    test("a call that needs more input is one step of the record", async ({ box }) => {
      await run(box, "sep-2322-client-request-state", MODERN);
      const { steps } = await onlyRun(box);
      expect(steps.map(({ tool, status }) => `${tool} ${status}`).sort()).toEqual([
        "test_mrtr_echo_state ok",
        "test_mrtr_no_result_type ok",
        "test_mrtr_no_state ok",
        "test_mrtr_unrelated ok",
      ]);
    });
  });
}
