import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { CLAUDE_CODE } from "../../src/hosts/claude-code/host.ts";
import { Machine, reason, remote, stdio } from "./hosts-claude-code-fixture.ts";

const SERVERS = { mcpServers: { files: { command: "server", args: ["--flag"] } } };
const APPROVED = { enabledMcpjsonServers: ["files"] };
const OURS = { command: "/opt/bir", args: ["proxy", "--server-name", "files", "--", "server"] };

function trusted(machine: Machine, more: object = {}, key = "repo"): void {
  machine.file("home/.claude.json", {
    projects: { [join(machine.root, key)]: { hasTrustDialogAccepted: true, ...more } },
  });
}

/** A repository whose `.mcp.json` has one approved server. */
function approvedRepository(): Machine {
  const machine = new Machine();
  machine.repository("repo");
  machine.file("repo/.mcp.json", SERVERS);
  machine.file("repo/.claude/settings.local.json", APPROVED);
  trusted(machine);
  return machine;
}

describe("lists", () => {
  test("come in the order of their precedence", () => {
    const machine = approvedRepository();
    machine.file("repo/pkg/.mcp.json", SERVERS);
    machine.file(".mcp.json", SERVERS);
    const seen = machine
      .lists("repo/pkg")
      .map(({ list: { scope, file, path, directory } }) => [
        scope,
        file.slice(machine.root.length + 1),
        path.join(" "),
        directory?.slice(machine.root.length + 1) ?? null,
      ]);
    expect(seen).toEqual([
      ["local", "home/.claude.json", `projects ${machine.root}/repo mcpServers`, "repo"],
      ["project", "repo/pkg/.mcp.json", "mcpServers", "repo/pkg"],
      ["project", "repo/.mcp.json", "mcpServers", "repo"],
      ["project", ".mcp.json", "mcpServers", ""],
      ["user", "home/.claude.json", "mcpServers", null],
    ]);
    const plain = CLAUDE_CODE.lists(machine.place("repo/pkg"));
    expect(plain).toEqual(machine.lists("repo/pkg").map(({ list }) => list));
    expect(plain.filter(({ shared }) => shared).map(({ scope }) => scope)).toEqual(["project", "project", "project"]);
  });

  test("are where CLAUDE_CONFIG_DIR says, or in the file of old times", () => {
    const machine = new Machine();
    machine.directory("repo");
    machine.env.CLAUDE_CONFIG_DIR = machine.directory("moved");
    expect(machine.lists("repo")[0]?.list.file).toBe(join(machine.root, "moved/.claude.json"));
    machine.env = {};
    machine.file("home/.claude/.config.json", {});
    expect(machine.lists("repo")[0]?.list.file).toBe(join(machine.root, "home/.claude/.config.json"));
  });

  test("have a worktree's own list beside the project's where the state has one", () => {
    const machine = new Machine();
    machine.repository("repo");
    const tree = machine.worktree("wt", "repo");
    expect(machine.lists("wt").filter(({ list }) => list.scope === "local")).toHaveLength(1);
    machine.file("home/.claude.json", { projects: { [tree]: {} } });
    const keys = machine.lists("wt").flatMap(({ list }) => (list.scope === "local" ? [list.path[1]] : []));
    expect(keys).toEqual([join(machine.root, "repo"), tree]);
  });

  test("say where a copy goes, and what the host locks", () => {
    const machine = approvedRepository();
    const [local, shared, user] = machine.lists("repo");
    expect(local?.shadowIn).toBeNull();
    expect(user?.shadowIn).toBeNull();
    expect(shared?.shadowIn).toEqual(local?.list);
    expect([local, shared, user].map((one) => one?.lock)).toEqual(
      Array.from({ length: 3 }, () => join(machine.home, ".claude.json.lock")),
    );
    const inPlace = machine.lists("repo", { inPlace: true })[1];
    expect(inPlace).toMatchObject({ shadowIn: null, lock: null });
  });
});

describe("a shared server", () => {
  test("may be copied once it is approved", () => {
    expect(approvedRepository().shared("repo", "files")).toBeNull();
  });

  test.each([
    ["nobody said anything", {}, "not-approved"],
    ["another name was approved", { enabledMcpjsonServers: ["Files", "fi les"] }, "not-approved"],
    ["it was rejected", { ...APPROVED, disabledMcpjsonServers: ["files"] }, "rejected"],
    ["all were approved", { enableAllProjectMcpServers: true }, null],
  ])("%s", (_, settings, expected) => {
    const machine = approvedRepository();
    machine.file("repo/.claude/settings.local.json", settings);
    expect(machine.shared("repo", "files")).toBe(expected);
  });

  test("is rejected under a name that tools would have in common", () => {
    const machine = approvedRepository();
    machine.file("repo/.mcp.json", { mcpServers: { "fi.les": {} } });
    const both = { enabledMcpjsonServers: ["fi.les"], disabledMcpjsonServers: ["fi_les"] };
    machine.file("repo/.claude/settings.local.json", both);
    expect(machine.shared("repo", "fi.les")).toBe("rejected");
  });

  test("is not approved by a project that is not trusted, but by the user's settings", () => {
    const machine = approvedRepository();
    machine.file("home/.claude.json", { projects: {} });
    expect(machine.shared("repo", "files")).toBe("not-approved");
    // Trust of a directory above is none.
    trusted(machine, {}, "");
    expect(machine.shared("repo", "files")).toBe("not-approved");
    machine.file("home/.claude/settings.json", APPROVED);
    expect(machine.shared("repo", "files")).toBeNull();
  });

  test("is approved where earlier versions kept it, and in the root's settings for a directory below", () => {
    const machine = approvedRepository();
    machine.directory("repo/pkg");
    expect(machine.shared("repo/pkg", "files", { at: "repo" })).toBeNull();
    machine.file("repo/.claude/settings.local.json", {});
    expect(machine.shared("repo", "files")).toBe("not-approved");
    trusted(machine, APPROVED);
    expect(machine.shared("repo", "files")).toBeNull();
  });

  test("that is not approved may be wrapped where it is: it is still asked about; a rejected one is not touched", () => {
    const machine = approvedRepository();
    machine.file("repo/.claude/settings.local.json", {});
    expect(machine.shared("repo", "files", { inPlace: true })).toBeNull();
    machine.file("repo/.claude/settings.local.json", { disabledMcpjsonServers: ["files"] });
    expect(machine.shared("repo", "files", { inPlace: true })).toBe("rejected");
  });

  test("is left where a local one of its name is used, unless that is ours", () => {
    const machine = approvedRepository();
    trusted(machine, { mcpServers: { files: { command: "other" } } });
    expect(machine.shared("repo", "files")).toBe("hidden");
    trusted(machine, { mcpServers: { files: OURS } });
    expect(machine.shared("repo", "files")).toBeNull();
  });

  test("is left where a nearer file has its name", () => {
    const machine = approvedRepository();
    machine.file(".mcp.json", SERVERS);
    expect(machine.shared("repo", "files", { at: "" })).toBe("hidden");
    expect(machine.shared("repo", "files", { at: "", inPlace: true })).toBe("hidden");
    machine.file("repo/.mcp.json", { mcpServers: {} });
    expect(machine.shared("repo", "files", { at: "" })).toBeNull();
  });

  test("is not copied from a directory below the root: the root has no such server", () => {
    const machine = approvedRepository();
    machine.file("repo/.mcp.json", {});
    machine.file("repo/pkg/.mcp.json", SERVERS);
    expect(machine.shared("repo/pkg", "files")).toBe("part-of-project");
    expect(machine.shared("repo/pkg", "files", { inPlace: true })).toBeNull();
  });

  test("of a worktree is copied where the main one has the same, or where the worktree has a list of its own", () => {
    const machine = approvedRepository();
    machine.worktree("wt", "repo");
    machine.file("wt/.mcp.json", SERVERS);
    expect(machine.shared("wt", "files")).toBeNull();
    machine.file("repo/.mcp.json", { mcpServers: { files: { command: "server", args: ["--other"] } } });
    expect(machine.shared("wt", "files")).toBe("other-worktree");
    machine.file("repo/.mcp.json", "{ half");
    expect(machine.shared("wt", "files")).toBe("other-worktree");
    trusted(machine, {}, "wt");
    machine.file("wt/.claude/settings.local.json", APPROVED);
    expect(machine.shared("wt", "files", { version: [2, 0, 76] })).toBeNull();
  });
});

describe("any server", () => {
  test("is left for a name that is kept, and for a URL without a type", () => {
    const machine = approvedRepository();
    for (const list of machine.lists("repo")) {
      expect(reason(list, stdio("workspace"))).toBe("reserved-name");
      expect(reason(list, remote("api", "https://example.com/mcp", null))).toBe("unused");
    }
    expect(reason(machine.lists("repo")[2]!, remote("api", "https://example.com/mcp"))).toBeNull();
  });

  test("is left where wrapping it would start the same server of a plugin", () => {
    const machine = new Machine();
    machine.directory("repo");
    const installPath = machine.directory("plugin");
    const plugins = { version: 2, plugins: { "plug@market": [{ scope: "user", installPath }] } };
    machine.file("home/.claude/plugins/installed_plugins.json", plugins);
    machine.file("plugin/.mcp.json", { inner: { command: "server", args: ["--flag"] } });
    const user = () => machine.lists("repo").at(-1)!;
    expect(reason(user(), stdio("files"))).toBeNull();
    machine.file("home/.claude/settings.json", { enabledPlugins: { "plug@market": true } });
    expect(reason(user(), stdio("files"))).toBe("twin");
    expect(reason(user(), stdio("files", "server", "--other"))).toBeNull();
    expect(CLAUDE_CODE.foreignServers(machine.place("repo"), machine.options())).toMatchObject([
      { name: "plugin:plug:inner", file: join(installPath, ".mcp.json") },
    ]);
  });
});
