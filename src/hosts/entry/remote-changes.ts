import type { EntryChange } from "./entry-change.ts";
import { type Left, type LeftCode, left, yieldsToName } from "./left.ts";
import { memberOf } from "./nodes.ts";
import type { ServerEntry } from "./server-entry.ts";
import { addVariables, nothingMade, proxyWords, type WrapChanges, type WrapOrder } from "./wrap-order.ts";

/**
 * Turns the entry of a remote server into one that starts the proxy for it. Its headers go into a variable, never into an
 * argument: every user of the machine can see those. Pure.
 */

/** Variable that the proxy reads a remote server's headers from. */
export const HEADERS_VARIABLE = "BIR_UPSTREAM_HEADERS";

const CREDENTIAL_NAME = /auth|token|key|secret|cookie|credential|password|session/i;
/** What a query may hold for everyone to see. */
const PLAIN_VALUE = /^[\w.,:-]{0,12}$/;

export function remoteChanges(entry: ServerEntry, order: WrapOrder): WrapChanges | Left {
  const { shape } = entry.list;
  const { remote, command } = shape;
  if (remote === null || entry.urlKey === null || entry.url === null) return left("url-form");
  const reason = reasonToLeave(entry, order);
  if (reason !== null && !(order.isNamed && yieldsToName(reason))) return left(reason);

  const made = nothingMade();
  const type = shape.type === null ? null : memberOf(entry.node, shape.type.key);
  const bearer = bearerVariable(entry);
  const hasHeaders = remote.headers !== null && memberOf(entry.node, remote.headers) !== null;
  made.remote = {
    urlKey: entry.urlKey,
    type: type === null ? null : String(type.value),
    headers: hasHeaders,
    bearer: bearer !== null,
  };
  const [executable, ...rest] = order.executableWords;
  const words = [
    ...rest,
    // A remote server is not started, so never started again.
    ...proxyWords(
      entry.name,
      order.flags.filter((flag) => flag !== "--restart"),
    ),
    "--url",
    entry.url,
    ...(entry.transport === "sse" ? ["--transport", "sse"] : []),
    ...(bearer === null ? [] : ["--bearer-env", bearer]),
  ];

  const changes: EntryChange[] = [];
  if (shape.type !== null && type !== null) {
    changes.push({ kind: "replace", path: [shape.type.key], value: shape.type.stdio });
  }
  let last: string;
  if (command.kind === "argv") {
    changes.push(...inPlaceOfUrl(entry, entry.urlKey, command.key, [executable, ...words]));
    last = command.key;
  } else {
    changes.push(...inPlaceOfUrl(entry, entry.urlKey, command.command, executable));
    changes.push({ kind: "add", path: [], key: command.args, value: words, after: command.command });
    made.args = true;
    last = command.args;
  }
  const variables: [string, string][] = [];
  if (hasHeaders && remote.headers !== null) {
    // An empty object needs no variable, and is found back without one.
    if (Object.keys(entry.headers ?? {}).length > 0) variables.push([HEADERS_VARIABLE, JSON.stringify(entry.headers)]);
    changes.push({ kind: "remove", path: [remote.headers] });
  }
  if (order.birHome !== null) variables.push(["BIR_HOME", order.birHome]);
  if (bearer !== null && remote.bearerVariable !== null) {
    changes.push({ kind: "remove", path: [remote.bearerVariable] });
    const failed = passVariable(entry, bearer, order, changes, made);
    if (failed !== null) return failed;
  }
  addVariables(entry, variables, last, changes, made);
  return { changes, made };
}

/** A comment beside the URL stays beside what takes its place, where the format lets a key be changed by itself. */
function inPlaceOfUrl(entry: ServerEntry, urlKey: string, key: string, value: unknown): EntryChange[] {
  if (entry.list.format.startsWith("json")) return [{ kind: "rekey", path: [urlKey], key, value }];
  return [
    { kind: "add", path: [], key, value, after: urlKey },
    { kind: "remove", path: [urlKey] },
  ];
}

/** The host gives a server only the variables on its list. */
function passVariable(
  entry: ServerEntry,
  name: string,
  { passesVariables }: WrapOrder,
  changes: EntryChange[],
  made: WrapChanges["made"],
): Left | null {
  if (passesVariables === null) return null;
  const key = passesVariables.listKey;
  const list = memberOf(entry.node, key);
  if (list === null) {
    changes.push({ kind: "add", path: [], key, value: [name] });
    made.passed = { key, name, list: true };
    return null;
  }
  if (list.kind !== "array") return left("variables-form");
  if (list.elements.some((element) => element.value === name)) return null;
  changes.push({ kind: "insert", path: [key], index: list.elements.length, values: [name] });
  made.passed = { key, name, list: false };
  return null;
}

function bearerVariable(entry: ServerEntry): string | null {
  const key = entry.list.shape.remote?.bearerVariable ?? null;
  const value = key === null ? null : memberOf(entry.node, key)?.value;
  return typeof value === "string" && value !== "" ? value : null;
}

function reasonToLeave(entry: ServerEntry, order: WrapOrder): LeftCode | null {
  const { remote } = entry.list.shape;
  const url = entry.url ?? "";
  if (remote === null) return "url-form";
  const has = (key: string) => memberOf(entry.node, key) !== null;
  const says = (name: string) =>
    [entry.node, entry.whole].some((node) => (memberOf(node, name)?.value ?? false) !== false);
  if (remote.cannotMove.some(says)) return "cannot-move";
  if (!/^(?:https?:\/\/.|\$)/i.test(url)) return "url-form";
  if (/^[a-z]+:\/\/[^/?#]*@/i.test(url)) return "url-credentials";
  if (url.includes("#")) return "url-fragment";
  const key = remote.headers;
  const headers = key === null ? null : memberOf(entry.node, key);
  if (headers !== null && !isStrings(entry.headers)) return "headers-form";
  if (Object.hasOwn(entry.env, HEADERS_VARIABLE)) return "headers-form";
  const { expansion } = order;
  if (expansion !== null && !expansion.inEnv) {
    const texts = Object.values(entry.headers ?? {}).map(String);
    if (texts.some((text) => [...text.matchAll(expansion.pattern)].length > 0)) return "headers-kept-by-host";
  }
  const bearerKey = remote.bearerVariable;
  if (bearerKey !== null && has(bearerKey) && !isVariableName(bearerVariable(entry) ?? "")) return "headers-form";
  if (remote.signIn.some(says)) return "signs-in";
  const hasCredential = Object.keys(entry.headers ?? {}).some((name) => CREDENTIAL_NAME.test(name));
  if (!hasCredential && bearerVariable(entry) === null) return "may-sign-in";
  return mayHoldSecret(url) ? "url-secret" : null;
}

/** A name, and not the token itself, which people put there, too. */
function isVariableName(name: string): boolean {
  return /^[A-Za-z_]\w*$/.test(name) && !looksLikeToken(name, PATH_SEGMENT) && !/^(?:gh[a-z]|sk|xox[a-z])_/.test(name);
}

function isStrings(headers: Record<string, unknown> | null): boolean {
  return headers !== null && Object.values(headers).every((value) => typeof value === "string");
}

/** True where a part of a URL could be a credential: better one server too few than a token in the list of processes. */
function mayHoldSecret(url: string): boolean {
  const [address = "", query = ""] = url.split(/\?(.*)/s);
  const [, host = "", path = ""] = /^https?:\/\/([^/]*)(.*)$/is.exec(address) ?? [];
  if (host.split(".").some((label) => looksLikeToken(label, HOST_LABEL))) return true;
  if (path.split("/").some(isSecretSegment)) return true;
  return query
    .split("&")
    .filter((pair) => pair !== "")
    .some((pair) => {
      const [name = "", value = ""] = pair.split(/=(.*)/s);
      return CREDENTIAL_NAME.test(name) || !PLAIN_VALUE.test(value);
    });
}

function isSecretSegment(segment: string): boolean {
  const named = segment
    .split(";")
    .some((part) => part.includes("=") && CREDENTIAL_NAME.test(part.split("=", 1)[0] ?? ""));
  return named || looksLikeToken(segment, PATH_SEGMENT) || isSecretVariable(segment);
}

/** How long a run of letters and digits has to be, to be taken for a token: with digits, in mixed case, in any case. */
interface TokenLengths {
  withDigits: number;
  mixedCase: number;
  any: number;
}

const PATH_SEGMENT: TokenLengths = { withDigits: 10, mixedCase: 14, any: 20 };
const HOST_LABEL: TokenLengths = { withDigits: 16, mixedCase: 16, any: 24 };

function looksLikeToken(text: string, { withDigits, mixedCase, any }: TokenLengths): boolean {
  return text.split(/[^A-Za-z0-9]+/).some((run) => {
    if (run.length >= any) return true;
    if (run.length >= withDigits && /[0-9]/.test(run) && /[A-Za-z]/.test(run)) return true;
    return run.length >= mixedCase && /[a-z]/.test(run) && /[A-Z]/.test(run);
  });
}

function isSecretVariable(segment: string): boolean {
  return segment.includes("${") && CREDENTIAL_NAME.test(segment);
}
