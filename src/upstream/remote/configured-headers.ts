import { EXIT } from "../../core/exit-codes.ts";
import { Problem } from "../../core/problem.ts";
import { unexpandedVariable } from "../../core/unexpanded-variable.ts";
import { readEnv } from "../../kit/env.ts";
import type { HeaderList } from "../http/http.ts";

/**
 * The headers that a person has configured for a remote server: from `BIR_UPSTREAM_HEADERS`, over them `--bearer-env`, over them
 * `--header`. Most of them are secrets, so no message ever says a value, and what they are read from is removed from the environment.
 */

export interface HeaderSources {
  /** What `--header` was given, each time. */
  headerLines: readonly string[];
  bearerVariable: string | null;
}

/** Code of the Problem that tells that the variable of `--bearer-env` is not set. */
export const NO_BEARER_TOKEN = "no-bearer-token";

/** Where a header is from, as a message names it. */
type Origin = "BIR_UPSTREAM_HEADERS" | "--bearer-env" | "--header";

/** Set by the transport from the message and the connection: a value of somebody else's would break either. */
const OF_THE_TRANSPORT = new Set(
  (
    "accept accept-encoding connection content-encoding content-length content-type expect host keep-alive last-event-id " +
    "mcp-method mcp-name mcp-protocol-version mcp-session-id te trailer transfer-encoding upgrade"
  ).split(" "),
);
const OF_THE_TRANSPORT_BEGINNING = /^(?:mcp-param-|proxy-)/;
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** Where a member of a JSON object of strings begins, and the one before ends. */
const MEMBER = /(?:^\{|",)"([!#$%&'*+.^_`|~0-9A-Za-z-]+)":"/g;
const VALUE = /^[\t\x20-\x7e]*$/;

/**
 * Reads them, and takes `BIR_UPSTREAM_HEADERS` and the bearer's variable out of `env`. Names are compared without regard to case;
 * of two with one name the later counts. Throws `Problem` with the exit code of a wrong command line.
 */
export function readConfiguredHeaders(sources: HeaderSources, env: Record<string, string | undefined>): HeaderList {
  const { headerLines, bearerVariable } = sources;
  const json = readEnv("BIR_UPSTREAM_HEADERS", env);
  const token = bearerVariable === null ? undefined : env[bearerVariable];
  delete env.BIR_UPSTREAM_HEADERS;
  if (bearerVariable !== null) delete env[bearerVariable];
  const headers = [
    ...(json === undefined ? [] : fromJson(json)),
    ...(bearerVariable === null ? [] : [bearerHeader(bearerVariable, token)]),
    ...headerLines.map(fromLine),
  ];
  const byName = new Map<string, readonly [string, string]>();
  for (const header of headers) {
    const key = header[0].toLowerCase();
    byName.delete(key);
    byName.set(key, header);
  }
  return [...byName.values()];
}

function fromJson(text: string): [string, string][] {
  const entries = Object.entries(parseObject(text));
  return entries.map(([name, value], index) => {
    if (typeof value === "string") return checked(name, value, "BIR_UPSTREAM_HEADERS", index);
    const which = naming(name, "BIR_UPSTREAM_HEADERS", index);
    throw wrong(`${which} has a value that is no string`, "Write it in quotes; a list as one string, with commas");
  });
}

function parseObject(text: string): object {
  const hint = String.raw`Write it as {"Authorization": "Bearer …"}; inside a JSON file each of its quotes is \"`;
  try {
    const parsed: unknown = JSON.parse(text);
    if (typeof parsed === "object" && parsed !== null && !Array.isArray(parsed)) return parsed;
  } catch {
    const filled = filledIn(text);
    if (filled !== null) return filled;
    // What the parser says quotes the text.
    if (!text.trimStart().startsWith("{")) refuseUnexpanded(text, "BIR_UPSTREAM_HEADERS");
  }
  throw wrong("BIR_UPSTREAM_HEADERS holds no JSON object", hint);
}

/**
 * The headers of a text that is no JSON any more, because a host has filled variables in: their quotes, backslashes and line ends stand
 * there as they are. Only the form that `bir install` writes, without a space between the parts; null for any other.
 */
function filledIn(text: string): object | null {
  const found = [...text.matchAll(MEMBER)];
  if (found[0]?.index !== 0 || !text.endsWith('"}')) return null;
  const headers = found.map((match, i): [string, string] => {
    const end = found[i + 1]?.index ?? text.length - 2;
    return [match[1] ?? "", text.slice(match.index + match[0].length, end).replace(/[\r\n]+$/, "")];
  });
  return Object.fromEntries(headers);
}

function bearerHeader(variable: string, token: string | undefined): [string, string] {
  // Some write the token itself where its variable belongs: only what looks like a variable is said again.
  const named = /^[A-Z_][A-Z0-9_]{0,63}$/.test(variable)
    ? `${variable} (--bearer-env)`
    : "the variable of --bearer-env";
  if (token === undefined || token === "") {
    const hint = `Set it to the token, for example in the "env" of the server's entry in the host's configuration`;
    throw new Problem(NO_BEARER_TOKEN, `${named} is not set, or is empty`, `${hint}.`, EXIT.usage);
  }
  refuseUnexpanded(token, named);
  if (/\s/.test(token)) {
    throw wrong(`${named} holds a space or a line end`, `Put the token alone into it, without "Bearer"`);
  }
  return checked("authorization", `Bearer ${token}`, "--bearer-env", 0);
}

function fromLine(line: string, index: number): [string, string] {
  const colon = line.indexOf(":");
  if (colon < 0) throw wrong(`${naming("", "--header", index)} has no colon`, "Write it as --header 'NAME: VALUE'");
  return checked(line.slice(0, colon).trimEnd(), line.slice(colon + 1), "--header", index);
}

/** A header as it can be sent, its value without the spaces around it. */
function checked(name: string, raw: string, origin: Origin, index: number): [string, string] {
  const which = naming(name, origin, index);
  if (!TOKEN.test(name)) {
    throw wrong(`${which} has a name that no header can have`, "A name is made of letters, digits and hyphens");
  }
  const lower = name.toLowerCase();
  if (OF_THE_TRANSPORT.has(lower) || OF_THE_TRANSPORT_BEGINNING.test(lower)) {
    throw wrong(`${which} is set by bir itself, from each message and the connection`, "Leave it out");
  }
  refuseUnexpanded(raw, which);
  if (!VALUE.test(raw)) {
    throw wrong(`${which} holds a character that no header can hold`, "Take out line ends and all that is not ASCII");
  }
  const value = raw.replace(/^[\t ]+|[\t ]+$/g, "");
  if (lower === "authorization" && /^bearer$/i.test(value)) {
    throw wrong(`${which} has no token after "Bearer"`, "The variable that it was to come from is empty: set it");
  }
  return [name, value];
}

function refuseUnexpanded(text: string, which: string): void {
  const unfilled = unexpandedVariable(text);
  if (unfilled === null) return;
  throw wrong(`${which} holds ${unfilled}, which the host has left as it is`, "Set that variable, or write its value");
}

/** A name that is one can be told; anything else may be a secret at the wrong place. */
function naming(name: string, origin: Origin, index: number): string {
  return TOKEN.test(name) ? `the header ${name} (${origin})` : `header ${index + 1} of ${origin}`;
}

function wrong(message: string, hint: string): Problem {
  return new Problem("wrong-header", message, `${hint}.`, EXIT.usage);
}
