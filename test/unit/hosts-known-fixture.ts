import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { type ConfigDocument, ConfigSyntaxError } from "../../src/hosts/edit/config-text.ts";
import { formatOf } from "../../src/hosts/edit/formats.ts";
import { decodeTextFile } from "../../src/hosts/edit/text-file.ts";
import { readEntries } from "../../src/hosts/entry/server-entry.ts";
import { wrapEntries } from "../../src/hosts/entry/wrap-entry.ts";
import type { WrapOrder } from "../../src/hosts/entry/wrap-order.ts";
import type { Host, Place, PlaceFiles, ServerList } from "../../src/hosts/host.ts";
import { DISK_FILES } from "../../src/hosts/place-disk.ts";

/**
 * What hosts' files look like on a person's machine: `test/fixtures/hosts/HOST/CASE/` holds `home/` and `project/`, the top of a
 * repository, with `project/here/` as the working directory where there is one. `@PROJECT@` in a file stands for the project's path.
 */

const FIXTURES = join(import.meta.dirname, "..", "fixtures", "hosts");

export interface HostCase {
  host: Host;
  name: string;
  /** As a test's title. */
  title: string;
}

export function casesOf(host: Host): HostCase[] {
  const directory = join(FIXTURES, host.id);
  if (!existsSync(directory)) return [];
  return readdirSync(directory).map((name) => ({ host, name, title: `${host.id}/${name}` }));
}

export function goldenOf({ host, name }: HostCase): unknown {
  return JSON.parse(readFileSync(join(FIXTURES, host.id, name, "golden.json"), "utf8"));
}

/** A case on a disk of its own. `nameOf` gives a file's path as it is in the fixture. */
export interface OpenedCase {
  place: Place;
  root: string;
  nameOf(file: string): string;
}

export function openCase({ host, name }: HostCase): OpenedCase {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "bir-test-hosts-")));
  cpSync(join(FIXTURES, host.id, name), root, { recursive: true });
  const project = join(root, "project");
  mkdirSync(join(root, "home"), { recursive: true });
  mkdirSync(join(project, ".git"), { recursive: true });
  const files = readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  for (const file of files.map(({ name: base, parentPath }) => join(parentPath, base))) {
    const text = readFileSync(file, "latin1");
    if (text.includes("@PROJECT@")) writeFileSync(file, text.replaceAll("@PROJECT@", project), "latin1");
  }
  const here = join(project, "here");
  const place = placeOn("linux", {
    userHome: join(root, "home"),
    cwd: existsSync(here) ? here : project,
    files: DISK_FILES,
  });
  return { place, root, nameOf: (file) => relative(root, file) };
}

/** What is read in each file of a case, and what an install that names no server would make of it. */
export function verdictsOf(host: Host, { place, nameOf }: OpenedCase): Record<string, unknown> {
  const told: Record<string, unknown> = {};
  for (const list of host.lists(place)) {
    const document = documentOf(list);
    if (document === null) continue;
    const path = list.path.map((step) => (step === place.cwd.replace(/\/here$/, "") ? "@PROJECT@" : step));
    told[`${nameOf(list.file)} ${path.join(" > ")}`] =
      document instanceof ConfigSyntaxError
        ? { refused: `line ${document.line}, column ${document.column}` }
        : verdicts(host, list, document);
  }
  return told;
}

/** Null where there is no such file. */
export function documentOf({ file, format }: ServerList): ConfigDocument | ConfigSyntaxError | null {
  if (!existsSync(file)) return null;
  try {
    return formatOf(format).parse(decodeTextFile(readFileSync(file)).text);
  } catch (error) {
    if (error instanceof ConfigSyntaxError) return error;
    throw error;
  }
}

function verdicts(host: Host, list: ServerList, document: ConfigDocument): unknown[] {
  const entries = readEntries(list, document);
  const wanted = entries.filter(({ isOurs }) => !isOurs).map((entry) => ({ entry, order: orderFor(host, list) }));
  const { wrapped, left } = wrapEntries(document, wanted);
  return entries.map((entry) => ({
    name: entry.name,
    ...(entry.command === null ? {} : { words: [entry.command, ...entry.args] }),
    ...(Object.keys(entry.env).length === 0 ? {} : { env: entry.env }),
    ...(entry.url === null ? {} : { url: entry.url, transport: entry.transport }),
    ...(entry.headers === null ? {} : { headers: entry.headers }),
    verdict: entry.isOurs
      ? "runs bir"
      : wrapped.some((one) => one.entry === entry)
        ? "wrapped"
        : (left.find((one) => one.entry === entry)?.why.left ?? "lost"),
  }));
}

/** How an install wraps the entries of a host's list. */
export function orderFor(host: Host, list: ServerList, more: Partial<WrapOrder> = {}): WrapOrder {
  return {
    executableWords: ["/opt/bir/bir"],
    flags: [
      ...(list.scope === "user" && host.hasProjectLists ? ["--scope", "user"] : []),
      ...(host.restartsServers ? [] : ["--restart"]),
    ],
    birHome: null,
    isNamed: false,
    passesVariables: host.passesVariables,
    expansion: host.expansion,
    ...more,
  };
}

/** A disk with nothing on it. */
export const EMPTY_DISK: PlaceFiles = { exists: () => false, names: () => [] };

/** A disk with these files and the directories they are in. */
export function diskWith(paths: readonly string[]): PlaceFiles {
  const below = (path: string, directory: string) =>
    path.startsWith(directory) && /^[\\/]/.test(path.slice(directory.length));
  return {
    exists: (path) => paths.some((one) => one === path || below(one, path)),
    names: (directory) => {
      const rest = paths.filter((one) => below(one, directory)).map((one) => one.slice(directory.length + 1));
      return [...new Set(rest.map((one) => one.split(/[\\/]/)[0] ?? ""))].sort();
    },
  };
}

export const PLATFORMS = ["linux", "darwin", "win32"] as const;

const HOMES = { linux: "/home/ada", darwin: "/Users/ada", win32: "C:\\Users\\ada" } as const;

export function placeOn(platform: (typeof PLATFORMS)[number], more: Partial<Place> = {}): Place {
  const userHome = more.userHome ?? HOMES[platform];
  const cwd = userHome + (platform === "win32" ? "\\code\\project" : "/code/project");
  return { platform, userHome, cwd, env: {}, files: EMPTY_DISK, ...more };
}
