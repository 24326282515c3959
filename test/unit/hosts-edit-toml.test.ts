import { describe, expect, test } from "vitest";
import { type ConfigPath, ConfigSyntaxError } from "../../src/hosts/edit/config-text.ts";
import { applyEdits, formatOf } from "../../src/hosts/edit/formats.ts";
import { CODEX_TOML } from "./hosts-edit-fixtures.ts";

const toml = formatOf("toml");
const ENTRY = { command: "bir", args: ["proxy", "--"], env: { A: "C:\\x" } };

/** The text with a member put in; and taken out again it is as before. `gone`: the first part of its path that was not there. */
function inserted(
  text: string,
  path: ConfigPath,
  key: string,
  value: unknown,
  beside?: string,
  gone = [...path, key],
): string {
  const document = toml.parse(text);
  const result = applyEdits(text, toml.insertMember(document, path, key, value, beside));
  const there = toml.parse(result);
  expect(applyEdits(result, toml.removeMember(there, gone))).toBe(text);
  return result;
}

function removed(text: string, path: ConfigPath): string {
  return applyEdits(text, toml.removeMember(toml.parse(text), path));
}

describe("a server in Codex's file", () => {
  const SECTION = '[mcp_servers.new]\ncommand = "bir"\nargs = ["proxy", "--"]\nenv = { A = \'C:\\x\' }\n';

  test("goes behind the last one", () => {
    const result = inserted(CODEX_TOML, ["mcp_servers"], "new", ENTRY);
    expect(result).toContain(`X-Team = """\nblue"""\n\n${SECTION}\n[projects."/home/me/repo"]`);
  });

  test("goes behind the one that is named, before the comment of the next", () => {
    const result = inserted(CODEX_TOML, ["mcp_servers"], "new", ENTRY, "files");
    expect(result).toContain(`startup_timeout_sec = 20\n\n${SECTION}\n# The tracker\n[mcp_servers."issue tracker"]`);
  });

  test("is the first of all", () => {
    expect(inserted("", ["mcp_servers"], "new", ENTRY)).toBe(SECTION);
    expect(inserted("\n\n", ["mcp_servers"], "new", ENTRY)).toBe(`${SECTION}\n\n`);
    expect(inserted("model = 1", ["mcp_servers"], "new", ENTRY)).toBe(`model = 1\n\n${SECTION.trimEnd()}`);
    expect(inserted("# c\r\n", ["mcp_servers"], "new", {})).toBe("# c\r\n\r\n[mcp_servers.new]\r\n");
    expect(inserted("[mcp_servers]\n", ["mcp_servers"], "new", {})).toBe("[mcp_servers]\n\n[mcp_servers.new]\n");
  });

  test("is taken out with its tables and its comment, and nothing else", () => {
    const [before, after] = [CODEX_TOML.indexOf("\n\n# The tracker"), CODEX_TOML.indexOf("\n\n[projects")];
    expect(removed(CODEX_TOML, ["mcp_servers", "issue tracker"])).toBe(
      CODEX_TOML.slice(0, before) + CODEX_TOML.slice(after),
    );
  });
});

describe("a member of a server", () => {
  const files = ["mcp_servers", "files"];
  const tracker = ["mcp_servers", "issue tracker"];
  test("is a line, an inline pair, or a word of a list over lines", () => {
    expect(inserted(CODEX_TOML, files, "cwd", "/x", "command")).toContain('command = "npx"\ncwd = "/x"\nargs');
    expect(inserted(CODEX_TOML, tracker, "env", { A: "b" })).toContain('"TRACKER_TOKEN"\nenv = { A = "b" }\n\n[');
    expect(inserted(CODEX_TOML, [...files, "env"], "B C", 1)).toContain(`"LOG LEVEL" = "debug", "B C" = 1 }`);
    expect(inserted(CODEX_TOML, [...tracker, "http_headers"], "Y", "1")).toContain('blue"""\nY = "1"\n\n[projects');

    const document = toml.parse(CODEX_TOML);
    const result = applyEdits(CODEX_TOML, toml.insertElements(document, [...files, "args"], 0, ["proxy", "--"]));
    expect(result).toContain('args = [\n  "proxy",\n  "--",\n  "-y",          # yes to all\n');
    expect(applyEdits(result, toml.removeElements(toml.parse(result), [...files, "args"], 0, 2))).toBe(CODEX_TOML);
  });

  test("goes beside the dotted keys that make its table", () => {
    const text = 'mcp_servers.x.command = "a" # keep\r\nmcp_servers . "y z".command = "b"\r\n[t]\r\n';
    expect(inserted(text, ["mcp_servers", "y z"], "args", ["-y"])).toBe(
      'mcp_servers.x.command = "a" # keep\r\nmcp_servers . "y z".command = "b"\r\nmcp_servers . "y z".args = ["-y"]\r\n[t]\r\n',
    );
    expect(inserted(text, ["mcp_servers", "x"], "args", [])).toContain("# keep\r\nmcp_servers.x.args = []\r\n");
  });

  test("at the top of a file that begins with a table", () => {
    expect(inserted("# mine\n\n# about a\n[a]\n", [], "x", true)).toBe("# mine\n\nx = true\n\n# about a\n[a]\n");
    expect(inserted("[a]\n", ["features"], "hooks", true, undefined, ["features"])).toBe(
      "[a]\n\n[features]\nhooks = true\n",
    );
    expect(inserted("[a.b]\nx = 1\n", ["a"], "y", 1)).toBe("[a.b]\nx = 1\n\n[a]\ny = 1\n");
  });
});

test("arrays of tables", () => {
  const document = toml.parse(CODEX_TOML);
  const result = applyEdits(CODEX_TOML, toml.insertElements(document, ["hooks", "Stop"], 2, [{ matcher: "y" }]));
  expect(result).toBe(`${CODEX_TOML.trimEnd()}\n\n[[hooks.Stop]]\nmatcher = "y"\n`);
  expect(applyEdits(result, toml.removeElements(toml.parse(result), ["hooks", "Stop"], 2, 1))).toBe(CODEX_TOML);
  expect(inserted(CODEX_TOML, ["hooks", "Stop", 0], "on", true)).toContain('matcher = ""\non = true\n[[');
  expect(removed(CODEX_TOML, ["hooks", "Stop"])).toBe(
    CODEX_TOML.slice(0, CODEX_TOML.indexOf("\n\n[[hooks")).concat("\n"),
  );
});

test("the text of each string is at its place, quotes and all", () => {
  const { root } = toml.parse(CODEX_TOML);
  const at = (...path: string[]) => {
    const node = path.reduce((one, key) => one.members.find((member) => member.key === key)?.value ?? one, root);
    return CODEX_TOML.slice(node.start, node.end);
  };
  expect(at("approval_policy")).toBe("'on-request'");
  expect(at("mcp_servers", "files", "env", "LOG LEVEL")).toBe('"debug"');
  expect(at("mcp_servers", "issue tracker", "http_headers", "X-Team")).toBe('"""\nblue"""');
});

describe("what cannot be done is said", () => {
  test("a table in pieces is not replaced, TOML has no null", () => {
    const document = toml.parse(CODEX_TOML);
    expect(() => toml.replaceValue(document, ["mcp_servers", "files"], {})).toThrow(ConfigSyntaxError);
    expect(() => toml.insertMember(document, ["mcp_servers", "files"], "x", null)).toThrow(/null/);
    expect(() => toml.replaceValue(document, ["model"], null)).toThrow(/null/);
  });

  test.each([
    ['a = 1\nb = "x', 2, 7],
    ["a = 1\r\na = 2", 2, 1],
    ["[a]\n[a]", 2, 2],
  ])("%j at line %d, column %d", (text, line, column) => {
    expect(() => toml.parse(text)).toThrow(ConfigSyntaxError);
    try {
      toml.parse(text);
    } catch (cause) {
      expect(cause).toMatchObject({ line, column });
    }
  });

  test("nesting beyond reason", () => {
    for (const text of [
      `a = ${"[".repeat(100_000)}${"]".repeat(100_000)}`,
      `a${".a".repeat(100_000)} = 1`,
      `[a${".a".repeat(100_000)}]`,
    ]) {
      expect(() => toml.parse(text)).toThrow(ConfigSyntaxError);
    }
  });
});
