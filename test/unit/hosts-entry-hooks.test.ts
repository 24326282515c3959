import { describe, expect, test } from "vitest";
import { type HookGroups, insertHooks, removeHooks } from "../../src/hosts/entry/hooks-text.ts";
import { isLeft } from "../../src/hosts/entry/left.ts";
import type { HooksRow } from "../../src/hosts/ledger.ts";
import { type HooksOrder, planHooks, planHooksRemoval } from "../../src/hosts/plan/plan-hooks.ts";
import { parse } from "./hosts-entry-fixture.ts";

/** Hooks of ours beside those of others, in and out again. */

const GROUPS: HookGroups = {
  Stop: [{ hooks: [{ type: "command", command: "bir hooks", timeout: 10 }] }],
  PostToolUse: [{ matcher: "*", hooks: [{ type: "command", command: "bir hooks", timeout: 10, async: true }] }],
};
const isOurs = (handler: Readonly<Record<string, unknown>>) => handler.command === "bir hooks";
const ORDER: HooksOrder = {
  hosts: ["claude-code"],
  scope: "local",
  directory: "/p",
  file: "/p/.claude/settings.local.json",
  format: "json",
  groups: GROUPS,
  isOurs,
  missingDirectories: ["/p/.claude"],
};

const FOREIGN = { type: "command", command: "other" };

/** Settings as they are found; each is a file that a person may have. */
const SETTINGS = {
  empty: "{}",
  "empty with a line": "{\n}\n",
  "other keys": '{\n  "permissions": { "allow": ["Bash(ls)"] }\n}\n',
  "tabs, no final newline": '{\n\t"model": "x"\n}',
  CRLF: '{\r\n  "model": "x"\r\n}\r\n',
  "hooks, but none": '{ "hooks": {} }',
  "an event, but no group": '{"hooks": {"Stop": []}}',
  "foreign groups": `${JSON.stringify({ hooks: { Stop: [{ hooks: [FOREIGN] }], PreToolUse: [{ matcher: "X", hooks: [FOREIGN] }] } }, null, 4)}\n`,
  "one line": JSON.stringify({ hooks: { PostToolUse: [{ hooks: [FOREIGN] }] }, z: 1 }),
};

function installed(text: string, rows: HooksRow[] = []): { text: string; rows: HooksRow[]; what: string | undefined } {
  const plan = planHooks(ORDER).plan(parse("json", text), rows);
  const kept = plan.rows.length > 0 ? (JSON.parse(JSON.stringify(plan.rows)) as HooksRow[]) : rows;
  return { text: plan.after ?? "", rows: kept, what: plan.outcomes[0]?.what };
}

function removed(text: string, rows: HooksRow[]): string | null {
  const [task] = planHooksRemoval(rows, isOurs);
  return task?.plan(parse("json", text), rows).after ?? null;
}

describe.each(Object.entries(SETTINGS))("%s", (_name, text) => {
  test("three times in, once out: the same bytes", () => {
    const first = installed(text);
    const second = installed(first.text, first.rows);
    const third = installed(second.text, second.rows);
    expect([first.what, second.what, third.what]).toEqual(["hooked", "already", "already"]);
    expect([second.text, third.text]).toEqual([first.text, first.text]);
    expect(removed(third.text, third.rows)).toBe(text);
  });

  test("ours are there once, and theirs still first", () => {
    const { hooks } = JSON.parse(installed(installed(text).text).text);
    const before = JSON.parse(text).hooks ?? {};
    for (const [event, groups] of Object.entries(GROUPS)) {
      expect(hooks[event]).toEqual([...(before[event] ?? []), ...groups]);
    }
  });

  test("without the ledger ours still go, and nothing of theirs", () => {
    const value = JSON.parse(removed2(installed(text).text));
    const before = JSON.parse(text);
    expect(value).toEqual(withoutEmpty(before));
  });
});

function removed2(text: string): string {
  const back = removeHooks(parse("json", text), isOurs, null);
  if (isLeft(back)) throw new Error(back.left);
  return back.document.text;
}

/** What was empty of itself cannot be told from what we have made. */
function withoutEmpty(value: { hooks?: Record<string, unknown[]> }): unknown {
  if (value.hooks === undefined) return value;
  const hooks = Object.fromEntries(Object.entries(value.hooks).filter(([, groups]) => groups.length > 0));
  const { hooks: _, ...rest } = value;
  return Object.keys(hooks).length > 0 ? { ...rest, hooks } : rest;
}

test("a host that has written the file anew: ours go by value, what we had made with them", () => {
  const { text, rows } = installed(SETTINGS["an event, but no group"]);
  const anew = JSON.stringify({ ...JSON.parse(text), added: true }, null, 1);
  expect(JSON.parse(removed(anew, rows) ?? "")).toEqual({ hooks: { Stop: [] }, added: true });
});

test("a handler of theirs in a group of ours stays", () => {
  const { text, rows } = installed("{}");
  const value = JSON.parse(text);
  value.hooks.Stop[0].hooks.unshift(FOREIGN);
  expect(JSON.parse(removed(JSON.stringify(value), rows) ?? "")).toEqual({ hooks: { Stop: [{ hooks: [FOREIGN] }] } });
});

test("other hooks of ours than before take their place, and the first text still comes back", () => {
  const text = SETTINGS["foreign groups"];
  const first = installed(text);
  const order = { ...ORDER, groups: { SessionEnd: GROUPS.Stop ?? [] } };
  const plan = planHooks(order).plan(parse("json", first.text), first.rows);
  expect(JSON.parse(plan.after ?? "").hooks.Stop).toEqual([{ hooks: [FOREIGN] }]);
  expect(removed(plan.after ?? "", [...first.rows, ...(plan.rows as HooksRow[])])).toBe(text);
});

test("a file that was made for them goes with them, one that has become more does not", () => {
  const plan = planHooks(ORDER).plan(null, []);
  const rows = plan.rows as HooksRow[];
  expect(rows[0]?.made).toMatchObject({ file: true, directories: ["/p/.claude"] });
  const [task] = planHooksRemoval(rows, isOurs);
  expect(task?.plan(parse("json", plan.after ?? ""), rows)).toMatchObject({ after: null, directories: ["/p/.claude"] });
  const more = JSON.stringify({ ...JSON.parse(plan.after ?? ""), mine: 1 });
  expect(JSON.parse(removed(more, rows) ?? "")).toEqual({ mine: 1 });
});

test.each(["[]", '{"hooks":[]}', '{"hooks":{"Stop":{}}}'])("%s is left", (text) => {
  expect(insertHooks(parse("json", text), GROUPS)).toEqual({ left: "hooks-form" });
});
