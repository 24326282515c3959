import type { EntryShape, Expansion, RemoteShape } from "./host.ts";

/** How most hosts write an entry, and what most of them replace in it. A host file changes what is different. */

/** Words for a transport that several hosts take. */
export const TRANSPORT_WORDS = {
  http: "http",
  "streamable-http": "http",
  streamableHttp: "http",
  sse: "sse",
} as const;

/** `url` and `headers`; how the server is spoken to is found out. */
export const URL_AND_HEADERS: RemoteShape = {
  urlKeys: [{ key: "url", transport: null }],
  headers: "headers",
  types: TRANSPORT_WORDS,
  bearerVariable: null,
  signIn: ["oauth", "auth"],
  cannotMove: [],
};

/** `"NAME": { "command": …, "args": […], "env": {…} }`, or `{ "type": …, "url": …, "headers": {…} }`. */
export const COMMAND_AND_ARGS: EntryShape = {
  nested: null,
  names: "keys",
  command: { kind: "command-and-args", command: "command", args: "args" },
  env: "env",
  type: { key: "type", stdio: "stdio" },
  remote: URL_AND_HEADERS,
};

/** `$VAR`, `${VAR}` and whatever else may stand in braces, everywhere in an entry. */
export const DOLLAR_FORMS: Expansion = { pattern: /\$(?:\w+|\{[^}]+\})/g, inEnv: true };

/** `${…}` with anything in it, everywhere in an entry. */
export const BRACED_FORMS: Expansion = { pattern: /\$\{[^}]+\}/g, inEnv: true };

/** For hosts whose documentation does not say: what looks like a variable is never moved to where it may not be replaced. */
export const UNKNOWN_FORMS: Expansion = { pattern: /\$\{[^}]+\}|\$[A-Za-z_]\w*|\{env:[^}]+\}/g, inEnv: false };
