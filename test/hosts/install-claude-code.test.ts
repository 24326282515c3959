/**
 * Claude Code before, with and after an installation: it uses the same servers each time, in between through bir, and what is
 * taken back is as it was, byte for byte.
 */

import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect } from "vitest";
import { readHostVersion } from "../../src/core/host-version.ts";
import { projectOf } from "../../src/hosts/claude-code/repository.ts";
import { text, use } from "../fakes/model-api/script.ts";
import { BIR } from "../harness/locations.ts";
import { listRuns, showRun } from "../harness/recorded-runs.ts";
import type { Sandbox } from "../harness/sandbox.ts";
import { installedVersions } from "./hosts/claude-peers.ts";
import { test as claudeTest } from "./hosts/claude-session.ts";
import { InstalledClaude } from "./hosts/install-claude.ts";
import { until } from "./hosts/until.ts";
import type { ClaudeVersion } from "./installed.ts";

const PROMPT = "Ask each which one it is";
const APPROVED = { enabledMcpjsonServers: ["shared"] };

interface State {
  mcpServers: { mine: { command: string; args: string[]; env: Record<string, string> } };
}

const test = claudeTest.extend<{
  claudeWith: (version: ClaudeVersion, servers: readonly string[]) => Promise<InstalledClaude>;
}>({
  claudeWith: async ({ box, claude }, run) => {
    await run(async (version, servers) => {
      const calls = servers.map((name) => use(`mcp__${name}__env`, { name: "WHICH" }));
      return new InstalledClaude(
        box,
        await claude(version, [{ name: "ask", prompt: PROMPT, turns: [calls, [text("Done.")]] }]),
      );
    });
  },
});

/** A repository with a server in each scope. */
function threeScopes(box: Sandbox, claude: InstalledClaude): void {
  claude.git("init", "-q");
  claude.put("project/.mcp.json", { mcpServers: { shared: claude.server("shared") } });
  claude.put("project/.gitignore", ".claude/settings.local.json\n");
  claude.git("add", ".");
  claude.git("commit", "-qm", "x");
  claude.put("project/.claude/settings.local.json", APPROVED);
  const local = { mcpServers: { near: claude.server("near") } };
  const user = { mcpServers: { mine: claude.server("mine") } };
  claude.put("home/.claude.json", claude.state({ [box.cwd]: local }, user));
}

async function recordedTools(box: Sandbox): Promise<string[]> {
  const runs = await listRuns(box);
  const steps = await Promise.all(runs.map(async ({ id }) => (await showRun(box, id)).steps));
  return steps
    .flat()
    .map(({ qualifiedName }) => qualifiedName)
    .toSorted();
}

/** Ends what was started on demand, once nothing else runs. */
async function settle(box: Sandbox): Promise<void> {
  await until("only the control server is left", () =>
    box.survivors().every(({ command }) => /\bhooks serve\b/.test(command)),
  );
}

describe.for(installedVersions())("Claude Code $version", ({ version }) => {
  const names = ["near", "shared", "mine"];
  const answers = [expect.stringContaining("near"), expect.stringContaining("shared"), expect.stringContaining("mine")];
  const direct = { near: "connected", shared: "connected", mine: "connected" };
  const through = {
    near: "connected through bir",
    shared: "connected through bir",
    mine: "connected through bir",
  };

  test("uses the servers of all three scopes, through bir, and as they were", async ({ box, claudeWith }) => {
    const claude = await claudeWith(version, names);
    threeScopes(box, claude);
    expect(await claude.listed()).toEqual(direct);
    expect(await claude.session(PROMPT, names)).toMatchObject({ code: 0, result: "Done.", answers });

    const { differences } = claude.snapshot();
    const done = ["local hooked", "local near wrapped", "local shared wrapped", "user mine wrapped"];
    expect(await claude.install({ hooks: "local" })).toEqual(done);
    // The file that is shared with others is as it was, and nobody sees anything in git.
    expect(claude.git("status", "--short")).toBe("");
    for (const _again of [1, 2]) {
      const found = await claude.install({ hooks: "local" });
      expect(found.every((line) => line.endsWith(" already"))).toBe(true);
    }
    expect(await claude.uninstall()).toEqual([
      "local near unwrapped",
      "local shared unwrapped",
      "local unhooked",
      "user mine unwrapped",
    ]);
    expect(differences()).toBe("");

    await claude.install({ hooks: "local" });
    expect(await claude.listed()).toEqual(through);
    expect(await claude.says(["mcp", "get", "shared"])).toMatch(/Scope: Local config/);
    expect(await claude.session(PROMPT, names)).toMatchObject({ code: 0, result: "Done.", answers });
    await settle(box);
    const [run] = await listRuns(box);
    expect(await showRun(box, run?.id ?? "none")).toMatchObject({ tier: "bound", input: PROMPT, finalAnswer: "Done." });
    expect(await recordedTools(box)).toEqual(names.map((name) => `mcp__${name}__env`).toSorted());
    expect((await box.bir(["down"])).code).toBe(0);

    const shared = claude.read("project/.mcp.json");
    await claude.uninstall();
    expect(claude.read("project/.mcp.json")).toBe(shared);
    expect(JSON.parse(claude.read("project/.claude/settings.local.json"))).toEqual(APPROVED);
    expect(claude.read("home/.claude.json")).not.toContain(BIR);
    expect(await claude.listed()).toEqual(direct);
    expect(await claude.session(PROMPT, names)).toMatchObject({ code: 0, result: "Done.", answers });
    expect(await listRuns(box)).toHaveLength(1);
    expect(claude.git("status", "--short")).toBe("");
  });

  test("keeps what a person changes in between", async ({ box, claudeWith }) => {
    const claude = await claudeWith(version, names);
    threeScopes(box, claude);
    claude.put("home/.claude/settings.json", { hooks: { Stop: [{ hooks: [{ type: "command", command: "true" }] }] } });
    const before = claude.read("project/.claude/settings.local.json");
    await claude.install({ hooks: "user" });
    await claude.says(["mcp", "add", "-s", "local", "added", "--", "/bin/true"]);
    await claude.says(["mcp", "add", "-s", "user", "everywhere", "--", "/bin/true"]);
    claude.edit<{ hooks: { Stop: object[] }; model?: string }>("home/.claude/settings.json", (settings) => {
      settings.hooks.Stop.push({ hooks: [{ type: "command", command: "false" }] });
      settings.model = "opus";
    });
    claude.edit<State>("home/.claude.json", ({ mcpServers: { mine } }) => {
      mine.env = { ...mine.env, MORE: "1" };
    });
    expect(await claude.uninstall()).toEqual([
      "local near unwrapped",
      "local shared unwrapped",
      "user mine taken-out",
      "user unhooked",
    ]);
    const { mcpServers, projects } = JSON.parse(claude.read("home/.claude.json"));
    const added = { type: "stdio", command: "/bin/true", args: [], env: {} };
    const mine = claude.server("mine");
    expect(mcpServers).toEqual({ mine: { ...mine, env: { ...mine.env, MORE: "1" } }, everywhere: added });
    expect(projects[box.cwd].mcpServers).toEqual({ near: claude.server("near"), added });
    expect(JSON.parse(claude.read("home/.claude/settings.json"))).toEqual({
      hooks: {
        Stop: [{ hooks: [{ type: "command", command: "true" }] }, { hooks: [{ type: "command", command: "false" }] }],
      },
      model: "opus",
    });
    expect(claude.read("project/.claude/settings.local.json")).toBe(before);
  });

  test("has a shared server wrapped where it is when that is asked for", async ({ box, claudeWith }) => {
    const claude = await claudeWith(version, names);
    threeScopes(box, claude);
    const { differences } = claude.snapshot();
    const done = ["local near wrapped", "project shared wrapped", "user mine wrapped"];
    expect(await claude.install({ inPlace: true })).toEqual(done);
    expect(claude.git("status", "--short")).toBe(" M .mcp.json\n");
    expect(await claude.listed()).toEqual(through);
    expect(await claude.says(["mcp", "list"])).not.toContain("Conflicting scopes");
    await claude.uninstall();
    expect(claude.git("status", "--short")).toBe("");
    expect(
      differences()
        .split("\n")
        .filter((line) => line.includes("mcp")),
    ).toEqual([]);
  });

  test("has no copy of a server that nobody has approved, and may be told no", async ({ box, claudeWith }) => {
    const claude = await claudeWith(version, names);
    threeScopes(box, claude);
    claude.put("project/.claude/settings.local.json", {});
    const { differences } = claude.snapshot();
    const left = await claude.install();
    expect(left).toEqual(["local near wrapped", "project shared left not-approved", "user mine wrapped"]);
    expect(JSON.parse(claude.read("home/.claude.json")).projects[box.cwd].mcpServers).not.toHaveProperty("shared");
    await claude.uninstall();
    expect(differences()).toBe("");
    // Only the newer one says so without a terminal.
    if (version === "2.1.332") expect(await claude.listed()).toMatchObject({ shared: "pending" });
  });

  test("has servers left that its rules would not let run", async ({ box, claudeWith }) => {
    const claude = await claudeWith(version, names);
    threeScopes(box, claude);
    const { command, args } = claude.server("");
    // Every server here has this command.
    claude.put("home/.claude/settings.json", { allowedMcpServers: [{ serverCommand: [command, ...args] }] });
    const { differences } = claude.snapshot();
    expect(await claude.install()).toEqual([
      "local near left forbidden-wrapped",
      "project shared left forbidden-wrapped",
      "user mine left forbidden-wrapped",
    ]);
    expect(differences()).toBe("");
    expect(await claude.listed()).toEqual(direct);
    // It is so: had they been wrapped, they would be gone.
    claude.edit<State>("home/.claude.json", (state) => {
      state.mcpServers.mine = { ...claude.server("mine"), command: BIR, args: ["proxy", "--", command, ...args] };
    });
    expect(await claude.listed()).toEqual({ near: "connected", shared: "connected" });
  });

  test("finds the servers in a worktree, through a link, and from above", async ({ box, claudeWith }) => {
    const claude = await claudeWith(version, ["shared", "above"]);
    claude.git("init", "-q");
    claude.put("project/.mcp.json", { mcpServers: { shared: claude.server("shared") } });
    claude.put(".mcp.json", { mcpServers: { above: claude.server("above") } });
    claude.git("add", ".");
    claude.git("commit", "-qm", "x");
    const tree = join(box.directory, "tree");
    claude.git("worktree", "add", "-q", tree);
    const link = join(box.directory, "link");
    symlinkSync(box.cwd, link);
    claude.put("home/.claude/settings.json", { enableAllProjectMcpServers: true });
    claude.put("home/.claude.json", claude.state({ [box.cwd]: {}, [tree]: {} }));
    const both = { shared: "connected through bir", above: "connected through bir" };
    const { differences } = claude.snapshot();

    expect(await claude.install({ cwd: link })).toEqual(["local above wrapped", "local shared wrapped"]);
    for (const cwd of [link, box.cwd]) expect(await claude.listed(cwd)).toEqual(both);
    // To the newer one a worktree is the same project.
    const isOne = version === "2.1.332";
    expect(await claude.listed(tree)).toEqual(isOne ? both : { shared: "connected", above: "connected" });
    const seen = ["local above already", "local shared already"];
    const made = ["local above wrapped", "local shared wrapped"];
    expect(await claude.install({ cwd: tree })).toEqual(isOne ? seen : [...seen, ...made].toSorted());
    expect(await claude.listed(tree)).toEqual(both);
    await claude.uninstall();
    expect(
      differences()
        .split("\n")
        .filter((line) => line.includes(BIR)),
    ).toEqual([]);
    expect(await claude.listed(tree)).toEqual({ shared: "connected", above: "connected" });
  });

  test("keeps a project's servers under the name that is looked for", async ({ box, claudeWith }) => {
    const claude = await claudeWith(version, []);
    const at = (...names: string[]) => join(box.directory, ...names);
    claude.git("init", "-q", at("lib"));
    claude.put("lib/a", "a");
    claude.git("-C", at("lib"), "add", ".");
    claude.git("-C", at("lib"), "commit", "-qm", "x");
    claude.git("init", "-q");
    claude.git("submodule", "add", "-q", at("lib"), "sub");
    claude.git("commit", "-qm", "s");
    claude.git("worktree", "add", "-q", at("tree"));
    claude.git("clone", "-q", "--bare", at("lib"), at("bare.git"));
    claude.git("-C", at("bare.git"), "worktree", "add", "-q", at("bare-tree"));
    claude.git("init", "-q", "--separate-git-dir", at("apart.git"), at("apart"));
    for (const name of ["project/deep", "tree/deep", "plain/deep"])
      mkdirSync(at(...name.split("/")), { recursive: true });
    symlinkSync(at("project", "deep"), at("link"));
    const known = readHostVersion(version);
    for (const name of ["project/deep", "project/sub", "tree/deep", "bare-tree", "apart", "plain/deep", "link"]) {
      claude.put("home/.claude.json", claude.state({}));
      await claude.says(["mcp", "add", "-s", "local", "x", "--", "/bin/true"], at(...name.split("/")));
      const { projects } = JSON.parse(claude.read("home/.claude.json"));
      const found = projectOf(claude.place(at(...name.split("/"))), known).key;
      expect({ name, key: Object.keys(projects) }).toEqual({ name, key: [found] });
    }
  });
});
