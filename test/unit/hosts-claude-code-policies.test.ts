import { describe, expect, test } from "vitest";
import { CLAUDE_CODE } from "../../src/hosts/claude-code/host.ts";
import { Machine, reason, remote, stdio, WRAPPED } from "./hosts-claude-code-fixture.ts";

const USER = "home/.claude/settings.json";
const MANAGED = "managed/managed-settings.json";

function told(settings: Record<string, object>, entry = stdio("files")): string | null {
  const machine = new Machine();
  machine.repository("repo");
  for (const [file, content] of Object.entries(settings)) machine.file(file, content);
  return reason(machine.lists("repo").at(-1)!, entry);
}

describe("rules about servers", () => {
  const byName = { serverName: "files" };
  const byCommand = { serverCommand: ["server", "--flag"] };
  const byWrapped = { serverCommand: WRAPPED };
  const api = remote("files", "https://api.example.com/mcp");

  test.each([
    ["no rule", {}, null],
    ["allowed by name", { allowedMcpServers: [byName] }, null],
    ["nothing is allowed", { allowedMcpServers: [] }, "forbidden"],
    ["another one is allowed", { allowedMcpServers: [{ serverName: "other" }] }, "forbidden"],
    ["allowed by its command: the wrapped one is not", { allowedMcpServers: [byCommand] }, "forbidden-wrapped"],
    ["allowed by both commands", { allowedMcpServers: [byCommand, byWrapped] }, null],
    ["a name does not count where a command does", { allowedMcpServers: [byName, byWrapped] }, "forbidden"],
    ["denied by name", { deniedMcpServers: [byName] }, "forbidden"],
    ["denied by command: wrapping must not get round it", { deniedMcpServers: [byCommand] }, "forbidden"],
    ["our command is denied", { deniedMcpServers: [byWrapped] }, "forbidden-wrapped"],
  ])("%s", (_, settings, expected) => {
    expect(told({ [USER]: settings })).toBe(expected);
    expect(told({ "repo/.claude/settings.json": settings })).toBe(expected);
    expect(told({ [MANAGED]: settings })).toBe(expected);
    expect(told({ "managed/managed-settings.d/10-mcp.json": settings })).toBe(expected);
  });

  test.each([
    [
      "allowed by URL: as a program it is not",
      { allowedMcpServers: [{ serverUrl: "https://*.example.com/*" }] },
      "forbidden-wrapped",
    ],
    ["allowed by URL and by name", { allowedMcpServers: [{ serverUrl: "https://*.example.com/*" }, byName] }, null],
    ["another URL is allowed", { allowedMcpServers: [{ serverUrl: "https://example.org/*" }, byName] }, "forbidden"],
    [
      "denied by URL: wrapping must not get round it",
      { deniedMcpServers: [{ serverUrl: "https://api.example.com/*" }] },
      "forbidden",
    ],
    ["a dot is a dot", { deniedMcpServers: [{ serverUrl: "https://apiXexample.com/*" }] }, null],
  ])("of a remote server: %s", (_, settings, expected) => {
    expect(told({ [USER]: settings }, api)).toBe(expected);
  });

  test("of all settings count together, of an administrator's alone where that is said", () => {
    const mine = { allowedMcpServers: [byName] };
    expect(told({ [USER]: mine, "repo/.claude/settings.json": { allowedMcpServers: [] } })).toBeNull();
    const only = { allowManagedMcpServersOnly: true, allowedMcpServers: [{ serverName: "other" }] };
    expect(told({ [USER]: mine, [MANAGED]: { ...only, allowManagedMcpServersOnly: false } })).toBeNull();
    expect(told({ [USER]: mine, [MANAGED]: only })).toBe("forbidden");
  });

  test("have variables filled in, on both sides", () => {
    const form = (name: string) => `$\{${name}}`;
    const machine = new Machine();
    machine.directory("repo");
    machine.env.TOOLS = "/tools";
    machine.file(USER, { deniedMcpServers: [{ serverCommand: ["/tools/server", form("MODE:-fast")] }] });
    const user = machine.lists("repo").at(-1)!;
    expect(reason(user, stdio("a", `${form("TOOLS")}/server`, "fast"))).toBe("forbidden");
    expect(reason(user, stdio("a", `${form("OTHER")}/server`, "fast"))).toBeNull();
  });

  test("that cannot be read say nothing, as with the host", () => {
    expect(told({ [USER]: { allowedMcpServers: "files" } })).toBeNull();
    const machine = new Machine();
    machine.directory("repo");
    machine.file(USER, '{ "allowedMcpServers": [] // none\n}');
    expect(reason(machine.lists("repo").at(-1)!, stdio("files"))).toBeNull();
  });
});

describe("an administrator", () => {
  test("who gives the servers leaves none of the person's own", () => {
    const machine = new Machine();
    machine.repository("repo");
    machine.file("managed/managed-mcp.json", { mcpServers: { corporate: { command: "x" } } });
    for (const list of machine.lists("repo")) {
      expect(list.leave(stdio("files"), WRAPPED)).toMatchObject({
        code: "managed",
        why: expect.stringContaining("managed-mcp.json"),
      });
    }
    expect(CLAUDE_CODE.foreignServers(machine.place("repo"), machine.options())).toMatchObject([{ name: "corporate" }]);
  });

  test("may let only plugins bring servers; a person's own settings cannot", () => {
    const strict = { strictPluginOnlyCustomization: ["mcp"] };
    expect(told({ [MANAGED]: strict })).toBe("managed");
    expect(told({ [MANAGED]: { strictPluginOnlyCustomization: true } })).toBe("managed");
    expect(told({ [MANAGED]: { strictPluginOnlyCustomization: ["hooks"] } })).toBeNull();
    expect(told({ [USER]: strict })).toBeNull();
  });
});
