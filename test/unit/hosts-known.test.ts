import { rmSync } from "node:fs";
import { posix, win32 } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { ConfigSyntaxError } from "../../src/hosts/edit/config-text.ts";
import { readEntries, type ServerEntry } from "../../src/hosts/entry/server-entry.ts";
import type { ServerList } from "../../src/hosts/host.ts";
import { HOSTS } from "../../src/hosts/hosts.ts";
import {
  casesOf,
  diskWith,
  documentOf,
  goldenOf,
  type HostCase,
  openCase,
  PLATFORMS,
  placeOn,
  verdictsOf,
} from "./hosts-known-fixture.ts";

/** What every host that is listed has to hold: a new one is covered the moment it is. */

const roots: string[] = [];
afterAll(() => {
  for (const root of roots) rmSync(root, { recursive: true, force: true });
});

function opened(one: HostCase) {
  const found = openCase(one);
  roots.push(found.root);
  return found;
}

describe("the list of hosts", () => {
  test("has each id and name once, what was seen first", () => {
    expect(new Set(HOSTS.map(({ id }) => id)).size).toBe(HOSTS.length);
    expect(new Set(HOSTS.map(({ name }) => name)).size).toBe(HOSTS.length);
    for (const { id } of HOSTS) expect(id).toMatch(/^[a-z]+(?:-[a-z]+)*$/);
    expect(HOSTS.map(({ verified }) => verified)).toEqual(
      HOSTS.map(({ verified }) => verified)
        .sort()
        .reverse(),
    );
  });

  test("has those that were run with the real application", () => {
    expect(HOSTS.filter(({ verified }) => verified).map(({ id }) => id)).toEqual([
      "claude-code",
      "codex",
      "gemini-cli",
      "qwen-code",
      "opencode",
      "copilot-cli",
      "cline",
    ]);
  });
});

describe.each(HOSTS)("$id", (host) => {
  test.each(PLATFORMS)("on %s names each list once, with an absolute path", (platform) => {
    for (const cwd of [undefined, placeOn(platform).userHome]) {
      const lists = host.lists(placeOn(platform, cwd === undefined ? {} : { cwd }));
      expect(lists.length).toBeGreaterThan(0);
      const { isAbsolute, normalize } = platform === "win32" ? win32 : posix;
      for (const { file, scope, directory } of lists) {
        expect(isAbsolute(file), file).toBe(true);
        expect(normalize(file)).toBe(file);
        expect(directory === null, file).toBe(scope === "user");
      }
      expect(new Set(lists.map(keyOf)).size).toBe(lists.length);
    }
  });

  test.each(PLATFORMS)("on %s has lists of the user, and of projects only where it says so", (platform) => {
    // Some hosts read every file of a directory.
    const files = { exists: () => false, names: () => ["one.json", "one.yaml"] };
    const scopes = host.lists(placeOn(platform, { files })).map(({ scope }) => scope);
    expect(scopes).toContain("user");
    expect(scopes.some((scope) => scope !== "user")).toBe(host.hasProjectLists);
  });

  test("reads files in the format that their names say", () => {
    for (const { file, format } of host.lists(placeOn("linux"))) {
      const extension = file.slice(file.lastIndexOf(".") + 1);
      expect(
        { toml: ["toml"], yaml: ["yaml"], jsonc: ["jsonc"], json: ["json", "json-comments", "jsonc"] }[extension],
      ).toContain(format);
    }
  });

  test("is moved by the variables that it names, and by no empty one", () => {
    const filesWith = (env: Record<string, string>) =>
      PLATFORMS.map((platform) => host.lists(placeOn(platform, { env })).map(({ file }) => file));
    const usual = filesWith({});
    for (const variable of host.movedBy) {
      expect(filesWith({ [variable]: "/elsewhere" }), variable).not.toEqual(usual);
      expect(filesWith({ [variable]: "" }), variable).toEqual(usual);
    }
    const all = ["APPDATA", "XDG_CONFIG_HOME", ...HOSTS.flatMap(({ movedBy }) => movedBy)];
    for (const variable of all.filter((one) => !host.movedBy.includes(one))) {
      const moved = filesWith({ [variable]: "/elsewhere" });
      const platforms = PLATFORMS.filter((_, i) => JSON.stringify(moved[i]) !== JSON.stringify(usual[i]));
      expect(platforms, `${variable} moves it, and is not named`).toEqual(
        isDesktopPlace(variable) ? expect.anything() : [],
      );
    }
  });

  test("is there by what lies in the person's home, never by what a project holds", () => {
    const place = placeOn("linux");
    expect(host.isThere(place)).toBe(false);
    const ofUser = host.lists(place).filter(({ scope }) => scope === "user");
    expect(host.isThere({ ...place, files: diskWith([ofUser[0]?.file ?? ""]) })).toBe(true);
    const ofProject = host.lists(place).filter(({ scope }) => scope === "project");
    expect(host.isThere({ ...place, files: diskWith(ofProject.map(({ file }) => file)) })).toBe(false);
  });

  test("knows what it replaces in an entry", () => {
    const { expansion } = host;
    if (expansion === null) return;
    expect(expansion.pattern.flags).toContain("g");
    for (const plain of ["plain", "a b", "C:\\x\\$", "100$", "{}", "a{b}c", "Bearer abc.def-1", ""]) {
      expect([...plain.matchAll(expansion.pattern)], plain).toEqual([]);
    }
    // biome-ignore lint/suspicious/noTemplateCurlyInString: what hosts replace looks like that
    const forms = ["${VAR}", "${env:VAR}", "$VAR", "{env:VAR}", "${{ secrets.VAR }}", "${input:key}"];
    expect(forms.some((form) => [...`Bearer ${form}`.matchAll(expansion.pattern)].length > 0)).toBe(true);
  });

  test("tells people in sentences", () => {
    for (const sentence of [host.reload, ...host.notes]) expect(sentence).toMatch(/^[A-Z`].*\.$/);
  });

  test("has a fixture for every kind of list, a server of every kind, and one that runs bir", () => {
    const seen = new Set<string>();
    const entries: ServerEntry[] = [];
    const kinds = new Set<string>();
    for (const one of casesOf(host)) {
      const { place } = opened(one);
      for (const list of host.lists(place)) {
        kinds.add(kindOf(list));
        const document = documentOf(list);
        if (document === null || document instanceof ConfigSyntaxError) continue;
        const found = readEntries(list, document);
        if (found.length > 0) seen.add(kindOf(list));
        entries.push(...found);
      }
    }
    expect([...seen].sort()).toEqual([...kinds].sort());
    const has = (test: (entry: ServerEntry) => boolean) => entries.some(test);
    expect(has(({ kind, isOurs }) => kind === "stdio" && !isOurs)).toBe(true);
    expect(has(({ isOurs }) => isOurs)).toBe(true);
    if (entries[0]?.list.shape.remote !== null) expect(has(({ kind }) => kind === "remote")).toBe(true);
  });
});

describe("fixtures", () => {
  test.each(HOSTS.flatMap(casesOf))("$title is read and judged as its golden says", (one) => {
    const found = opened(one);
    expect(one.host.isThere(found.place)).toBe(true);
    expect(verdictsOf(one.host, found)).toEqual(goldenOf(one));
  });
});

function keyOf({ file, path }: ServerList): string {
  return JSON.stringify([file.toLowerCase(), path]);
}

function kindOf({ format, path, shape }: ServerList): string {
  return JSON.stringify([format, path.length === 1 ? path : path.length, shape]);
}

/** Where the platform keeps the data of applications: not a host's own variable, and named in no host file. */
function isDesktopPlace(variable: string): boolean {
  return variable === "APPDATA" || variable === "XDG_CONFIG_HOME";
}
