import { describe, expect, test } from "vitest";
import {
  type ConfigDocument,
  type ConfigFormatId,
  ConfigSyntaxError,
  type TextEdit,
} from "../../src/hosts/edit/config-text.ts";
import { applyEdits, formatOf } from "../../src/hosts/edit/formats.ts";
import { CLAUDE_JSON, VS_CODE_JSONC } from "./hosts-edit-fixtures.ts";

const json = formatOf("json");
const jsonc = formatOf("jsonc");
const ENTRY = { command: "bir", args: ["proxy", "--"], env: { A: "b" } };

function edited(document: ConfigDocument, edits: TextEdit[]): string {
  return applyEdits(document.text, edits);
}

/** The lines that are in one text only. */
function added(before: string, after: string): string[] {
  const old = before.split("\n");
  return after.split("\n").filter((line) => !old.includes(line));
}

function inserted(
  id: ConfigFormatId,
  text: string,
  path: string[],
  key: string,
  value: unknown,
  beside?: string,
): string {
  const format = formatOf(id);
  const document = format.parse(text);
  const result = edited(document, format.insertMember(document, path, key, value, beside));
  const there = format.parse(result);
  if (document.root.start < document.root.end && path.every((_, at) => hasValue(document, path.slice(0, at + 1)))) {
    expect(edited(there, format.removeMember(there, [...path, key]))).toBe(text);
  }
  return result;
}

function hasValue(document: ConfigDocument, path: string[]): boolean {
  return (
    path.reduce<unknown>((at, step) => (at as Record<string, unknown> | undefined)?.[step], document.root.value) !==
    undefined
  );
}

describe("an entry in a file", () => {
  test("as Claude Code writes it", () => {
    const result = inserted("json", CLAUDE_JSON, ["mcpServers"], "new", ENTRY);
    expect(result).toContain(`
        "Authorization": "Bearer \${TRACKER_TOKEN}"
      }
    },
    "new": {
      "command": "bir",
      "args": [
        "proxy",
        "--"
      ],
      "env": {
        "A": "b"
      }
    }
  },
  "projects": {`);
  });

  test("in an object that held nothing", () => {
    const result = inserted("json", CLAUDE_JSON, ["projects", "/home/me/caf\u00e9", "mcpServers"], "new", {
      command: "x",
    });
    expect(result).toContain(`
      "mcpServers": {
        "new": {
          "command": "x"
        }
      }
    }`);
  });

  test("written by hand with tabs, CRLF, comments and trailing commas", () => {
    const result = inserted("jsonc", VS_CODE_JSONC, ["servers"], "new", ENTRY, "files");
    const line = '\t\t"new": { "command": "bir", "args": ["proxy", "--"], "env": { "A": "b" } },\r';
    expect(added(VS_CODE_JSONC, result)).toEqual([line]);
    expect(result).toContain(`// keep\r\n${line}\n\t\t"git"`);
    expect(inserted("jsonc", VS_CODE_JSONC, ["servers"], "new", ENTRY)).toContain(`\t\t},\r\n${line}\n\t\t// "old"`);
    expect(inserted("jsonc", VS_CODE_JSONC, ["servers", "git"], "env", { A: "b" })).toContain(
      '// this one\r\n\t\t\t"env": {\r\n\t\t\t\t"A": "b",\r\n\t\t\t},\r\n\t\t},',
    );
  });

  test("that has no such object yet, or nothing at all", () => {
    const made = '{\n  "mcpServers": {\n    "new": {\n      "command": "x"\n    }\n  }\n}';
    expect(inserted("json", "{}", ["mcpServers"], "new", { command: "x" })).toBe(made);
    expect(inserted("json", "", ["mcpServers"], "new", { command: "x" })).toBe(`${made}\n`);
    expect(inserted("json", "\n", ["mcpServers"], "new", { command: "x" })).toBe(`${made}\n`);
    expect(inserted("jsonc", "// mine\r\n", [], "a", 1)).toBe('// mine\r\n{\r\n  "a": 1\r\n}\r\n');
    expect(inserted("jsonc", "// mine", [], "a", 1)).toBe('// mine\n{\n  "a": 1\n}\n');
  });

  test("whose missing parents go with it", () => {
    const document = json.parse("{}");
    const there = json.parse(edited(document, json.insertMember(document, ["mcpServers"], "new", {})));
    expect(edited(there, json.removeMember(there, ["mcpServers"]))).toBe("{}");
  });

  test.each([
    ["{}", '{\n  "a": 1\n}'],
    ["{ }", '{ \n  "a": 1\n}'],
    ["{\n}", '{\n\n  "a": 1\n}'],
    ["{\n\n}", '{\n\n\n  "a": 1\n}'],
    ['{ "x": 1 }', '{ "x": 1, "a": 1 }'],
    ['{"x":1}', '{"x":1,"a":1}'],
    ['{"x": 1 /* x */ }', '{"x": 1 /* x */, "a": 1 }'],
    ['{\n  "x": 1 // x\n}', '{\n  "x": 1, // x\n  "a": 1\n}'],
    ['{\n  "x": 1, // x\n}', '{\n  "x": 1, // x\n  "a": 1,\n}'],
    ['{\n\t"x": 1 }', '{\n\t"x": 1,\n\t"a": 1 }'],
    ['{\n  "x": 1\n  , "y": 2\n}', '{\n  "x": 1\n  , "y": 2,\n  "a": 1\n}'],
    ["{ // nothing\n}", '{ // nothing\n  "a": 1\n}'],
    ["{ /* nothing */ }", '{ /* nothing */ "a": 1 }'],
    ["{\n    // nothing\n}", '{\n    // nothing\n    "a": 1\n}'],
    ['{\n  "x": 1\n  // last words\n}', '{\n  "x": 1,\n  "a": 1\n  // last words\n}'],
    ['{\r\n  "x": 1\r\n}', '{\r\n  "x": 1,\r\n  "a": 1\r\n}'],
  ])("%j becomes %j, and back", (before, after) => {
    expect(inserted("jsonc", before, [], "a", 1)).toBe(after);
  });
});

describe("words of a list", () => {
  test.each([
    ['["-y"]', '["p", "q", "-y"]'],
    ['["-y","x"]', '["p","q","-y","x"]'],
    ["[]", '["p", "q"]'],
    ["[ ]", '[ "p", "q"]'],
    ['[\n  "-y"\n]', '[\n  "p",\n  "q",\n  "-y"\n]'],
    ['[ // words\n  // about\n  "-y" // yes\n]', '[ // words\n  "p",\n  "q",\n  // about\n  "-y" // yes\n]'],
  ])("%j becomes %j, and back", (before, after) => {
    const document = jsonc.parse(`{"args": ${before}}`);
    const result = edited(document, jsonc.insertElements(document, ["args"], 0, ["p", "q"]));
    expect(result).toBe(`{"args": ${after}}`);
    const there = jsonc.parse(result);
    expect(edited(there, jsonc.removeElements(there, ["args"], 0, 2))).toBe(document.text);
  });
});

describe("what is taken out", () => {
  test.each([
    [
      '{\n  "a": 1, // a\n  // about b\n  "b": 2, // b\n  "c": 3\n}',
      "b",
      '{\n  "a": 1, // a\n  // about b\n  "c": 3\n}',
    ],
    ['{\n  "a": 1, // a\n  "b": 2 // b\n}', "b", '{\n  "a": 1 // a\n}'],
    ['{\n  "a": 1, // a\n  // about b\n  "b": 2 }', "b", '{\n  "a": 1 // a\n  // about b\n }'],
    ['{\n  "a": 1\n  , "b": 2\n}', "b", '{\n  "a": 1\n}'],
    ['{ "a": 1, "b": 2 }', "a", '{ "b": 2 }'],
    ['{\n  "b": 2,\n}', "b", "{}"],
    ['{ "b": 2 }', "b", "{}"],
  ])("%j without %j is %j", (before, key, after) => {
    const document = jsonc.parse(before);
    expect(edited(document, jsonc.removeMember(document, [key]))).toBe(after);
  });
});

describe("a file that is left alone", () => {
  const cases: [ConfigFormatId, string, number, number, RegExp][] = [
    ["json", '{\n  "a": 1,\n}', 2, 9, /comma before the closing }/],
    ["json", '{\n  "a": 1 // x\n}', 2, 10, /comment is not allowed/],
    ["json-comments", "[1, // x\n]", 1, 3, /comma before the closing ]/],
    ["jsonc", '{"a" 1}', 1, 6, /colon/],
    ["jsonc", '{"a": 1', 1, 8, /closing }/],
    ["jsonc", '{"a": secret}', 1, 7, /no JSON value/],
    ["jsonc", '{"a": 1}\r\n\r\nmore', 3, 1, /no JSON value|should end/],
    ["json", '{"a": "x\ty"}', 1, 7, /character/],
  ];
  test.each(cases)("%s %j", (id, text, line, column, message) => {
    const error = caught(() => formatOf(id).parse(text));
    expect(error).toMatchObject({ line, column });
    expect(error.message).toMatch(message);
    expect(error.message).not.toContain("secret");
  });

  test("is one that is nested beyond reason", () => {
    for (const text of ["[".repeat(100_000), '{"a":'.repeat(100_000), "[".repeat(100_000) + "]".repeat(100_000)]) {
      expect(caught(() => json.parse(text)).message).toMatch(/nested too deep/);
    }
  });

  test("is one where a change would be of one of two equal keys", () => {
    const document = json.parse('{"a": {"x": 1}, "a": {"y": 2}}');
    expect(document.root.value).toEqual({ a: { y: 2 } });
    expect(caught(() => json.removeMember(document, ["a"]))).toMatchObject({ line: 1, column: 17 });
  });

  test("is one where the place is no object, or is taken", () => {
    const document = json.parse('{"a": 1, "b": []}');
    expect(() => json.insertMember(document, ["a"], "x", 1)).toThrow(ConfigSyntaxError);
    expect(() => json.insertMember(document, ["b", 0], "x", 1)).toThrow(ConfigSyntaxError);
    expect(() => json.insertMember(document, [], "a", 1)).toThrow(ConfigSyntaxError);
    expect(() => json.insertElements(document, ["a"], 0, [1])).toThrow(ConfigSyntaxError);
    expect(() => json.removeElements(document, ["b"], 0, 1)).toThrow(ConfigSyntaxError);
    expect(() => json.replaceValue(document, ["c"], 1)).toThrow(ConfigSyntaxError);
  });
});

test("`__proto__` is a key like any other", () => {
  const document = json.parse('{"__proto__": {"a": 1}}');
  expect(Object.keys(document.root.value as object)).toEqual(["__proto__"]);
  expect(edited(document, json.replaceValue(document, ["__proto__", "a"], 2))).toBe('{"__proto__": {"a": 2}}');
});

test("a file of 5 MB is read whole and changed in one place", () => {
  const servers = Object.fromEntries(
    Array.from({ length: 20_000 }, (_, at) => [`s${at}`, { ...ENTRY, pad: "x".repeat(100) }]),
  );
  const text = JSON.stringify({ mcpServers: servers }, null, 2);
  expect(text.length).toBeGreaterThan(5_000_000);
  const document = json.parse(text);
  const edits = json.insertElements(document, ["mcpServers", "s10000", "args"], 0, ["x"]);
  expect(edits).toMatchObject([{ length: 0, text: '\n        "x",' }]);
});

function caught(run: () => unknown): ConfigSyntaxError {
  try {
    run();
  } catch (cause) {
    if (cause instanceof ConfigSyntaxError) return cause;
    throw cause;
  }
  throw new Error("it was taken");
}
