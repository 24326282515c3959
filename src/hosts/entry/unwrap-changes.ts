import { parseHeaders } from "./configured-headers.ts";
import type { EntryChange } from "./entry-change.ts";
import { type Left, left } from "./left.ts";
import { memberOf } from "./nodes.ts";
import { findProxy, type ProxyWords } from "./our-words.ts";
import { HEADERS_VARIABLE } from "./remote-changes.ts";
import { readWords, type ServerEntry } from "./server-entry.ts";
import type { Made } from "./wrap-order.ts";

/**
 * Takes out of an entry only what wrapping has put in, whatever else has become of it since. What stood there is read
 * from the command line itself; `made` says what is ours beside it, and without it only what can be nobody else's goes.
 * Pure.
 */

/** The changes; or why there are none to be made. */
export function unwrapChanges(
  entry: ServerEntry,
  made: Made | null,
  ourPrograms: readonly (readonly string[])[] = [],
): EntryChange[] | Left {
  const { shape } = entry.list;
  const words = readWords(shape, entry.node);
  const proxy = words === null ? null : findProxy(words, ourPrograms);
  if (words === null || proxy === null) return left(entry.isOurs ? "command-changed" : "not-ours");
  const changes: EntryChange[] = [];
  if (proxy.url === null) commandBack(entry, words, proxy.commandAt ?? words.length, made, changes);
  else {
    const failed = remoteBack(entry, proxy, proxy.url, made, changes);
    if (failed !== null) return failed;
  }
  variablesBack(entry, proxy.url !== null, made, changes);
  return changes;
}

function commandBack(
  entry: ServerEntry,
  words: readonly string[],
  commandAt: number,
  made: Made | null,
  changes: EntryChange[],
): void {
  const { command } = entry.list.shape;
  if (command.kind === "argv") {
    changes.push({ kind: "take", path: [command.key], index: 0, count: commandAt });
    return;
  }
  changes.push({ kind: "replace", path: [command.command], value: words[commandAt] });
  // The program stands outside the arguments, and so does the first word of ours.
  if (commandAt + 1 === words.length && made?.args === true) changes.push({ kind: "remove", path: [command.args] });
  else changes.push({ kind: "take", path: [command.args], index: 0, count: commandAt });
}

function remoteBack(
  entry: ServerEntry,
  proxy: ProxyWords,
  url: string,
  made: Made | null,
  changes: EntryChange[],
): Left | null {
  const { shape } = entry.list;
  const { remote, command } = shape;
  if (remote === null) return left("command-changed");
  // What a person has put there since, and the entry has no place for without the proxy.
  const isLost = proxy.hasHeaders || (proxy.bearerVariable !== null && remote.bearerVariable === null);
  if (isLost) return left("command-changed");
  const transport = proxy.transport ?? "http";
  const urlKey = made?.remote?.urlKey ?? urlKeyFor(remote.urlKeys, transport);
  if (urlKey === null || memberOf(entry.node, urlKey) !== null) return left("command-changed");
  const headersText = entry.env[HEADERS_VARIABLE];
  const headers = headersText === undefined ? null : parseHeaders(headersText);
  if (headersText !== undefined && (headers === null || remote.headers === null)) return left("command-changed");

  if (shape.type !== null && memberOf(entry.node, shape.type.key) !== null) {
    const word = made?.remote?.type ?? Object.entries(remote.types).find(([, means]) => means === transport)?.[0];
    if (word !== undefined) changes.push({ kind: "replace", path: [shape.type.key], value: word });
  }
  const last = command.kind === "argv" ? command.key : command.args;
  changes.push({ kind: "add", path: [], key: urlKey, value: url, after: last });
  const wanted = headers ?? (made?.remote?.headers === true ? {} : null);
  if (wanted !== null && remote.headers !== null && memberOf(entry.node, remote.headers) === null) {
    changes.push({ kind: "add", path: [], key: remote.headers, value: wanted, after: urlKey });
  }
  if (proxy.bearerVariable !== null && remote.bearerVariable !== null) {
    const key = remote.bearerVariable;
    if (memberOf(entry.node, key) === null) {
      changes.push({ kind: "add", path: [], key, value: proxy.bearerVariable, after: urlKey });
    }
  }
  if (command.kind === "command-and-args") changes.push({ kind: "remove", path: [command.command] });
  changes.push({ kind: "remove", path: [last] });
  passedBack(entry, made, changes);
  return null;
}

function passedBack(entry: ServerEntry, made: Made | null, changes: EntryChange[]): void {
  const passed = made?.passed ?? null;
  if (passed === null) return;
  const list = memberOf(entry.node, passed.key);
  const index = list?.elements.findLastIndex((element) => element.value === passed.name) ?? -1;
  if (list === null || index < 0) return;
  changes.push(
    passed.list && list.elements.length === 1
      ? { kind: "remove", path: [passed.key] }
      : { kind: "take", path: [passed.key], index, count: 1 },
  );
}

function variablesBack(entry: ServerEntry, isRemote: boolean, made: Made | null, changes: EntryChange[]): void {
  const { env } = entry.list.shape;
  const ours = new Set(made?.variables ?? ["BIR_HOME"]);
  // A program does not read it; only the proxy does.
  if (isRemote) ours.add(HEADERS_VARIABLE);
  const names = Object.keys(entry.env);
  const found = names.filter((name) => ours.has(name));
  if (found.length === names.length && (made?.env ?? isRemote) && memberOf(entry.node, env) !== null) {
    changes.push({ kind: "remove", path: [env] });
    return;
  }
  for (const name of found) changes.push({ kind: "remove", path: [env, name] });
}

function urlKeyFor(
  keys: readonly { key: string; transport: "http" | "sse" | null }[],
  transport: "http" | "sse",
): string | null {
  const found = keys.find((one) => one.transport === transport) ?? keys.find((one) => one.transport === null);
  return found?.key ?? keys[0]?.key ?? null;
}
