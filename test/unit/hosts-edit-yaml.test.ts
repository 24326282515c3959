import { describe, expect, test } from "vitest";
import { type ConfigPath, ConfigSyntaxError } from "../../src/hosts/edit/config-text.ts";
import { applyEdits, formatOf } from "../../src/hosts/edit/formats.ts";
import { CONTINUE_YAML, GOOSE_YAML } from "./hosts-edit-fixtures.ts";

const yaml = formatOf("yaml");
const ENTRY = { type: "stdio", cmd: "bir", args: ["proxy", "--server-name", "my files", "--"], envs: { A: "yes" } };

function inserted(text: string, path: ConfigPath, key: string, value: unknown, beside?: string): string {
  const result = applyEdits(text, yaml.insertMember(yaml.parse(text), path, key, value, beside));
  expect(applyEdits(result, yaml.removeMember(yaml.parse(result), [...path, key]))).toBe(text);
  return result;
}

function withElements(text: string, path: ConfigPath, index: number, values: unknown[]): string {
  const result = applyEdits(text, yaml.insertElements(yaml.parse(text), path, index, values));
  expect(applyEdits(result, yaml.removeElements(yaml.parse(result), path, index, values.length))).toBe(text);
  return result;
}

function replaced(text: string, path: ConfigPath, value: unknown): string {
  return applyEdits(text, yaml.replaceValue(yaml.parse(text), path, value));
}

describe("Goose's file", () => {
  const files = ["extensions", "files"];

  test("gets an entry behind the last one and its comments", () => {
    expect(inserted(GOOSE_YAML, ["extensions"], "new", ENTRY)).toContain(`    timeout: 300
    # available_tools: []
  new:
    type: stdio
    cmd: bir
    args:
    - proxy
    - --server-name
    - my files
    - "--"
    envs:
      A: "yes"
GOOSE_MODEL: claude   # big
`);
  });

  test("gets words, variables and another command", () => {
    expect(withElements(GOOSE_YAML, [...files, "args"], 0, ["proxy", "--"])).toContain(
      'args:\n    - proxy\n    - "--"\n    - -y\n',
    );
    expect(withElements(GOOSE_YAML, [...files, "args"], 2, ["x"])).toContain("# latest\n    - x\n    envs");
    expect(inserted(GOOSE_YAML, [...files, "envs"], "A", "b: c")).toContain('envs: {A: "b: c"}\n');
    expect(inserted(GOOSE_YAML, files, "x", "", "description")).toContain('writes them.\n    x: ""\n    timeout');
    expect(replaced(GOOSE_YAML, [...files, "cmd"], "/usr/bin/bir")).toBe(
      GOOSE_YAML.replace("cmd: npx", "cmd: /usr/bin/bir"),
    );
    expect(replaced(GOOSE_YAML, [...files, "description"], "x")).toContain("    description: x\n    timeout");
    expect(replaced(GOOSE_YAML, [...files, "args"], ["a"])).toContain("    args:\n    - a   # latest\n    envs");
    expect(replaced(GOOSE_YAML, [...files, "args"], [])).toContain("    args: []   # latest\n    envs");
  });

  test("has no entries yet", () => {
    expect(inserted("extensions: {} # none\nx: 1\n", ["extensions"], "a", { cmd: "b" })).toBe(
      "extensions: # none\n  a:\n    cmd: b\nx: 1\n",
    );
    expect(inserted("a: 1\r\nextensions:  {}", ["extensions"], "a", { cmd: "b" })).toBe(
      "a: 1\r\nextensions:  {a: {cmd: b}}",
    );
    expect(inserted("", [], "a", { cmd: "b" })).toBe("a:\n  cmd: b\n");
    expect(inserted("# mine\n---\n", [], "a", 1)).toBe("# mine\n---\na: 1\n");
    const text = "extensions:\n# none\nx: 1\n";
    const document = yaml.parse(text);
    expect(applyEdits(text, yaml.insertMember(document, ["extensions"], "a", { cmd: "b" }))).toBe(
      "extensions:\n  a:\n    cmd: b\n# none\nx: 1\n",
    );
  });
});

describe("Continue's list", () => {
  test("gets an entry where it is meant to be", () => {
    const written = "  - name: new\n    command: bir\n    args: [proxy]\n";
    const entry = { name: "new", command: "bir", args: ["proxy"] };
    expect(withElements(CONTINUE_YAML, ["mcpServers"], 2, [entry])).toBe(CONTINUE_YAML + written);
    expect(withElements(CONTINUE_YAML, ["mcpServers"], 0, [entry])).toContain(
      `mcpServers:\n${written}  # first\n  - name: files`,
    );
    expect(withElements(CONTINUE_YAML, ["mcpServers"], 1, [entry])).toContain(
      `secrets.TOKEN }}\n${written}\n  - name: tracker`,
    );
    expect(withElements("mcpServers: []\n", ["mcpServers"], 0, [entry])).toContain("mcpServers:\n  - name: new\n");
  });

  test("gets members in an entry", () => {
    expect(inserted(CONTINUE_YAML, ["mcpServers", 1], "env", { A: "b" }, "type")).toContain(
      "    type: streamable-http\n    env:\n      A: b\n    url:",
    );
    expect(inserted(CONTINUE_YAML, ["mcpServers", 0, "env"], "A", "b")).toContain(
      "secrets.TOKEN }}\n      A: b\n\n  - name",
    );
    expect(withElements(CONTINUE_YAML, ["mcpServers", 0, "args"], 0, ["x y"])).toContain(
      'args: [x y, "-y", "files-mcp"]',
    );
  });

  test("loses the first key of an entry, and the dash stays", () => {
    const document = yaml.parse(CONTINUE_YAML);
    expect(applyEdits(CONTINUE_YAML, yaml.removeMember(document, ["mcpServers", 1, "name"]))).toContain(
      "\n  - type: streamable-http\n",
    );
  });
});

test("what is a string to every reader of YAML stays one", () => {
  for (const value of [
    "yes",
    "no",
    "on",
    "y",
    "null",
    "~",
    "1",
    "1.5",
    "0x1",
    "1:30",
    "2001-01-01",
    ".inf",
    "",
    " a",
    "a ",
    "a: b",
    "a #b",
    "- a",
    "*a",
    "&a",
    "!a",
    "@a",
    "%a",
    "a\nb",
    "\u2028",
    "---",
    "...",
    "<<",
    "=",
  ]) {
    const text = replaced("a: x\n", ["a"], value);
    expect(yaml.parse(text).root.value).toEqual({ a: value });
    if (!/^(a|- a)/.test(value)) expect(text).toMatch(/^a: ".*"\n$/);
  }
});

test("the text of each string is at its place, quotes and all", () => {
  const text = "a: plain\n  over lines  # c\nb: 'single'\nc: |+\n  block\n\nd: >-\n  folded\ne: [x y, \"z\"]\n";
  const { root } = yaml.parse(text);
  const texts = root.members.map(({ value }) => text.slice(value.start, value.end));
  expect(texts).toEqual(["plain\n  over lines", "'single'", "|+\n  block\n", ">-\n  folded", '[x y, "z"]']);
  expect(root.members[4]?.value.elements.map(({ start, end }) => text.slice(start, end))).toEqual(["x y", '"z"']);
});

describe("what cannot be done safely is refused", () => {
  const SHARED =
    "base: &b\n  cmd: x\nextensions:\n  a: *b\n  c:\n    <<: *b\n    y: 1\n  d:\n    y: 1\n  e: !mine {z: 1}\n";
  test("where an anchor or an alias shares it", () => {
    const document = yaml.parse(SHARED);
    for (const path of [["base"], ["extensions", "a"], ["extensions", "c"], ["extensions", "e"]]) {
      expect(() => yaml.insertMember(document, path, "q", 1)).toThrow(ConfigSyntaxError);
    }
    expect(() => yaml.replaceValue(document, ["base", "cmd"], "y")).toThrow(/anchor/);
    expect(() => yaml.replaceValue(document, ["extensions", "a"], "y")).toThrow(/anchor/);
    expect(() => yaml.removeMember(document, ["base"])).toThrow(ConfigSyntaxError);
    expect(inserted(SHARED, ["extensions", "d"], "q", 1)).toContain("    y: 1\n    q: 1\n  e:");
    expect(inserted(SHARED, ["extensions"], "q", { cmd: "b" })).toContain("{z: 1}\n  q:\n    cmd: b\n");
  });

  test.each([
    ["a: [1\nb: 2\n", 2, 1],
    ["a: 1\na: 2\n", 2, 1],
    ["a: *secret\n", 1, 4],
    ["a: 1\n---\nb: 2\n", 2, 1],
    ["a:\n\tb: secret\n", 2, 1],
    ["a: @secret\n", 1, 4],
  ])("%j at line %d, column %d, without its text", (text, line, column) => {
    let error: unknown;
    try {
      yaml.parse(text);
    } catch (cause) {
      error = cause;
    }
    expect(error).toBeInstanceOf(ConfigSyntaxError);
    expect(error).toMatchObject({ line, column });
    expect(String(error)).not.toContain("secret");
  });

  test("nesting beyond reason", () => {
    for (const text of ["[".repeat(100_000), "- ".repeat(100_000), "{a: ".repeat(100_000)]) {
      expect(() => yaml.parse(text)).toThrow(ConfigSyntaxError);
    }
  });
});
