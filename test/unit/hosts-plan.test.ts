import { describe, expect, test } from "vitest";
import { maskedDiff } from "../../src/hosts/diff.ts";
import { planInstall } from "../../src/hosts/plan/plan-install.ts";
import {
  EXECUTABLE,
  hostOf,
  install,
  listOf,
  OPTIONS,
  parse,
  target,
  uninstall,
  whatOf,
} from "./hosts-entry-fixture.ts";

/** Install again, uninstall after changes, lists that several hosts share. */

const LIST = listOf("plain", "jsonc");
const TEXT = `{
\t// mine
\t"mcpServers": {
\t\t"files": {"command": "npx", "args": ["-y", "server"]}, // why
\t\t"far": {
\t\t\t"type": "http",
\t\t\t"url": "https://e.x/mcp",
\t\t\t"headers": {"Authorization": "Bearer hunter2"},
\t\t},
\t},
}`;

describe("install again", () => {
  test("for another executable renews what is as it was written, and uninstall still gives the first text", () => {
    const first = install(TEXT, [target(LIST)]);
    const second = install(first.after ?? "", [target(LIST)], { executableWords: ["/new/bir"] }, first.rows);
    expect(whatOf(second)).toEqual({ files: "renewed", far: "renewed" });
    expect(second.after).toContain("/new/bir");
    expect(second.after).not.toContain(EXECUTABLE);
    // As after a crash: either row may be the true one.
    expect(uninstall(second.after ?? "", [...first.rows, ...second.rows]).after).toBe(TEXT);
    expect(uninstall(first.after ?? "", [...first.rows, ...second.rows]).after).toBe(TEXT);
  });

  test("keeps one that was asked for by name, though it is not named again", () => {
    const open = '{"mcpServers":{"open":{"type":"http","url":"https://e.x/mcp"}}}';
    const first = install(open, [target(LIST)], { servers: ["open"] });
    expect(whatOf(first)).toEqual({ open: "wrapped" });
    expect(whatOf(install(first.after ?? "", [target(LIST)], {}, first.rows))).toEqual({ open: "already" });
  });

  test("leaves an entry of ours that somebody has changed", () => {
    const first = install(TEXT, [target(LIST)]);
    const theirs = (first.after ?? "").replace('"-y"', '"-q"');
    const second = install(theirs, [target(LIST)], { executableWords: ["/new/bir"] }, first.rows);
    expect(whatOf(second)).toEqual({ files: "already", far: "renewed" });
  });
});

describe("uninstall", () => {
  const done = install(TEXT, [target(LIST)], { birHome: "/b" });
  const text = done.after ?? "";

  test("keeps what was changed in an entry, and says so", () => {
    const theirs = text.replace('"-y"', '"--quiet"').replace('"BIR_HOME": "/b"', '"BIR_HOME": "/b", "MINE": "1"');
    const back = uninstall(theirs, done.rows);
    expect(whatOf(back)).toEqual({ files: "taken-out", far: "unwrapped" });
    expect(back.after).toContain(
      '"files": {"command": "npx", "args": ["--quiet", "server"], "env": {"MINE": "1"}}, // why',
    );
  });

  test("does nothing to an entry that is gone or was put back by hand", () => {
    const back = uninstall(TEXT.replace('"far"', '"near"'), done.rows);
    expect(whatOf(back)).toEqual({ files: "gone", far: "gone" });
    expect(back.after).toBe(TEXT.replace('"far"', '"near"'));
    expect(back.retire).toHaveLength(2);
  });

  test("a command line that cannot be taken apart is a conflict, and stays known", () => {
    const back = uninstall(text.replace('"--", "npx", "-y", "server"', '"--"'), done.rows);
    expect(whatOf(back)).toEqual({ files: "conflict: command-changed", far: "unwrapped" });
    expect(back.retire).toHaveLength(1);
  });

  test("finds an entry that has moved", () => {
    const moved = text.replace('"mcpServers": {', '"mcpServers": {\n\t\t"new": {"command": "x"},');
    expect(uninstall(moved, done.rows).after).toBe(
      TEXT.replace('"mcpServers": {', '"mcpServers": {\n\t\t"new": {"command": "x"},'),
    );
  });

  test("works on what a host has written anew, by value", () => {
    const anew = JSON.stringify(parse("jsonc", text).root.value);
    const back = uninstall(anew, done.rows);
    expect(whatOf(back)).toEqual({ files: "taken-out", far: "taken-out" });
    expect(JSON.parse(back.after ?? "")).toEqual({
      mcpServers: {
        files: { command: "npx", args: ["-y", "server"] },
        far: { type: "http", url: "https://e.x/mcp", headers: { Authorization: "Bearer hunter2" } },
      },
    });
  });
});

test("the ledger's rows hold no command, argument, URL, header or variable", () => {
  const { rows } = install(TEXT, [target(LIST)], { birHome: "/b" });
  const text = JSON.stringify(rows);
  expect(rows).toHaveLength(2);
  for (const value of ["npx", "-y", "e.x", "hunter2", "Bearer", '"/b"']) expect(text).not.toContain(value);
});

test("hosts that read one list share an entry, with the options that the most demanding needs", () => {
  const targets = [target(LIST, hostOf("a")), target(LIST, hostOf("b", { restartsServers: false }))];
  const plan = install(TEXT, targets);
  expect(plan.outcomes.map((one) => [one.server, one.hosts])).toEqual([
    ["files", ["a", "b"]],
    ["far", ["a", "b"]],
  ]);
  expect(plan.after).toContain("--restart");
  const linked = { ...LIST, file: "/elsewhere/link" };
  const tasks = planInstall([target(LIST), target(linked)], { ...OPTIONS, identify: () => "same" });
  expect(tasks.map((task) => task.file)).toEqual([LIST.file]);
});

test("a file that is not there is nothing to do", () => {
  const [task] = planInstall([target(LIST)], OPTIONS);
  expect(task?.plan(null, [])).toEqual({ after: null, outcomes: [], rows: [], retire: [] });
});

test("a diff shows keys and our words, and no other value", () => {
  const { after } = install(TEXT, [target(LIST)]);
  const ours = new Set([EXECUTABLE, "proxy", "--server-name", "--", "--url", "stdio"]);
  const diff = maskedDiff({ file: "/f", format: "jsonc", before: TEXT, after, mayShow: (value) => ours.has(value) });
  expect(diff).toBe(`--- /f
+++ /f
@@ line 3 @@
 \t"mcpServers": {
-\t\t"files": {"command": "***", "args": ["***", "***"]}, …
+\t\t"files": {"command": "${EXECUTABLE}", "args": ["proxy", "--server-name", "***", "--", "***", "***", "***"]}, …
 \t\t"far": {
-\t\t\t"type": "***",
-\t\t\t"url": "***",
-\t\t\t"headers": {"Authorization": "***"},
+\t\t\t"type": "stdio",
+\t\t\t"command": "${EXECUTABLE}",
+\t\t\t"args": ["proxy", "--server-name", "***", "--url", "***"],
+\t\t\t"env": {
+\t\t\t\t"BIR_UPSTREAM_HEADERS": "***",
+\t\t\t},
 \t\t},
`);
  expect(maskedDiff({ file: "/f", format: "jsonc", before: TEXT, after: TEXT, mayShow: () => true })).toBe("");
});
