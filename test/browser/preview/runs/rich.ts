import { RunScript, textResult } from "../run-script.ts";

/** A run that holds one of everything a run may hold. */

const PROMPT = `Fix the failing \`forecast\` test in the weather service, then open a pull request.

- The test started failing on Tuesday.
- Do **not** touch the public API.
- Say in the end what it was.`;

const ANSWER = `The test failed because \`parseForecast\` read the *local* time zone: after the clocks changed it was one hour off.

1. \`src/forecast.ts\` now parses with an explicit offset.
2. The test pins its zone.

Opened as [#482](https://example.org/weather/pull/482). One thing I could **not** do: run the nightly job, the command was denied.`;

const SOURCE = Array.from(
  { length: 160 },
  (_, n) => `export const row${n + 1} = { hour: ${n % 24}, value: ${n * 1.5} };`,
).join("\n");

const ANSI = [
  "\u001b[1mforecast.test.ts\u001b[0m",
  "\u001b[32m  ✓\u001b[0m reads a day \u001b[2m(4 ms)\u001b[0m",
  "\u001b[31m  ✗\u001b[0m reads the hour the clocks change",
  "",
  "\u001b[31mAssertionError\u001b[0m: expected \u001b[32m13\u001b[0m, got \u001b[38;5;208m12\u001b[0m",
  "    at \u001b[4msrc/forecast.ts:41:9\u001b[0m",
  "progress 10%\rprogress 70%\rprogress 100%",
].join("\n");

export function richRun(endedAt: number): RunScript {
  const run = new RunScript({
    id: "run_rich",
    startedAt: endedAt - 260_000,
    prompt: PROMPT,
    servers: ["github", "files", "postgres"],
  });
  run
    .wait(1800)
    .note("thought", "The failing test is named. I look at what changed since Tuesday before I touch anything.");
  run.note(
    "plan",
    JSON.stringify({
      todos: [
        { content: "Reproduce the failure", status: "completed" },
        { content: "Find what changed", status: "in_progress" },
        { content: "Fix and test", status: "pending" },
        { content: "Open a pull request", status: "pending" },
      ],
    }),
  );
  run.note("text", "I run the test first.");
  run.call({
    tool: "Bash",
    args: { command: "bun test forecast 2>&1 | tail -40", description: "Runs the failing test" },
    result: { stdout: ANSI, stderr: "", interrupted: false, isImage: false, noOutputExpected: false },
    context: "I run the test first.",
    tookMs: 4210,
  });
  run.wait(900).note("thought", "Three reads at once, they do not depend on each other.");
  const ends = [
    run.begin({
      tool: "Read",
      args: { file_path: "/home/ana/projects/weather-service/src/forecast.ts" },
      result: {
        type: "text",
        file: {
          filePath: "/home/ana/projects/weather-service/src/forecast.ts",
          content: SOURCE,
          numLines: 160,
          startLine: 1,
          totalLines: 160,
        },
      },
    }),
    run.begin({
      server: "github",
      tool: "list_commits",
      args: { owner: "weather", repo: "service", since: "2026-11-23T00:00:00Z", perPage: 30 },
      result: textResult(
        JSON.stringify({
          commits: [
            { sha: "9f2c1e4", message: "Clocks: read the zone once", author: "lee", date: "2026-11-24" },
            { sha: "1b7aa02", message: "Bump deps", author: "bot", date: "2026-11-24" },
          ],
        }),
        {
          structuredContent: {
            commits: [
              { sha: "9f2c1e4", message: "Clocks: read the zone once", author: "lee", date: "2026-11-24" },
              { sha: "1b7aa02", message: "Bump deps", author: "bot", date: "2026-11-24" },
            ],
          },
        },
      ),
    }),
    run.begin({
      server: "postgres",
      tool: "query",
      args: { sql: "select zone, count(*) from stations group by 1 order by 2 desc limit 20" },
      error: "connection refused: is the database running on 127.0.0.1:5432?",
      rpcError: { code: -32000, message: "connection refused: is the database running on 127.0.0.1:5432?" },
    }),
  ];
  run.wait(120);
  ends[0]?.();
  run.wait(340);
  ends[2]?.();
  run.wait(800);
  ends[1]?.();
  subagent(run);
  run.call({
    tool: "Edit",
    args: {
      file_path: "/home/ana/projects/weather-service/src/forecast.ts",
      old_string:
        "export function parseForecast(text: string): Forecast {\n  const at = new Date(text);\n  return { hour: at.getHours(), text };\n}",
      new_string:
        'export function parseForecast(text: string, zone = "UTC"): Forecast {\n  const at = Temporal.Instant.from(text).toZonedDateTimeISO(zone);\n  return { hour: at.hour, text };\n}',
      replace_all: false,
    },
    result: {
      filePath: "/home/ana/projects/weather-service/src/forecast.ts",
      structuredPatch: [
        {
          oldStart: 38,
          oldLines: 4,
          newStart: 38,
          newLines: 4,
          lines: [
            "-export function parseForecast(text: string): Forecast {",
            "-  const at = new Date(text);",
            "-  return { hour: at.getHours(), text };",
            '+export function parseForecast(text: string, zone = "UTC"): Forecast {',
            "+  const at = Temporal.Instant.from(text).toZonedDateTimeISO(zone);",
            "+  return { hour: at.hour, text };",
            " }",
          ],
        },
      ],
      userModified: false,
    },
    tookMs: 35,
  });
  run.call({
    tool: "TodoWrite",
    args: {
      todos: [
        { content: "Reproduce the failure", status: "completed", activeForm: "Reproducing" },
        { content: "Fix and test", status: "in_progress", activeForm: "Fixing" },
      ],
    },
    result: { oldTodos: [], newTodos: [] },
    tookMs: 4,
  });
  run.wait(600).note("permission", "Bash wants to run `make nightly`: denied by the person.");
  run.call({
    tool: "Bash",
    args: { command: "make nightly", description: "Runs the nightly job" },
    status: "denied",
    error: "The user doesn't want to proceed with this tool use. The tool use was rejected.",
    tookMs: 9000,
  });
  run.note("compact", "The conversation was compacted (manual, 184,220 tokens before).");
  run.call({
    server: "files",
    tool: "read_media",
    args: { path: "docs/chart.png" },
    result: {
      content: [
        { type: "text", text: "The chart of last week:" },
        {
          type: "image",
          mimeType: "image/png",
          sizeBytes: 482_113,
          sha256: "ab12cd34ef56ab12cd34ef56ab12cd34ef56ab12cd34ef56ab12cd34ef56ab12",
        },
        { type: "resource_link", uri: "file:///home/ana/docs/chart.svg", name: "chart.svg", mimeType: "image/svg+xml" },
        { type: "audio", mimeType: "audio/wav", sizeBytes: 88_200, sha256: "00ff".repeat(16) },
      ],
    },
    tookMs: 220,
  });
  run.call({
    server: "files",
    tool: "read_log",
    args: { path: "/var/log/weather.log" },
    result: {
      truncated: true,
      originalBytes: 18_874_368,
      head: "2026-11-24 00:00:00 start\n2026-11-24 00:00:01 zone=Europe/Lisbon\n",
      tail: "2026-11-30 13:58:12 stop\n",
    },
    truncated: true,
    tookMs: 1900,
  });
  run.gap("DEG-03 store-unavailable", 3);
  run.call({
    server: "github",
    tool: "create_pull_request",
    args: {
      title: "Read the zone explicitly",
      body: "## Why\n\nThe clocks changed.\n\n- one hour off\n- see #471",
      head: "fix/zone",
      base: "main",
      draft: false,
      id: 12345678901234567890n.toString(),
    },
    result: textResult("Opened #482"),
    legs: 3,
    waitingMs: 6100,
    progress: 14,
    tookMs: 14_300,
  });
  run.call({ server: "github", tool: "request_review", args: { number: 482 }, status: "lost", join: "ambiguous" });
  run.call({
    server: "github",
    tool: "watch_checks",
    args: { number: 482, timeout: 600 },
    status: "cancelled",
    error: "cancelled by the host",
    tookMs: 31_000,
  });
  run.note("interrupt", "Interrupted by the person.");
  run.note("warning", "The transcript ended in the middle of a row.");
  run.wait(2500).note("text", "All checks that I can see are green.");
  run.usage({ inputTokens: 18_204, outputTokens: 4_120, cacheReadTokens: 312_040, cacheCreationTokens: 22_118 }, 6);
  return run.answer(ANSWER).close("completed");
}

function subagent(run: RunScript): void {
  const agent = "agent_explorer_7";
  const finish = run.begin({
    tool: "Task",
    args: {
      description: "Find time zone reads",
      prompt: "Find every place that reads the **local** time zone.\n\nReport file and line.",
      subagent_type: "explorer",
    },
    result: {
      status: "completed",
      agentId: agent,
      agentType: "explorer",
      content: [{ type: "text", text: "Two places:\n\n- `src/forecast.ts:40`\n- `src/station.ts:12`" }],
      totalDurationMs: 21_000,
      totalTokens: 9120,
      totalToolUseCount: 4,
    },
    context: "Somebody else looks through the rest.",
  });
  run.wait(900).note("thought", "I search for Date in the sources.", agent);
  run.call({
    tool: "Grep",
    args: { pattern: "new Date\\(|getHours", path: "src", output_mode: "content" },
    result: {
      mode: "content",
      numFiles: 2,
      content: "src/forecast.ts:40:  const at = new Date(text);\nsrc/station.ts:12:  return new Date().getHours();",
    },
    agent,
    tookMs: 180,
  });
  const ends = [1, 2, 3].map((n) =>
    run.begin({
      server: "files",
      tool: "read_file",
      args: { path: `src/part-${n}.ts` },
      agent,
      ...(n === 2
        ? {
            error: "ENOENT: no such file or directory, open 'src/part-2.ts'",
            result: textResult("ENOENT: no such file or directory, open 'src/part-2.ts'", { isError: true }),
          }
        : { result: textResult(`// part ${n}\n`) }),
    }),
  );
  for (const end of ends) {
    run.wait(450);
    end();
  }
  run.note("text", "Two places read the local zone.", agent);
  run.wait(700);
  finish();
}
