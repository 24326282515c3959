import { RunScript, textResult } from "./preview/run-script.ts";

/** A made-up run whose calls hold what is hardest to show: very large, very deep, very long, and hostile. */

const BIDI = "safe\u202egnp.exe\u2066 \u200bzero\u00adwidth";
const ZALGO = `Z${"\u0300\u0323\u035c".repeat(60)}algo`;
const SCRIPT = `<script>globalThis.hurt = 1</script><img src=x onerror="globalThis.hurt = 2">`;

/** By name, in order; the name is the tool's. */
export function inspectRun(): RunScript {
  const run = new RunScript({ id: "run_inspect", startedAt: Date.now() - 60_000, prompt: MARKDOWN });
  run.call({
    server: "data",
    tool: "many_nodes",
    args: { limit: 50_000 },
    result: Array.from({ length: 12_500 }, (_, id) => ({ id, name: `row ${id}`, tags: ["a", "b"], ok: id % 2 === 0 })),
  });
  run.call({ server: "data", tool: "long_text", result: textResult(LOG), args: { path: "/var/log/x.log" } });
  run.call({ server: "data", tool: "one_long_line", result: textResult("0123456789 ".repeat(100_000)), args: {} });
  run.call({
    server: "data",
    tool: "json_in_json",
    args: {
      body: JSON.stringify({ query: { match: { title: "bir" } }, size: 10 }),
      "a key": { "b.c": [1, 2, { d: null }] },
    },
    result: textResult(
      JSON.stringify({ took: 5, hits: [{ _id: "1", _source: { title: "a" } }], inner: '{"deep":{"er":[1]}}' }),
    ),
  });
  run.call({
    server: `evil${BIDI}`,
    tool: `tool${SCRIPT}`,
    args: JSON.parse(
      `{"__proto__":{"polluted":true},"constructor":"x","toString":1,"html":${JSON.stringify(SCRIPT)},"bidi":${JSON.stringify(BIDI)},"zalgo":${JSON.stringify(ZALGO)},"nul":"a\\u0000b\\u0007","lone":"\\ud800 x","${"k".repeat(500)}":1}`,
    ),
    result: textResult(
      `${SCRIPT}\n[click](javascript:alert(1)) and [ok](https://example.org/\u202egnp)\n\n# ${BIDI}\n\n**${ZALGO}**`,
    ),
    context: `${SCRIPT} ${BIDI}`,
  });
  run.call({
    tool: "Bash",
    args: { command: "cat bomb.ansi; npm test && git diff --stat", description: "Prints what terminals obey" },
    result: { stdout: ANSI, stderr: "warning: \u001b[33mdeprecated\u001b[0m", interrupted: false, isImage: false },
  });
  run.call({
    tool: "MultiEdit",
    args: {
      file_path: "/home/ana/src/app.ts",
      edits: [
        {
          old_string: "const port = 3000;\nlisten(port);",
          new_string: "const port = Number(env.PORT ?? 3000);\nlisten(port);",
        },
        { old_string: "a\nb\nc", new_string: "a\nc\nd" },
      ],
    },
    result: textResult("Applied 2 edits"),
  });
  run.call({
    tool: "apply_patch",
    args: { input: PATCH },
    result: textResult("Success. Updated the following files:\nM src/app.ts"),
  });
  run.call({
    tool: "Write",
    args: { file_path: "/home/ana/notes.md", content: "# Notes\n\nOne line.\n\ttabbed\n" },
    result: {
      type: "create",
      filePath: "/home/ana/notes.md",
      content: "# Notes\n\nOne line.\n\ttabbed\n",
      structuredPatch: [],
      originalFile: null,
    },
  });
  run.call({
    tool: "Task",
    args: { description: "Look around", prompt: MARKDOWN, subagent_type: "explorer" },
    result: { status: "completed", agentId: "agent_1", content: [{ type: "text", text: MARKDOWN }], totalTokens: 9120 },
  });
  run.call({
    server: "data",
    tool: "deep",
    args: deep(5000),
    result: textResult("[".repeat(100_000) + "]".repeat(100_000)),
  });
  run.call({ server: "data", tool: "long_markdown", args: {}, result: textResult(MARKDOWN.repeat(400)) });
  run.call({
    server: "db",
    tool: "query",
    args: { sql: "select id, name, total\n  from orders\n where total > 100\n order by total desc", limit: 3 },
    result: textResult("[]", {
      structuredContent: {
        rows: [
          { id: 1, name: "Ada", total: 250.5 },
          { id: 2, name: "Bob", total: 120 },
          { id: 3, name: "Cy", total: null },
        ],
        exact: 1,
      },
    }),
  });
  run.call({
    server: "db",
    tool: "failing",
    args: { city: "Berlin", days: 3 },
    error: "A scripted error",
    rpcError: { code: -32602, message: "A scripted error", data: { why: ["because", 1] } },
    agent: "agent_1",
  });
  run.call({
    server: "x",
    tool: "controls",
    args: { text: "\u0001x".repeat(40_000) },
    result: textResult("\u001b[38;2;1;2;3mx\u001b[48;5;9my".repeat(20_000)),
  });
  run.call({
    tool: "Grep",
    args: { pattern: "TODO", path: "src" },
    result: { mode: "files_with_matches", filenames: ["src/a.ts", "src/b.ts"], numFiles: 2 },
  });
  run.call({
    tool: "WebFetch",
    args: { url: "https://example.org/docs", prompt: "What is the limit?" },
    result: {
      bytes: 10240,
      code: 200,
      codeText: "OK",
      result: "The limit is **600** characters.\n\n- per field\n- per call",
      durationMs: 810,
      url: "https://example.org/docs",
    },
  });
  return run.answer(MARKDOWN).close("completed");
}

const LOG = Array.from(
  { length: 16_000 },
  (_, n) =>
    `2026-11-30T10:00:${String(n % 60).padStart(2, "0")}Z INFO request ${n} GET /api/items/${n * 7} 200 in ${n % 90} ms`,
).join("\n");

const ANSI = [
  "\u001b]0;pwned title\u0007\u001b]52;c;cm0gLXJmIC8=\u0007",
  "\u001b[1;32mPASS\u001b[0m src/app.test.ts \u001b[2m(12 ms)\u001b[0m",
  "\u001b[1;31mFAIL\u001b[0m src/db.test.ts",
  "\u001b[30mblack\u001b[0m \u001b[37mwhite\u001b[0m \u001b[93myellow\u001b[0m \u001b[94mblue\u001b[0m \u001b[7minverse\u001b[0m \u001b[41;97m on red \u001b[0m \u001b[38;5;208morange\u001b[0m \u001b[38;2;20;20;40mnight\u001b[0m \u001b[8mhidden\u001b[0m",
  "downloading  10%\rdownloading  60%\rdownloading 100%",
  "\u001b]8;;https://example.org/x\u001b\\a link\u001b]8;;\u001b\\ and \u001b[3mitalic\u001b[0m \u001b[4munder\u001b[0m \u001b[9mstruck\u001b[0m",
  "line one\nline two\u001b[1A\rLINE",
  "\u001b[2J\u001b[Hafter the screen was cleared",
].join("\n");

const PATCH = `*** Begin Patch
*** Update File: src/app.ts
@@ function main() {
 const a = 1;
-const b = readFile("old.txt");
+const b = readFile("new.txt", "utf8");
 return a + b;
*** Add File: src/new.ts
+export const created = true;
*** End Patch`;

const MARKDOWN = `# What was done

The *first* thing is **important**, \`code\` matters, ~~this does not~~. See [the docs](https://example.org/docs) or https://example.org/plain.

## A list

1. One
2. Two
   - nested \`item\`
   - [x] done
   - [ ] open

> A quote
> in two lines

\`\`\`ts
export function add(a: number, b: number): number {
  return a + b;
}
\`\`\`

| Name | Value | Note |
| --- | ---: | --- |
| alpha | 1 | *first* |
| beta | 22 | \`second\` |

![a chart](https://evil.example/track.png)

---

The end. <b>not bold</b>
`;

function deep(levels: number): unknown {
  let value: unknown = "bottom";
  for (let level = 0; level < levels; level++) value = level % 2 === 0 ? [value] : { in: value };
  return value;
}
