import { readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { Glob } from "bun";
import { describe, expect, test } from "vitest";

/** House rules that a reader would otherwise have to believe. */

const root = join(import.meta.dirname, "..", "..");

interface Source {
  path: string;
  text: string;
  /** What it imports: paths from the root, or package names. */
  imports: string[];
}

const sources: Source[] = [...new Glob("src/**/*.{ts,tsx}").scanSync(root)].sort().map((path) => {
  const text = readFileSync(join(root, path), "utf8");
  const specifiers = [...text.matchAll(/(?:from|import\()\s*"([^"]+)"|^import "([^"]+)"/gm)].map(
    (m) => m[1] ?? m[2] ?? "",
  );
  const imports = specifiers.map((s) => (s.startsWith(".") ? relative(root, join(root, dirname(path), s)) : s));
  return { path, text, imports };
});

/** Folder → folders it may import. Order is the order of the layers. */
const LAYERS: Record<string, string[]> = {
  core: ["core"],
  kit: ["kit", "core"],
  jsonrpc: ["jsonrpc", "core"],
  redact: ["redact", "core"],
  store: ["store", "kit", "core"],
  record: ["record", "store", "redact", "jsonrpc", "kit", "core"],
  upstream: ["upstream", "jsonrpc", "kit", "core"],
  hooks: ["hooks", "record", "redact", "jsonrpc", "kit", "core"],
  hosts: ["hosts", "kit", "core"],
  proxy: ["proxy", "upstream", "record", "store", "redact", "jsonrpc", "kit", "core"],
  "http-server": ["http-server", "kit", "core"],
  control: ["control", "http-server", "store", "record", "redact", "jsonrpc", "kit", "core"],
  sinks: ["sinks", "upstream", "store", "kit", "core"],
  service: ["service", "http-server", "store", "record", "redact", "jsonrpc", "kit", "core"],
  viewer: ["viewer", "core"],
  roles: [
    "roles",
    "control",
    "service",
    "sinks",
    "viewer",
    "http-server",
    "hooks",
    "hosts",
    "proxy",
    "upstream",
    "record",
    "store",
    "redact",
    "jsonrpc",
    "kit",
    "core",
  ],
};

/** Package → files that may import it, as a pattern. */
const PACKAGES: Record<string, RegExp> = {
  zod: /^src\/core\/(?:schema|api)\//,
  hono: /^src\/(?:control|service)\//,
  preact: /^src\/viewer\//,
  "@preact/signals": /^src\/viewer\//,
  "@stricli/core": /^src\/roles\/cli\/args\.ts$/,
  "jsonc-parser": /^src\/(?:roles\/cli|hosts\/edit)\//,
  "toml-eslint-parser": /^src\/hosts\/edit\//,
  yaml: /^src\/hosts\/edit\//,
  "bun:sqlite": /^src\/store\//,
  "bun:ffi": /^src\/kit\/c-library\.ts$/,
};

function folderOf(path: string): string | undefined {
  return /^src\/([^/]+)\//.exec(path)?.[1];
}

describe("layers", () => {
  test.each(sources)("$path imports only what its layer may", ({ path, imports }) => {
    const folder = folderOf(path);
    if (folder === undefined) return;
    const allowed = LAYERS[folder];
    expect(allowed, `src/${folder} has no place in the layers`).toBeDefined();
    for (const imported of imports) {
      const of = folderOf(imported);
      if (of !== undefined) expect(allowed, `${path} imports ${imported}`).toContain(of);
    }
  });

  test.each(Object.entries(PACKAGES))("%s is imported only behind its module", (name, where) => {
    const users = sources
      .filter((s) => s.imports.some((i) => i === name || i.startsWith(`${name}/`)))
      .map((s) => s.path);
    for (const user of users) expect(user).toMatch(where);
  });

  test("every package that is imported has a rule", () => {
    const packages = sources.flatMap((s) => s.imports).filter((i) => !i.startsWith("src/") && !i.startsWith("node:"));
    for (const name of packages) {
      const isKnown = Object.keys(PACKAGES).some((known) => name === known || name.startsWith(`${known}/`));
      expect(isKnown, name).toBe(true);
    }
  });
});

describe("hot roles", () => {
  /** Everything that a role loads before it has anything to do: static imports only. */
  function staticGraph(entry: string, seen = new Set<string>()): Set<string> {
    if (seen.has(entry)) return seen;
    seen.add(entry);
    const source = sources.find((s) => s.path === entry);
    for (const [, typeOnly, specifier = ""] of source?.text.matchAll(/^import (type )?[^;]*?"([^"]+)";/gms) ?? []) {
      if (typeOnly === undefined) {
        staticGraph(
          specifier.startsWith(".") ? relative(root, join(root, dirname(entry), specifier)) : specifier,
          seen,
        );
      }
    }
    return seen;
  }

  test("the proxy is started with nothing but the relay", () => {
    const graph = [...staticGraph("src/main.ts"), ...staticGraph("src/roles/proxy.ts")];
    expect(graph.filter((path) => !path.startsWith("src/"))).toEqual(["bun:ffi"]);
    expect(graph.filter((path) => /^src\/(?:record|store|redact|roles\/cli)\//.test(path))).toEqual([]);
  });

  /** As `staticGraph`, and all that may be loaded later; not what `except` names. */
  function wholeGraph(entry: string, except: readonly string[], seen = new Set<string>()): Set<string> {
    for (const path of staticGraph(entry)) {
      if (seen.has(path)) continue;
      seen.add(path);
      const source = sources.find((s) => s.path === path);
      for (const [, specifier = ""] of source?.text.matchAll(/\bimport\("([^"]+)"\)/g) ?? []) {
        const later = relative(root, join(root, dirname(path), specifier));
        if (!except.includes(later)) wholeGraph(later, except, seen);
      }
    }
    return seen;
  }

  test("a hook loads no module of Node, no schema and no server, now or later", () => {
    const commands = ["control", "print-settings", "hooks-usage"].map((name) => `src/roles/${name}.ts`);
    const later = [...wholeGraph("src/roles/hooks.ts", commands)];
    expect(later).toEqual(expect.arrayContaining(["src/hooks/injection.ts", "src/kit/start-server.ts"]));
    const graph = [...staticGraph("src/main.ts"), ...later];
    expect(graph.filter((path) => !path.startsWith("src/"))).toEqual([]);
    expect(
      graph.filter((path) => /^src\/(?:core\/(?:api|schema)|store|control|proxy|roles\/cli)\//.test(path)),
    ).toEqual([]);
  });

  test("an ordinary hook loads neither the spool nor what prints", () => {
    const graph = staticGraph("src/roles/hooks.ts");
    for (const rare of [
      "src/kit/spool-writer.ts",
      "src/kit/start-server.ts",
      "src/kit/output.ts",
      "src/hooks/injection.ts",
    ]) {
      expect(graph).not.toContain(rare);
    }
  });
});

describe("stdout", () => {
  const MAY_NAME_STDOUT = [
    "src/kit/output.ts",
    "src/kit/stdout-guard.ts",
    "src/main.ts",
    "src/proxy/host-side.ts",
    "src/roles/proxy.ts",
  ];

  test("is named by no other file", () => {
    const users = sources.filter((s) => /Bun\.stdout|process\.stdout|writeSync\(1\b/.test(s.text)).map((s) => s.path);
    expect(users.filter((path) => !MAY_NAME_STDOUT.includes(path))).toEqual([]);
  });

  test("is guarded by the very first import", () => {
    expect(sources.find((s) => s.path === "src/main.ts")?.imports[0]).toBe("src/kit/stdout-guard.ts");
  });
});

describe("files", () => {
  test.each(sources)("$path is small and says what it owns", ({ text }) => {
    expect(text.split("\n").length).toBeLessThanOrEqual(340);
    expect(text).toMatch(/\/\*\*/);
  });

  test("there is no default export and no barrel", () => {
    for (const { path, text } of sources) {
      expect(text, path).not.toMatch(/^export default/m);
      expect(text, path).not.toMatch(/^export \*/m);
    }
  });
});
