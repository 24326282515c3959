import type { ConfigDocument, ConfigNode, ConfigPath } from "../edit/config-text.ts";
import { nodeAt } from "../edit/text-place.ts";
import type { EntryShape, RemoteShape, ServerList } from "../host.ts";
import type { LeftCode } from "./left.ts";
import { memberOf, repeatedKey } from "./nodes.ts";
import { runsBir } from "./our-words.ts";

/**
 * Reads the entries of one list of servers as its host would. Decides nothing about them, and never looks outside the
 * document. Pure.
 */

export interface ServerEntry {
  name: string;
  list: ServerList;
  /** All of it. */
  whole: ConfigNode;
  /** What holds its keys: the whole, or the object in it that the shape names. */
  node: ConfigNode;
  /** Of `node`, from the document's root. */
  path: ConfigPath;
  kind: "stdio" | "remote" | "other";
  /** Why it is `other`; null for the rest. */
  problem: LeftCode | null;
  command: string | null;
  /** A word that is no string in the file is here as text. */
  args: string[];
  env: Record<string, unknown>;
  url: string | null;
  /** The key that the URL stands under. */
  urlKey: string | null;
  transport: "http" | "sse" | null;
  headers: Record<string, unknown> | null;
  /** True for one that runs bir, whoever wrote it. */
  isOurs: boolean;
}

/** What a type key may also say for a program: hosts take each other's words. */
const STDIO_WORDS = ["stdio", "local"];

/** The entries of a list in the order of the text; none where the list is not there or is no list. */
export function readEntries(
  list: ServerList,
  document: ConfigDocument,
  ourPrograms: readonly (readonly string[])[] = [],
): ServerEntry[] {
  const holder = nodeAt(document.root, list.path);
  if (holder === null) return [];
  const { names } = list.shape;
  const found: { name: string; step: string | number; node: ConfigNode }[] = [];
  if (names === "keys") {
    for (const { key, value } of holder.members) found.push({ name: key, step: key, node: value });
  } else {
    for (const [index, node] of holder.elements.entries()) {
      const name = memberOf(node, names.nameKey)?.value;
      found.push({ name: typeof name === "string" ? name : "", step: index, node });
    }
  }
  const counts = new Map<string, number>();
  for (const { name } of found) counts.set(name, (counts.get(name) ?? 0) + 1);
  return found.map(({ name, step, node }) => {
    const entry = readEntry(name, list, node, [...list.path, step], ourPrograms);
    if (name === "") return { ...entry, kind: "other", problem: "no-name" };
    if (counts.get(name) !== 1) return { ...entry, kind: "other", problem: "repeated-name" };
    return entry;
  });
}

function readEntry(
  name: string,
  list: ServerList,
  outer: ConfigNode,
  outerPath: ConfigPath,
  ourPrograms: readonly (readonly string[])[],
): ServerEntry {
  const { nested } = list.shape;
  const inner = nested === null ? null : memberOf(outer, nested);
  const isNested = nested !== null && inner?.kind === "object";
  const node = isNested ? inner : outer;
  const path = isNested ? [...outerPath, nested] : outerPath;
  const words = readWords(list.shape, node);
  const remote = readRemote(list.shape.remote, node);
  const entry: ServerEntry = {
    name,
    list,
    whole: outer,
    node,
    path,
    kind: "other",
    problem: null,
    command: words?.[0] ?? null,
    args: words?.slice(1) ?? [],
    env: asObject(memberOf(node, list.shape.env)?.value) ?? {},
    ...remote,
    isOurs: words !== null && runsBir(words, ourPrograms),
  };
  return { ...entry, ...kindOf(entry, list.shape, words) };
}

function kindOf(
  entry: ServerEntry,
  shape: EntryShape,
  words: string[] | null,
): Pick<ServerEntry, "kind" | "problem"> & Partial<ServerEntry> {
  const other = (problem: LeftCode) => ({ kind: "other", problem }) as const;
  const { node } = entry;
  if (node.kind !== "object") return other("not-an-object");
  if (repeatedKey(node.members) !== null) return other("repeated-key");
  const commandKey = shape.command.kind === "argv" ? shape.command.key : shape.command.command;
  const hasCommand = memberOf(node, commandKey) !== null;
  if (hasCommand && entry.urlKey !== null) return other("command-and-url");
  const type = shape.type === null ? null : memberOf(node, shape.type.key);
  const word = type === null ? null : type.value;
  const transport = typeof word === "string" && shape.remote !== null ? ownValue(shape.remote.types, word) : undefined;
  if (type !== null && transport === undefined && word !== shape.type?.stdio && !STDIO_WORDS.includes(String(word))) {
    return other("unknown-type");
  }
  if (hasCommand) {
    if (transport !== undefined) return other("unknown-type");
    return words === null ? other("command-form") : { kind: "stdio", problem: null };
  }
  if (entry.urlKey === null) return other("no-command");
  if (type !== null && transport === undefined) return other("unknown-type");
  return { kind: "remote", problem: null, transport: transport ?? entry.transport };
}

/** Program and arguments; null where they are not written as the shape says. */
export function readWords(shape: EntryShape, node: ConfigNode): string[] | null {
  if (shape.command.kind === "argv") {
    const argv = memberOf(node, shape.command.key);
    return argv?.kind === "array" ? wordsOf(argv) : null;
  }
  const command = memberOf(node, shape.command.command);
  if (command?.kind !== "string" || command.value === "") return null;
  const args = memberOf(node, shape.command.args);
  if (args === null) return [String(command.value)];
  const rest = args.kind === "array" ? wordsOf(args, true) : null;
  return rest === null ? null : [String(command.value), ...rest];
}

function wordsOf(node: ConfigNode, mayBeEmpty = false): string[] | null {
  const words: string[] = [];
  for (const { kind, value } of node.elements) {
    if (kind !== "string" && kind !== "number" && kind !== "boolean") return null;
    words.push(String(value));
  }
  return mayBeEmpty || (words[0] ?? "") !== "" ? words : null;
}

function readRemote(
  shape: RemoteShape | null,
  node: ConfigNode,
): Pick<ServerEntry, "url" | "urlKey" | "transport" | "headers"> {
  const key = shape?.urlKeys.find((one) => memberOf(node, one.key) !== null) ?? null;
  const url = key === null ? null : memberOf(node, key.key)?.value;
  const headers = shape === null || shape.headers === null ? null : memberOf(node, shape.headers);
  return {
    url: typeof url === "string" ? url : null,
    urlKey: key?.key ?? null,
    transport: key?.transport ?? null,
    headers: asObject(headers?.value),
  };
}

function asObject(value: unknown): Record<string, unknown> | null {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : null;
}

function ownValue<T>(record: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}
