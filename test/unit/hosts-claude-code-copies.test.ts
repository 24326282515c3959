import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { CLAUDE_CODE } from "../../src/hosts/claude-code/host.ts";
import { type CopyOptions, planCopies } from "../../src/hosts/claude-code/plan-copies.ts";
import { planCopiesRemoval } from "../../src/hosts/claude-code/plan-copies-removal.ts";
import { formatOf } from "../../src/hosts/edit/formats.ts";
import { type LedgerRow, rowKey } from "../../src/hosts/ledger.ts";
import type { FileTask, Outcome } from "../../src/hosts/plan/outcome.ts";
import { Machine } from "./hosts-claude-code-fixture.ts";

const BIR = "/opt/bir";
const OPTIONS: CopyOptions = { executableWords: [BIR], birHome: null, servers: null, correlation: true };

/** A repository with two approved shared servers, and plans made and carried out on texts alone. */
class Desk {
  readonly machine = new Machine();
  readonly key = this.machine.repository("repo");
  rows: LedgerRow[] = [];
  shared = JSON.stringify({ mcpServers: { a: { command: "server-a", args: ["x"] }, b: { command: "server-b" } } });
  state: string;

  constructor(project: object = { hasTrustDialogAccepted: true }) {
    this.machine.file("repo/.claude/settings.local.json", { enableAllProjectMcpServers: true });
    this.state = `${JSON.stringify({ first: 1, projects: { [this.key]: project }, last: 2 }, null, 2)}\n`;
  }

  install(options: Partial<CopyOptions> = {}): string[] {
    this.machine.file("repo/.mcp.json", this.shared);
    this.machine.file("home/.claude.json", this.state);
    const [shared] = this.machine.lists("repo").filter(({ shadowIn }) => shadowIn !== null);
    const target = shared!.shadowIn!;
    const document = formatOf("json").parse(this.shared);
    return this.#carryOut(planCopies(CLAUDE_CODE, target, [{ scoped: shared!, document }], { ...OPTIONS, ...options }));
  }

  uninstall(): string[] {
    const { shape } = CLAUDE_CODE.lists(this.machine.place("repo"))[0]!;
    return planCopiesRemoval(this.rows, shape).flatMap((task) => this.#carryOut(task));
  }

  #carryOut(task: FileTask): string[] {
    const plan = task.plan(formatOf("json").parse(this.state), this.rows);
    this.state = plan.after ?? "";
    // As it is done: planned once more, and then there is nothing more to do.
    const done = task.plan(formatOf("json").parse(this.state), [...this.rows, ...plan.rows]);
    expect(done.after).toBe(this.state);
    const names = (outcomes: Outcome[]) => outcomes.map(({ server, scope }) => `${scope} ${server}`).toSorted();
    expect(names(done.outcomes)).toEqual(names(plan.outcomes));
    const retired = this.rows.filter((row) => done.retire.includes(rowKey(row)));
    const placed = done.rows.map(rowKey);
    const others = this.rows.filter((row) => !placed.includes(rowKey(row)) && !retired.includes(row));
    this.rows = [...others, ...done.rows];
    const told = plan.outcomes.map(({ what, server, why }) => [server, what, why].filter(Boolean).join(" "));
    return [...told, ...retired.map(({ name }) => `-${name}`)];
  }

  get local(): Record<string, { command: string; args?: string[] }> | undefined {
    return JSON.parse(this.state).projects[this.key].mcpServers;
  }

  edit(change: (local: Record<string, unknown>) => void, indent = 2): void {
    const state = JSON.parse(this.state);
    change(state.projects[this.key].mcpServers);
    this.state = `${JSON.stringify(state, null, indent)}\n`;
  }
}

describe("copies of shared servers", () => {
  test.each([
    ["without a list", { hasTrustDialogAccepted: true }],
    ["with an empty one", { hasTrustDialogAccepted: true, mcpServers: {} }],
    ["with another server", { mcpServers: { own: { command: "own" } }, hasTrustDialogAccepted: true }],
  ])("go in and out of a project %s byte for byte", (_, project) => {
    const desk = new Desk(project);
    const before = desk.state;
    expect(desk.install()).toEqual(["a wrapped", "b wrapped"]);
    expect(desk.local?.a).toEqual({ command: BIR, args: ["proxy", "--server-name", "a", "--", "server-a", "x"] });
    expect(desk.local?.b).toEqual({ command: BIR, args: ["proxy", "--server-name", "b", "--", "server-b"] });
    const installed = desk.state;
    for (const _again of [1, 2]) expect(desk.install()).toEqual(["a already", "b already"]);
    expect(desk.state).toBe(installed);
    expect(desk.uninstall()).toEqual(["a unwrapped", "b unwrapped", "-a", "-b"]);
    expect(desk.state).toBe(before);
    expect(desk.rows).toEqual([]);
  });

  test("leave nothing of a value in the ledger", () => {
    const desk = new Desk();
    desk.shared = JSON.stringify({
      mcpServers: { a: { command: "server-a", args: ["word"], env: { KEY: "s3cret" } } },
    });
    desk.install();
    expect(desk.local?.a).toMatchObject({ env: { KEY: "s3cret" } });
    expect(JSON.stringify(desk.rows)).not.toMatch(/s3cret|server-a|word/);
  });

  test("are made anew when the shared one has changed or the executable has moved, and go when it has gone", () => {
    const desk = new Desk();
    const before = desk.state;
    desk.install();
    desk.shared = JSON.stringify({
      mcpServers: { a: { command: "server-a", args: ["y"] }, b: { command: "server-b" } },
    });
    expect(desk.install()).toEqual(["a renewed", "b already"]);
    expect(desk.local?.a?.args?.at(-1)).toBe("y");
    expect(desk.install({ executableWords: ["/new/bir"] })).toEqual(["a renewed", "b renewed"]);
    desk.shared = JSON.stringify({ mcpServers: { b: { command: "server-b" } } });
    expect(desk.install({ executableWords: ["/new/bir"] })).toEqual(["b already", "a unwrapped", "-a"]);
    expect(Object.keys(desk.local ?? {})).toEqual(["b"]);
    desk.uninstall();
    expect(desk.state).toBe(before);
  });

  test("go when the shared one is no longer approved", () => {
    const desk = new Desk();
    const before = desk.state;
    desk.install();
    desk.machine.file("repo/.claude/settings.local.json", {
      disabledMcpjsonServers: ["a"],
      enabledMcpjsonServers: ["b"],
    });
    expect(desk.install()).toEqual(["a left rejected", "b already", "a unwrapped", "-a"]);
    desk.machine.file("repo/.claude/settings.local.json", {});
    expect(desk.install()).toEqual(["a left not-approved", "b left not-approved", "b unwrapped", "-b"]);
    expect(desk.state).toBe(before);
  });

  test("are still ours when the host has written the file in its own way", () => {
    const desk = new Desk();
    desk.install();
    desk.edit(() => {}, 1);
    const rewritten = desk.state;
    expect(desk.install()).toEqual(["a already", "b already"]);
    expect(desk.state).toBe(rewritten);
    expect(desk.uninstall()).toEqual(["a unwrapped", "b unwrapped", "-a", "-b"]);
    expect(desk.local).toBeUndefined();
  });

  test("that somebody changed stay, without the proxy; what stands beside them stays", () => {
    const desk = new Desk();
    desk.install();
    desk.edit((local) => {
      local.a = { ...(local.a as object), env: { MINE: "1" } };
      local.own = { command: "own" };
    });
    expect(desk.install()).toEqual(["a already", "b already"]);
    expect(desk.uninstall().toSorted()).toEqual(["-a", "-b", "a taken-out", "b unwrapped"]);
    expect(desk.local).toEqual({
      a: { command: "server-a", args: ["x"], env: { MINE: "1" } },
      own: { command: "own" },
    });
  });

  test("that somebody took away, or put something else in place of, are not missed", () => {
    const desk = new Desk();
    desk.install();
    desk.edit((local) => {
      delete local.a;
      local.b = { command: "mine" };
    });
    expect(desk.uninstall().toSorted()).toEqual(["-a", "-b", "a gone", "b gone"]);
    expect(desk.local).toEqual({ b: { command: "mine" } });
  });

  test("are made of the servers that were asked for alone", () => {
    const desk = new Desk();
    expect(desk.install({ servers: ["b"] })).toEqual(["b wrapped"]);
    expect(desk.install({ servers: ["a"] })).toEqual(["a wrapped"]);
    expect(Object.keys(desk.local ?? {})).toEqual(["b", "a"]);
  });

  test("are not made where the project's own list has the name, or the shared one runs bir already", () => {
    const desk = new Desk({ hasTrustDialogAccepted: true, mcpServers: { a: { command: "mine" } } });
    desk.shared = JSON.stringify({
      mcpServers: { a: { command: "x" }, b: { command: BIR, args: ["proxy", "--server-name", "b", "--", "y"] } },
    });
    const before = desk.state;
    expect(desk.install()).toEqual(["a left hidden"]);
    expect(desk.state).toBe(before);
  });

  test("are not made where the host has never run", () => {
    const machine = new Machine();
    machine.repository("repo");
    machine.file("repo/.mcp.json", { mcpServers: { a: { command: "server-a" } } });
    machine.file("home/.claude/settings.json", { enableAllProjectMcpServers: true });
    const [shared] = machine.lists("repo").filter(({ shadowIn }) => shadowIn !== null);
    const document = formatOf("json").parse(JSON.stringify({ mcpServers: { a: { command: "server-a" } } }));
    const task = planCopies(CLAUDE_CODE, shared!.shadowIn!, [{ scoped: shared!, document }], OPTIONS);
    expect(task.file).toBe(join(machine.home, ".claude.json"));
    expect(task.plan(null, [])).toMatchObject({
      after: null,
      rows: [],
      outcomes: [{ what: "left", why: "not-approved" }],
    });
  });
});
