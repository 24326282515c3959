import { describe, expect, test } from "vitest";
import { parseExact } from "../../src/core/exact-json.ts";
import type { Step } from "../../src/core/run.ts";
import { noticesOf, sourceWords, timeWords } from "../../src/viewer/inspect/call-words.ts";
import { argumentParts } from "../../src/viewer/inspect/payload/argument-parts.ts";
import type { Part } from "../../src/viewer/inspect/payload/part.ts";
import { resultParts } from "../../src/viewer/inspect/payload/result-parts.ts";
import { saysTheSame } from "../../src/viewer/inspect/payload/same-value.ts";

/** Arguments and results as a person reads them, in the shapes that hosts and servers really use. */

/** Kind, title, and what is in it, in short. */
function told(parts: readonly Part[]): string[] {
  return parts.map((part) => {
    const title = part.title === undefined ? "" : ` ${part.title}`;
    switch (part.kind) {
      case "text":
      case "file":
      case "command":
      case "note":
        return `${part.kind}${title}: ${part.text}`;
      case "diff":
        return `diff${title}: ${part.lines.map((line) => `${line.kind.charAt(0)}${line.text}`).join("|")}`;
      case "json":
        return `json${title}: ${JSON.stringify(part.value)}`;
      case "table":
        return `table${title}: ${part.names.join()} × ${part.rows.length}`;
      case "checklist":
        return `checklist: ${part.items.map((item) => `${item.status}=${item.text}`).join("|")}`;
      case "facts":
        return `facts: ${part.facts.map(({ name, value }) => `${name}=${value}`).join("|")}`;
      case "media":
        return `media${title}: ${[part.media.what, part.media.type, part.media.sizeBytes, part.media.uri].join()}`;
      case "cut":
        return `cut: ${part.originalBytes} ${part.head}…${part.tail}`;
      default:
        return `${part.kind}${title}`;
    }
  });
}

const args = (value: unknown) => told(argumentParts(value));
const result = (value: unknown, given: unknown = {}) => told(resultParts(value, given));

describe("arguments", () => {
  test("of a command", () => {
    expect(args({ command: "cat note.txt", description: "Shows the note", timeout: 5000 })).toEqual([
      "command Shows the note: cat note.txt",
      "facts: timeout=5000",
    ]);
    expect(args({ command: ["bash", "-lc", "ls -la | head"], workdir: "/x" })).toEqual([
      "command: ls -la | head",
      "facts: workdir=/x",
    ]);
    expect(args({ command: ["git", "commit", "-m", "it's done"] })).toEqual(["command: git commit -m 'it'\\''s done'"]);
  });

  test("of an edit, whoever makes it", () => {
    const edit = "diff /a.ts: same|rold|anew".replace("same", "ssame");
    expect(args({ file_path: "/a.ts", old_string: "same\nold", new_string: "same\nnew", replace_all: false })).toEqual([
      edit,
    ]);
    expect(args({ path: "/a.ts", edits: [{ oldText: "same\nold", newText: "same\nnew" }], dryRun: true })).toEqual([
      edit,
      "facts: dryRun=true",
    ]);
    expect(
      args({
        file_path: "/a.ts",
        edits: [
          { old_string: "a", new_string: "b" },
          { old_string: "c", new_string: "" },
        ],
      }),
    ).toEqual(["diff /a.ts (1 of 2): ra|ab", "diff /a.ts (2 of 2): rc"]);
    expect(args({ edits: [1, 2], path: "/x" })).toEqual([]);
  });

  test("of a patch, a file, a plan, a prompt", () => {
    expect(args({ input: "*** Begin Patch\n*** Add File: b\n+x\n*** End Patch" })[0]).toMatch(/^diff: /);
    expect(args({ file_path: "/n.md", content: "# N\n" })).toEqual(["file /n.md: # N\n"]);
    expect(args({ todos: [{ content: "Fix", status: "completed", activeForm: "Fixing" }] })).toEqual([
      "checklist: completed=Fix",
    ]);
    expect(args({ plan: [{ step: "One", status: "pending" }], explanation: "why" })).toEqual([
      "checklist: pending=One",
      "facts: explanation=why",
    ]);
    expect(args({ description: "Count sheep", prompt: "Count the **sheep**", subagent_type: "general" })).toEqual([
      "text Count sheep: Count the **sheep**",
      "facts: subagent_type=general",
    ]);
    expect(args({ plan: "1. do it" })).toEqual(["text Prompt: 1. do it"]);
  });

  test("of any other tool are parts where a text is long, and facts where all is short", () => {
    expect(args({ city: "Berlin", days: 3, draft: false, note: "" })).toEqual([
      'facts: city=Berlin|days=3|draft=false|note=""',
    ]);
    expect(args({ city: "Berlin", near: ["x"] })).toEqual([]);
    expect(args({})).toEqual([]);
    expect(args({ sql: "select 1\nfrom x", limit: 3, options: { a: 1 } })).toEqual([
      "facts: limit=3",
      "text sql: select 1\nfrom x",
      'json options: {"a":1}',
    ]);
    expect(args(parseExact(`{"text":"${"x".repeat(130)}","id":12345678901234567890}`))[0]).toBe(
      "facts: id=12345678901234567890",
    );
    expect(args(null)).toEqual([]);
    expect(args("not JSON {")).toEqual(["text: not JSON {"]);
    expect(args([1, 2])).toEqual([]);
  });

  test("that were too large tell what was kept", () => {
    expect(args({ truncated: true, originalBytes: 9_000_000, head: '{"a":"', tail: '"}' })).toEqual([
      'cut: 9000000 {"a":"…"}',
    ]);
  });
});

describe("results", () => {
  test("of a command", () => {
    expect(
      result({ stdout: "a note", stderr: "", interrupted: false, isImage: false, noOutputExpected: false }),
    ).toEqual(["text Output: a note"]);
    expect(result({ stdout: "", stderr: "no", interrupted: true })).toEqual([
      "text Error output: no",
      "facts: interrupted=true",
    ]);
    expect(result({ stdout: "", stderr: "" })).toEqual(["note: It printed nothing."]);
  });

  test("of files that were read and written", () => {
    const file = { filePath: "/a.txt", content: "forty-two\n", numLines: 2, startLine: 7, totalLines: 9 };
    expect(result({ type: "text", file })).toEqual(["file /a.txt: forty-two\n", "facts: numLines=2|totalLines=9"]);
    expect(
      result({ type: "image", file: { type: "image/png", sizeBytes: 70, sha256: "6b7f", filePath: "/i.png" } }),
    ).toEqual(["media /i.png: image,image/png,70,"]);
    const patch = [{ oldStart: 1, oldLines: 1, newStart: 1, newLines: 1, lines: ["-a", "+b"] }];
    expect(result({ filePath: "/a.txt", oldString: "a", newString: "b", structuredPatch: patch })).toEqual([
      "diff /a.txt: h@@ -1,1 +1,1 @@|ra|ab",
    ]);
    expect(result({ type: "create", filePath: "/n", content: "x\n", structuredPatch: [], originalFile: null })).toEqual(
      ["file /n (created): x\n"],
    );
  });

  test("of searches, plans, pages", () => {
    expect(result({ mode: "files_with_matches", filenames: ["a", "b"], numFiles: 2 })).toEqual([
      "text Files: a\nb",
      "facts: mode=files_with_matches|numFiles=2",
    ]);
    expect(result({ filenames: [], durationMs: 3 })).toEqual(["note: Nothing was found.", "facts: durationMs=3"]);
    expect(result({ oldTodos: [], newTodos: [{ content: "x", status: "pending" }] })).toEqual(["checklist: pending=x"]);
    expect(result({ result: "**42**", code: 200, url: "https://x" })).toEqual([
      "text: **42**",
      "facts: code=200|url=https://x",
    ]);
  });

  test("of MCP are their content blocks", () => {
    expect(
      result({
        resultType: "complete",
        content: [
          { type: "text", text: "see" },
          { type: "image", sizeBytes: 70, sha256: "6b7f", mimeType: "image/png", annotations: { priority: 1 } },
          { type: "audio", mimeType: "audio/wav", sizeBytes: 9, sha256: "00" },
          { type: "resource_link", uri: "fake://doc/1", name: "doc" },
          { type: "resource", resource: { uri: "fake://doc/2", mimeType: "text/plain", text: "embedded" } },
          { type: "resource", resource: { uri: "fake://doc/3", mimeType: "image/gif", sizeBytes: 3, sha256: "aa" } },
          { type: "text", text: "" },
        ],
        _meta: { x: 1 },
      }),
    ).toEqual([
      "text: see",
      "media: image,image/png,70,",
      "media: audio,audio/wav,9,",
      "media: link to a resource,,,fake://doc/1",
      "text fake://doc/2: embedded",
      "media: resource,image/gif,3,fake://doc/3",
      "note: An empty text.",
    ]);
    expect(result({ content: [] })).toEqual([]);
    expect(result([{ type: "text", text: "a" }])).toEqual(["text: a"]);
    expect(
      result([
        {
          type: "image",
          source: { type: "base64", media_type: "image/png", sizeBytes: 5, sha256: "ab" },
        },
      ]),
    ).toEqual(["media: image,image/png,5,"]);
  });

  test("say nothing twice", () => {
    expect(result({ content: [{ type: "text", text: '{"sum":3}' }], structuredContent: { sum: 3 } })).toEqual([
      'json: {"sum":3}',
      "note: The text of the result says the same.",
    ]);
    expect(result({ content: [{ type: "text", text: "plain" }], structuredContent: { result: "plain" } })[0]).toBe(
      'json: {"result":"plain"}',
    );
    expect(result({ content: [{ type: "text", text: "3 found" }], structuredContent: { sum: 3 } })).toEqual([
      "text: 3 found",
      'json Structured content: {"sum":3}',
    ]);
    expect(
      result(
        { status: "completed", prompt: "Count", agentId: "a", content: [{ type: "text", text: "Three." }] },
        { prompt: "Count" },
      ),
    ).toEqual(["text: Three.", "facts: status=completed|agentId=a"]);
  });

  test("that are tables read as tables", () => {
    const rows = [
      { id: 1, name: "a" },
      { id: 2, name: "b" },
    ];
    expect(result(rows)).toEqual(["table: id,name × 2"]);
    expect(result({ content: [{ type: "text", text: "x" }], structuredContent: { rows, total: 2 } })).toEqual([
      "text: x",
      "heading Structured content",
      "facts: total=2",
      "table rows: id,name × 2",
    ]);
    expect(result([{ id: 1 }, { id: 2 }])).toEqual([]);
    expect(result([...rows, { id: 3, other: 1 }])).toEqual([]);
    expect(result([...rows, { id: 3, name: { deep: 1 } }])).toEqual([]);
    expect(result(JSON.parse('[{"__proto__":1,"a":2},{"__proto__":3,"a":4}]'))).toEqual(["table: __proto__,a × 2"]);
  });

  test("that are something else are JSON, text or nothing", () => {
    expect(result(null)).toEqual([]);
    expect(result({ answer: 42 })).toEqual([]);
    expect(result("said")).toEqual(["text: said"]);
    expect(result("")).toEqual(["note: An empty text."]);
    expect(result(7)).toEqual([]);
    expect(result({ truncated: true, originalBytes: 5, head: "a", tail: "b" })).toEqual(["cut: 5 a…b"]);
  });
});

test("values say the same whatever the order of names and the spelling of numbers", () => {
  expect(saysTheSame(parseExact('{"a":1.0,"b":[1]}'), { b: [1], a: 1 })).toBe(true);
  expect(saysTheSame({ a: undefined }, {})).toBe(false);
  expect(saysTheSame([1, 2], [2, 1])).toBe(false);
  expect(saysTheSame(parseExact("12345678901234567890"), parseExact("12345678901234567891"))).toBe(false);
  expect(saysTheSame({ a: 1 }, { b: 1 })).toBe(false);
  expect(saysTheSame("1", 1)).toBe(false);
});

describe("words", () => {
  const step = {
    status: "ok",
    durationMs: 1234,
    waitingMs: 0,
    legs: 1,
    progress: 0,
    truncated: false,
    join: null,
    sources: ["proxy"],
  } as unknown as Step;

  test("tell who saw a call", () => {
    expect(sourceWords({ sources: ["proxy", "hook"], join: "host-id" })).toBe(
      "Seen on the wire and told by the host; joined by the id that the host gave it.",
    );
    expect(sourceWords({ sources: ["transcript"], join: null })).toBe("Read in the host's transcript only.");
    expect(sourceWords({ sources: ["hook", "transcript"], join: null })).toBe(
      "Told by the host and read in its transcript.",
    );
    expect(sourceWords({ sources: [], join: null })).toBe("Not told by whom.");
  });

  test("tell how long it took", () => {
    expect(timeWords(step)).toBe("1.2 s");
    expect(timeWords({ ...step, waitingMs: 900, legs: 3, progress: 1 })).toBe(
      "1.2 s, 900 ms of it waiting for the host; in 3 rounds, as the server asked the host back before it answered; the server reported its progress once",
    );
    expect(timeWords({ ...step, durationMs: null, status: "running" })).toBe("still running");
    expect(timeWords({ ...step, durationMs: null, status: "lost" })).toBe("how long is not known");
  });

  test("warn of what cannot be trusted", () => {
    expect(noticesOf(step)).toEqual([]);
    expect(noticesOf({ ...step, status: "lost", truncated: true, join: "ambiguous" })).toHaveLength(3);
    expect(noticesOf({ ...step, status: "denied" })[0]?.text).toContain("not allowed");
  });
});
