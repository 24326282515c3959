import { describe, expect, test } from "vitest";
import { readEntries } from "../../src/hosts/entry/server-entry.ts";
import {
  EXECUTABLE,
  hostOf,
  install,
  listOf,
  parse,
  type ShapeName,
  target,
  uninstall,
  variable,
  whatOf,
} from "./hosts-entry-fixture.ts";

/** What becomes of one entry, and of the text around it. */

function json(entry: unknown): string {
  return `${JSON.stringify({ mcpServers: { it: entry } }, null, 2)}\n`;
}

function wrapped(
  entry: unknown,
  options: Parameters<typeof install>[2] = {},
  host = hostOf(),
  shape: ShapeName = "plain",
) {
  const plan = install(json(entry), [target(listOf(shape, "json"), host)], options);
  return { what: whatOf(plan).it, entry: JSON.parse(plan.after ?? "").mcpServers.it, plan };
}

describe("a program", () => {
  test("is started by the proxy, and all else stays", () => {
    const { entry } = wrapped({
      type: "stdio",
      command: "npx",
      args: ["-y", variable("PKG")],
      env: { T: variable("T") },
      timeout: 5,
      x: [1],
    });
    expect(entry).toEqual({
      type: "stdio",
      command: EXECUTABLE,
      args: ["proxy", "--server-name", "it", "--", "npx", "-y", variable("PKG")],
      env: { T: variable("T") },
      timeout: 5,
      x: [1],
    });
  });

  test.each([
    ["cmd", ["/c", "npx", "-y", "x"]],
    ["C:\\Program Files\\nodejs\\npx.cmd", ["-y", "x"]],
    ["/Applications/My App/bin/run", undefined],
  ])("%s stays as it is behind the dashes", (command, args) => {
    const { entry } = wrapped({ command, ...(args === undefined ? {} : { args }) });
    expect(entry.args.slice(3)).toEqual(["--", command, ...(args ?? [])]);
  });

  test.each(["npx -y server", "/usr/bin/npx -y server"])("%j is a command line and is left", (command) => {
    expect(wrapped({ command }).what).toBe("left: command-line");
  });

  test("a host that does not restart servers gets --restart, one with projects --scope user", () => {
    const host = hostOf("x", { restartsServers: false, hasProjectLists: true });
    const { entry } = wrapped({ command: "a" }, { correlation: false }, host);
    expect(entry.args).toEqual([
      "proxy",
      "--server-name",
      "it",
      "--scope",
      "user",
      "--restart",
      "--no-correlation",
      "--",
      "a",
    ]);
  });

  test("a home that is not the default goes into its variables, never over one that is there", () => {
    expect(wrapped({ command: "a" }, { birHome: "/b" }).entry.env).toEqual({ BIR_HOME: "/b" });
    expect(wrapped({ command: "a", env: { BIR_HOME: "/mine" } }, { birHome: "/b" }).entry.env).toEqual({
      BIR_HOME: "/mine",
    });
  });

  test("a name that looks like an option is still a name", () => {
    const text = JSON.stringify({ mcpServers: { "--x": { command: "a" } } });
    const plan = install(text, [target(listOf("plain", "json"))]);
    expect(JSON.parse(plan.after ?? "").mcpServers["--x"].args[1]).toBe("--server-name=--x");
  });

  test("one array of words gets ours in front", () => {
    const { entry } = wrapped(
      { type: "local", command: ["npx", "x"], environment: { A: "1" } },
      { birHome: "/b" },
      hostOf(),
      "argv",
    );
    expect(entry).toEqual({
      type: "local",
      command: [EXECUTABLE, "proxy", "--server-name", "it", "--", "npx", "x"],
      environment: { A: "1", BIR_HOME: "/b" },
    });
  });
});

describe("a remote server", () => {
  const far = {
    type: "http",
    url: "https://example.com/mcp",
    headers: { Authorization: `Bearer ${variable("T")}` },
    timeout: 5,
  };

  test("is reached through the proxy, its headers in a variable and not in an argument", () => {
    const { entry } = wrapped(far);
    expect(entry).toEqual({
      type: "stdio",
      command: EXECUTABLE,
      args: ["proxy", "--server-name", "it", "--url", "https://example.com/mcp"],
      timeout: 5,
      env: { BIR_UPSTREAM_HEADERS: JSON.stringify({ Authorization: `Bearer ${variable("T")}` }) },
    });
  });

  test("sse is said, and nothing is said to be started again", () => {
    const { entry } = wrapped({ ...far, type: "sse" }, {}, hostOf("x", { restartsServers: false }));
    expect(entry.args.slice(3)).toEqual(["--url", "https://example.com/mcp", "--transport", "sse"]);
  });

  test.each([
    ["signs-in", { ...far, oauth: {} }, true],
    ["may-sign-in", { ...far, headers: { Accept: "x" } }, true],
    ["may-sign-in", { type: "http", url: far.url }, true],
    ["url-secret", { ...far, url: "https://example.com/mcp?api_key=1" }, true],
    ["url-secret", { ...far, url: "https://example.com/s/MTk4ZjQ2ZTYtNzg5MC00/mcp" }, true],
    ["url-secret", { ...far, url: "https://e.x/bot123456:ABC-DEF1234ghIkl-zyx57W2v1u123ew11/mcp" }, true],
    ["url-secret", { ...far, url: "https://e.x/api/mcp/s/ZmFrZXRva2VuZmFrZXRva2Vu==/mcp" }, true],
    ["url-secret", { ...far, url: "https://e.x/mcp;token=sk-abc/x" }, true],
    ["url-secret", { ...far, url: "https://9f8a7b6c5d4e3f2a1b0c9d8e.hooks.e.x/mcp" }, true],
    ["url-secret", { ...far, url: "https://e.x/k/abcdefGHIJKLmnopqrst/mcp" }, true],
    ["url-secret", { ...far, url: "https://e.x/mcp/hunter2passwrd" }, true],
    ["cannot-move", { ...far, ws: true }, false],
    ["url-credentials", { ...far, url: "https://a:b@example.com/" }, false],
    ["url-fragment", { ...far, url: "https://example.com/#x" }, false],
    ["url-form", { ...far, url: "ws://example.com/" }, false],
    ["headers-form", { ...far, headers: { Authorization: 5 } }, false],
    ["unknown-type", { ...far, type: "ws" }, false],
    ["command-and-url", { ...far, command: "x" }, false],
  ])("%s: it is left; a name overrules where that is safe", (why, entry, yields) => {
    expect(wrapped(entry).what).toBe(`left: ${why}`);
    expect(wrapped(entry, { servers: ["it"] }).what).toBe(yields ? "wrapped" : `left: ${why}`);
  });

  test.each(["https://example.com/mcp?read_only=true", `https://${variable("HOST")}/mcp`])(
    "%s holds no secret",
    (url) => {
      expect(wrapped({ ...far, url }).what).toBe("wrapped");
    },
  );

  test("a host that fills in headers but not variables keeps them", () => {
    const expansion = { pattern: /\$\{\w+\}/g, inEnv: false };
    expect(wrapped(far, {}, hostOf("x", { expansion })).what).toBe("left: headers-kept-by-host");
  });

  test("a variable with the token is named, and passed on where the host would keep it back", () => {
    const text =
      '[mcp_servers.it]\nurl = "https://example.com/mcp"\nbearer_token_env_var = "TOKEN"\nenv_vars = ["A"]\n';
    const host = hostOf("x", { passesVariables: { listKey: "env_vars" } });
    const plan = install(text, [target(listOf("table", "toml", ["mcp_servers"]), host)]);
    const value = parse("toml", plan.after ?? "").root.value as { mcp_servers: { it: unknown } };
    expect(value.mcp_servers.it).toEqual({
      command: EXECUTABLE,
      args: ["proxy", "--server-name", "it", "--url", "https://example.com/mcp", "--bearer-env", "TOKEN"],
      env_vars: ["A", "TOKEN"],
    });
    expect(uninstall(plan.after ?? "", plan.rows).after).toBe(text);
  });
});

describe("entries that are none of ours to change", () => {
  test.each([
    ["not-an-object", 5],
    ["no-command", {}],
    ["no-command", { type: "stdio" }],
    ["unknown-type", { type: "builtin", command: "x" }],
    ["command-form", { command: ["x"] }],
    ["command-form", { command: "x", args: "y" }],
    ["env-form", { command: "x", env: "A=1" }],
  ])("%s", (why, entry) => {
    const { what, plan } = wrapped(entry);
    expect(what).toBe(`left: ${why}`);
    expect(plan.after).toBe(json(entry));
  });

  test("a name or a key that stands twice, and a name that the host keeps", () => {
    const twice =
      '{"mcpServers":{"a":{"command":"x"},"a":{"command":"y"},"b":{"command":"x","command":"y"},"r":{"command":"z"}}}';
    const plan = install(twice, [target(listOf("plain", "json"), hostOf("x", { reservedNames: ["r"] }))]);
    expect(plan.after).toBe(twice);
    expect(whatOf(plan)).toEqual({ a: "left: repeated-name", b: "left: repeated-key", r: "left: reserved-name" });
  });

  test.each([
    [["bir", "proxy", "--server-name", "x", "--", "npx"]],
    [["C:\\tools\\bir.exe", "proxy", "--", "npx"]],
    [["npx", "-y", "bir", "proxy", "--url", "https://e.x/"]],
    [["/x/bir-linux-x64", "proxy", "nonsense"]],
  ])("%j runs bir already", ([command, ...args]) => {
    const { what, plan } = wrapped({ command, args });
    expect(what).toBe("already");
    expect(plan.after).toBe(json({ command, args }));
  });

  test.each([[["mcpproxy", "proxy", "--", "x"]], [["npx", "bir"]], [["bird", "proxy", "--", "x"]]])(
    "%j does not",
    ([command, ...args]) => {
      expect(wrapped({ command, args }).what).toBe("wrapped");
    },
  );

  test("a comment inside what would move keeps the entry as it is, and the others are wrapped", () => {
    const text = `{"mcpServers": {
      "far": {"type": "http", "url": "https://e.x/", "headers": { // old: Bearer abc
        "Authorization": "Bearer x" }},
      "near": {"command": "a" /* mine */, "args": [ /* none */ ]}
    }}`;
    const plan = install(text, [target(listOf("plain", "jsonc"))]);
    expect(whatOf(plan)).toEqual({ far: "left: comment-in-the-way", near: "wrapped" });
    expect(JSON.stringify(plan.rows)).not.toContain("abc");
    expect(uninstall(plan.after ?? "", plan.rows).after).toBe(text);
  });
});

describe("reading", () => {
  test("keys may lie one object deeper", () => {
    const list = listOf("plain", "json");
    const deep = { ...list, shape: { ...list.shape, nested: "command" } };
    const document = parse(
      "json",
      '{"mcpServers":{"a":{"command":{"command":"x","args":["y"]},"on":true},"b":{"command":"z"}}}',
    );
    const [a, b] = readEntries(deep, document);
    expect([a?.kind, a?.command, a?.args, a?.path.at(-1)]).toEqual(["stdio", "x", ["y"], "command"]);
    expect([b?.kind, b?.command]).toEqual(["stdio", "z"]);
  });

  test("nothing is there where the list is missing or no list", () => {
    for (const text of ["{}", '{"mcpServers":5}', '{"mcpServers":[]}']) {
      expect(readEntries(listOf("plain", "json"), parse("json", text))).toEqual([]);
    }
  });
});

describe("what a person has written since", () => {
  test("between the parts of a server that TOML holds in several places stays where it belongs", () => {
    const text = [
      "[mcp_servers.near]",
      'command = "npx"',
      "[mcp_servers.far]",
      'url = "https://e.x/"',
      "[mcp_servers.near.env]",
      "[mcp_servers.far.http_headers]",
      'Authorization = "Bearer x"',
      "",
    ].join("\n");
    const list = target(listOf("table", "toml", ["mcp_servers"]));
    const plan = install(text, [list]);
    expect(whatOf(plan)).toEqual({ near: "wrapped", far: "wrapped" });
    const changed = (plan.after ?? "").replace("[mcp_servers.near.env]\n", '[mcp_servers.near.env]\nMINE = "1"\n');
    expect(changed).toContain("MINE");
    expect(parse("toml", uninstall(changed, plan.rows).after ?? "").root.value).toEqual({
      mcp_servers: {
        near: { command: "npx", env: { MINE: "1" } },
        far: { url: "https://e.x/", http_headers: { Authorization: "Bearer x" } },
      },
    });
  });
});

describe("an option that a person has added to a remote server's", () => {
  test.each(["--header", "--bearer-env"])("%s is nothing that may get lost", (option) => {
    const text = json({ type: "http", url: "https://e.x/", headers: { Authorization: "Bearer x" } });
    const plan = install(text, [target(listOf("plain", "json"))]);
    const changed = (plan.after ?? "").replace('"--url"', `"${option}", "X", "--url"`);
    expect(changed).toContain(option);
    const back = uninstall(changed, plan.rows);
    expect(whatOf(back)).toEqual({ it: "conflict: command-changed" });
    expect(back.after).toBe(changed);
  });
});

describe("a comment beside a URL", () => {
  test("stays beside what takes its place", () => {
    const text = `{"mcpServers": {
      "far": {
        "type": "http", "url": "https://e.x/", // theirs
        "headers": { "Authorization": "Bearer x" }
      }
    }}`;
    const plan = install(text, [target(listOf("plain", "jsonc"))]);
    expect(whatOf(plan)).toEqual({ far: "wrapped" });
    expect(plan.after).toContain("// theirs");
    expect(uninstall(plan.after ?? "", plan.rows).after).toBe(text);
  });
});
