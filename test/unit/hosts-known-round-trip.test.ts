import { rmSync } from "node:fs";
import { parse as parseJsonc } from "jsonc-parser";
import { afterAll, describe, expect, test } from "vitest";
import { type ConfigDocument, type ConfigFormatId, ConfigSyntaxError } from "../../src/hosts/edit/config-text.ts";
import { formatOf } from "../../src/hosts/edit/formats.ts";
import { readEntries, type ServerEntry } from "../../src/hosts/entry/server-entry.ts";
import { unwrapEntries } from "../../src/hosts/entry/unwrap-entry.ts";
import { undoAll, type Wrapped, wrapEntries } from "../../src/hosts/entry/wrap-entry.ts";
import type { WrapOrder } from "../../src/hosts/entry/wrap-order.ts";
import type { Host, ServerList } from "../../src/hosts/host.ts";
import { HOSTS } from "../../src/hosts/hosts.ts";
import { casesOf, documentOf, openCase, orderFor } from "./hosts-known-fixture.ts";

/** Every host's fixtures, and the same files as other editors would have saved them: wrapped and back, byte for byte. */

interface HostFile {
  host: Host;
  list: ServerList;
  document: ConfigDocument;
  title: string;
}

const roots: string[] = [];
afterAll(() => {
  for (const root of roots) rmSync(root, { recursive: true, force: true });
});

const files: HostFile[] = HOSTS.flatMap((host) =>
  casesOf(host).flatMap((one) => {
    const { place, root, nameOf } = openCase(one);
    roots.push(root);
    return host.lists(place).flatMap((list) => {
      const document = documentOf(list);
      if (document === null || document instanceof ConfigSyntaxError) return [];
      return [{ host, list, document, title: `${one.title} ${nameOf(list.file)} ${list.scope}` }];
    });
  }),
);

const unixLines = (text: string) => text.replaceAll("\r\n", "\n");

const VARIANTS: Record<string, (text: string, format: ConfigFormatId) => string> = {
  "as it is": (text) => text,
  "lines of Unix": unixLines,
  "lines of Windows": (text) => unixLines(text).replaceAll("\n", "\r\n"),
  // In YAML and in TOML's longer strings a tab would be something else.
  "with tabs": (text, format) =>
    format.startsWith("json") ? text.replaceAll(/^ +/gm, (spaces) => "\t".repeat(Math.ceil(spaces.length / 2))) : text,
  "without a last line end": (text) => text.trimEnd(),
  "with empty lines at its end": (text) => `${text}\n\n\n`,
};

describe.each(Object.entries(VARIANTS))("%s", (_, change) => {
  test.each(files)("$title", ({ host, list, document: first }) => {
    const { parse } = formatOf(list.format);
    const document = parse(change(first.text, list.format));
    for (const more of [{}, { isNamed: true, birHome: "/opt/bir home/é" }]) {
      const { wrapped, document: after } = wrapAll(host, list, document, more);
      expect(
        undoAll(
          after,
          wrapped.map(({ undo }) => undo),
        ),
      ).toBe(document.text);
      expectMeant(list, document, after, wrapped);

      const again = readEntries(list, after);
      for (const { entry } of wrapped) expect(again.find(({ name }) => name === entry.name)?.isOurs).toBe(true);
      expect(wrapAll(host, list, after, more).wrapped).toEqual([]);

      const traced = again.flatMap((entry) => {
        const one = wrapped.find(({ entry: { name } }) => name === entry.name);
        return one === undefined
          ? []
          : [{ entry, traces: [{ undo: one.undo, made: one.made, executableWords: ["/opt/bir/bir"] }] }];
      });
      const back = unwrapEntries(after, traced);
      expect(back.document.text).toBe(document.text);
      expect(back.left).toEqual([]);
    }
  });
});

describe("a large file", () => {
  // The largest are of hosts that keep much else beside their servers, as JSON.
  const sizesMb = { json: 5, "json-comments": 5, jsonc: 5, toml: 1, yaml: 1 } as const;
  const big = Object.entries(sizesMb).map(([id, sizeMb]) => {
    const file = files.find(({ list, document }) => list.format === id && readEntries(list, document).length > 1);
    if (file === undefined) throw new Error(`no host has a file of ${id}`);
    return { ...file, sizeMb };
  });

  test.each(big)("of $sizeMb MB, $title, is wrapped and given back", ({ host, list, document: small, sizeMb }) => {
    const document = formatOf(list.format).parse(withFiller(small, sizeMb * 1024 * 1024));
    const { wrapped, document: after } = wrapAll(host, list, document, {});
    expect(wrapped.length).toBe(wrapAll(host, list, small, {}).wrapped.length);
    expect(wrapped.length).toBeGreaterThan(0);
    expect(
      undoAll(
        after,
        wrapped.map(({ undo }) => undo),
      ) === document.text,
    ).toBe(true);
  });
});

function wrapAll(host: Host, list: ServerList, document: ConfigDocument, more: Partial<WrapOrder>) {
  const wanted = readEntries(list, document)
    .filter(({ isOurs }) => !isOurs)
    .map((entry) => ({ entry, order: orderFor(host, list, more) }));
  return wrapEntries(document, wanted);
}

/** As parsers see it that the edits were not made with: the server is started by the proxy, and nothing else has changed. */
function expectMeant(
  list: ServerList,
  before: ConfigDocument,
  after: ConfigDocument,
  wrapped: readonly Wrapped[],
): void {
  const old = foreignParse(list.format, before.text);
  const now = foreignParse(list.format, after.text);
  for (const { entry } of wrapped) {
    const was = takeAt(old, entry);
    const is = takeAt(now, entry);
    const words = wordsOf(list, is);
    expect(words.slice(0, 3)).toEqual(["/opt/bir/bir", "proxy", "--server-name"]);
    if (entry.url === null) expect(words.slice(words.indexOf("--") + 1)).toEqual([entry.command, ...entry.args]);
    else expect(words[words.indexOf("--url") + 1]).toBe(entry.url);
    expect(withoutOurs(list, is)).toEqual(withoutOurs(list, was));
  }
  expect(now).toEqual(old);
}

function foreignParse(format: ConfigFormatId, text: string): unknown {
  if (text.trim() === "") return {};
  if (format === "toml") return Bun.TOML.parse(text);
  if (format === "yaml") return Bun.YAML.parse(text);
  return format === "json" ? JSON.parse(text) : parseJsonc(text, [], { allowTrailingComma: true });
}

type Json = Record<string, unknown>;

/** What stands at an entry, which is null afterwards. */
function takeAt(root: unknown, { path }: ServerEntry): Json {
  const last = path[path.length - 1] as string;
  const holder = path.slice(0, -1).reduce((node, step) => (node as Json)[step], root) as Json;
  const found = holder[last] as Json;
  holder[last] = null;
  return found;
}

function wordsOf({ shape: { command } }: ServerList, entry: Json): string[] {
  if (command.kind === "argv") return entry[command.key] as string[];
  return [entry[command.command] as string, ...(entry[command.args] as string[])];
}

function withoutOurs({ shape }: ServerList, entry: Json): Json {
  const { command, env, type, remote } = shape;
  const ours = [
    ...(command.kind === "argv" ? [command.key] : [command.command, command.args]),
    ...(type === null ? [] : [type.key]),
    ...(remote === null ? [] : [...remote.urlKeys.map(({ key }) => key), remote.headers, remote.bearerVariable]),
    "env_vars",
  ];
  const kept = Object.fromEntries(Object.entries(entry).filter(([key]) => !ours.includes(key)));
  const variables = Object.entries((kept[env] as Json | undefined) ?? {}).filter(
    ([name]) => name !== "BIR_HOME" && name !== "BIR_UPSTREAM_HEADERS",
  );
  return { ...kept, [env]: Object.fromEntries(variables) };
}

/** The same with so much beside it. */
function withFiller({ text, root, format }: ConfigDocument, sizeBytes: number): string {
  const value = "Ünïcode and so on ".repeat(8);
  const count = Math.ceil(sizeBytes / (value.length + 12));
  const lines = (line: (n: number) => string) => Array.from({ length: count }, (_, n) => line(n)).join("");
  if (format === "toml") return `${text}\n[filler]\n${lines((n) => `k${n} = "${value}"\n`)}`;
  if (format === "yaml") return `${text}\nfiller:\n${lines((n) => `  k${n}: ${value}\n`)}`;
  const at = root.start + 1;
  return `${text.slice(0, at)}"filler":{${lines((n) => `"k${n}":"${value}",\n`)}"end":0},${text.slice(at)}`;
}
