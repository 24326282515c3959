import fc from "fast-check";
import type { ConfigFormatId, ConfigPath } from "../../src/hosts/edit/config-text.ts";
import { type ShapeName, variable } from "../unit/hosts-entry-fixture.ts";

/** Configurations as people and programs write them: servers of every form in every format, laid out in every way. */

export interface Sample {
  text: string;
  format: ConfigFormatId;
  shape: ShapeName;
  path: ConfigPath;
  names: string[];
}

interface Layout {
  unit: string;
  newline: string;
  /** Everything below this depth on one line. */
  flatFrom: number;
  comments: boolean;
  trailingComma: boolean;
  colon: string;
  finalNewline: boolean;
  escapes: "plain" | "ascii" | "slash";
}

const word = fc.oneof(
  fc.constantFrom(
    "-y",
    "--",
    "server",
    "C:\\x\\y.cmd",
    "cmd",
    "/c",
    `${variable("HOME")}/x`,
    "a b",
    "ünï",
    "",
    "proxy",
    "true",
    "#no",
    "it's",
  ),
  fc.string({ maxLength: 12 }).filter((text) => !/[\p{Cc}\p{Cs}\p{Cn}\uFEFF\uFFFE\uFFFF]/u.test(text)),
);
const program = fc.constantFrom("npx", "cmd", "/usr/bin/node", "./run.sh", "uvx", "C:\\Program Files\\nodejs\\npx.cmd");
const name = fc.oneof(
  fc.constantFrom("files", "a b", "x.y", "ü", "__proto__", "--odd", "constructor"),
  fc.stringMatching(/^[a-z][a-z0-9_-]{0,8}$/),
);
const env = fc.dictionary(fc.constantFrom("TOKEN", "A_B", "PATH", "EMPTY"), word, { maxKeys: 3 });
const headers = fc.dictionary(fc.constantFrom("Authorization", "X-Api-Key", "Accept"), word, { maxKeys: 3 });

const stdio = fc.record(
  { command: program, args: fc.array(word, { maxLength: 4 }), env, timeout: fc.nat(), disabled: fc.boolean() },
  { requiredKeys: ["command"] },
);
const remote = fc.record(
  {
    type: fc.constantFrom("http", "sse"),
    url: fc.constantFrom(
      "https://example.com/mcp",
      "http://127.0.0.1:9/x?a=1",
      "https://u:p@h/x",
      `${variable("BASE")}/mcp`,
    ),
    headers,
    alwaysLoad: fc.boolean(),
  },
  { requiredKeys: ["url"] },
);
const odd = fc.constantFrom<unknown>(
  null,
  1,
  "x",
  [],
  {},
  { command: 5 },
  { type: "builtin" },
  { command: "a", url: "b" },
);
const entry = fc.oneof(
  { weight: 5, arbitrary: stdio },
  { weight: 3, arbitrary: remote },
  { weight: 1, arbitrary: odd },
);

const layout: fc.Arbitrary<Layout> = fc.record({
  unit: fc.constantFrom("  ", "\t", "    ", ""),
  newline: fc.constantFrom("\n", "\r\n"),
  flatFrom: fc.constantFrom(0, 1, 2, 3, 4, 9),
  comments: fc.boolean(),
  trailingComma: fc.boolean(),
  colon: fc.constantFrom(": ", ":", " : "),
  finalNewline: fc.boolean(),
  escapes: fc.constantFrom("plain", "ascii", "slash"),
});

const servers = fc.uniqueArray(fc.tuple(name, entry), { selector: ([one]) => one, maxLength: 5 });

export const sample: fc.Arbitrary<Sample> = fc
  .tuple(servers, layout, fc.constantFrom("json", "jsonc", "toml", "yaml"), fc.boolean(), fc.boolean())
  .map(([list, how, format, isOther, isLast]) => sampleOf(list, how, format as ConfigFormatId, isOther, isLast));

function sampleOf(
  list: [string, unknown][],
  how: Layout,
  format: ConfigFormatId,
  isOther: boolean,
  isLast: boolean,
): Sample {
  const names = list.map(([one]) => one);
  if (format === "toml") {
    return { text: tomlOf(list, how, isOther), format, shape: "table", path: ["mcp_servers"], names };
  }
  if (format === "yaml") {
    const entries = list
      .filter(([, value]) => isRecord(value))
      .map(([one, value]) => ({ name: one, ...(value as object) }));
    const text = yamlOf(
      { ...(isLast ? {} : { model: "m" }), mcpServers: entries, ...(isLast ? { model: "m" } : {}) },
      how,
    );
    return { text, format, shape: "named", path: ["mcpServers"], names: entries.map((one) => one.name) };
  }
  const shape: ShapeName = isOther ? "argv" : "plain";
  const values = list.map(([one, value]): [string, unknown] => [one, isOther ? argvOf(value) : value]);
  const root: [string, unknown][] = [
    ["mcpServers", new Pairs(values)],
    ["projects", { "/home/p": { history: ["x", 1.5, null, 12345678901234567000], nested: {} } }],
  ];
  const pairs = new Pairs(isLast ? root.reverse() : root);
  const isJsonc = format === "jsonc";
  const text = new JsonPrinter({
    ...how,
    comments: how.comments && isJsonc,
    trailingComma: how.trailingComma && isJsonc,
  }).print(pairs);
  return { text, format, shape, path: ["mcpServers"], names };
}

/** An object whose keys may have any name, in order. */
class Pairs {
  readonly pairs: readonly [string, unknown][];
  constructor(pairs: readonly [string, unknown][]) {
    this.pairs = pairs;
  }
}

function argvOf(value: unknown): unknown {
  if (!isRecord(value)) return value;
  const { command, args, env: variables, type, ...rest } = value;
  if (typeof command !== "string") return { ...rest, ...(type === undefined ? {} : { type: "remote" }) };
  const words = [command, ...((args as string[] | undefined) ?? [])];
  return { type: "local", command: words, ...(variables === undefined ? {} : { environment: variables }), ...rest };
}

class JsonPrinter {
  readonly #how: Layout;
  #comment = 0;

  constructor(how: Layout) {
    this.#how = how;
  }

  print(value: unknown): string {
    return this.#value(value, 0) + (this.#how.finalNewline ? this.#how.newline : "");
  }

  #value(value: unknown, depth: number): string {
    if (Array.isArray(value))
      return this.#block(
        "[",
        value.map((one) => this.#value(one, depth + 1)),
        "]",
        depth,
      );
    if (!isRecord(value) && !(value instanceof Pairs)) return this.#scalar(value);
    const pairs = value instanceof Pairs ? value.pairs : Object.entries(value);
    const parts = pairs.map(([key, one]) => `${JSON.stringify(key)}${this.#how.colon}${this.#value(one, depth + 1)}`);
    return this.#block("{", parts, "}", depth);
  }

  #block(open: string, parts: string[], close: string, depth: number): string {
    const { unit, newline, flatFrom, comments, trailingComma } = this.#how;
    if (parts.length === 0) return `${open}${close}`;
    if (depth >= flatFrom) return `${open} ${parts.join(", ")}${trailingComma ? "," : ""} ${close}`;
    const lines = parts.map((part, i) => {
      const comma = i < parts.length - 1 || trailingComma ? "," : "";
      const note = comments && this.#comment++ % 3 === 0 ? ` // note ${this.#comment} { "x": [` : "";
      return `${unit.repeat(depth + 1)}${part}${comma}${note}`;
    });
    return [open, ...lines, `${unit.repeat(depth)}${close}`].join(newline);
  }

  #scalar(value: unknown): string {
    const text = JSON.stringify(value);
    if (typeof value !== "string") return text;
    if (this.#how.escapes === "slash") return text.replaceAll("/", "\\/");
    if (this.#how.escapes === "plain") return text;
    return text.replace(/[\u007f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
  }
}

function tomlOf(list: readonly [string, unknown][], how: Layout, isScattered: boolean): string {
  const lines = ["model = 'x' # which", ""];
  const later: string[] = [];
  for (const [one, value] of list) {
    if (!isRecord(value) || Object.keys(value).length === 0) continue;
    const table = `mcp_servers.${tomlKey(one)}`;
    lines.push(`[${table}]`);
    for (const [key, inner] of Object.entries(value)) {
      if (key === "type" || inner === null) continue;
      const at = key === "headers" ? "http_headers" : key;
      if (isRecord(inner) && how.flatFrom > 2) {
        (isScattered ? later : lines).push(
          `[${table}.${at}]`,
          ...Object.entries(inner).map(([k, v]) => `${tomlKey(k)} = ${tomlValue(v, how)}`),
        );
        if (!isScattered) later.length = later.length + 0;
      } else lines.push(`${at} = ${tomlValue(inner, how)}${how.comments ? " # note" : ""}`);
    }
    // A plain key behind a sub-table would belong to that one.
    const body = lines.splice(lines.lastIndexOf(`[${table}]`) + 1);
    const sub = body.findIndex((line) => line.startsWith("["));
    const plain = body.filter((line, i) => !line.startsWith("[") && (sub < 0 || i < sub));
    const rest: string[] = [];
    const trailing: string[] = [];
    let inSub = false;
    for (const line of sub < 0 ? [] : body.slice(sub)) {
      if (line.startsWith("[")) inSub = true;
      if (inSub && !/^(?:timeout|disabled|alwaysLoad|url|http_headers|env|args) = /.test(line)) rest.push(line);
      else trailing.push(line);
    }
    lines.push(...plain, ...trailing, ...rest, "");
  }
  lines.push("[other]", "x = 1", ...later);
  return lines.join(how.newline) + (how.finalNewline ? how.newline : "");
}

function tomlKey(key: string): string {
  return /^[A-Za-z0-9_-]+$/.test(key) ? key : JSON.stringify(key);
}

function tomlValue(value: unknown, how: Layout): string {
  if (Array.isArray(value)) {
    const parts = value.map((one) => tomlValue(one, how));
    return how.flatFrom > 2 && parts.length > 1
      ? `[${how.newline}  ${parts.join(`,${how.newline}  `)}${how.trailingComma ? "," : ""}${how.newline}]`
      : `[${parts.join(", ")}]`;
  }
  if (isRecord(value)) {
    const parts = Object.entries(value).map(([key, one]) => `${tomlKey(key)} = ${tomlValue(one, how)}`);
    return parts.length === 0 ? "{}" : `{ ${parts.join(", ")} }`;
  }
  if (typeof value === "string" && how.escapes === "slash" && !value.includes("'")) return `'${value}'`;
  return JSON.stringify(value);
}

function yamlOf(root: Record<string, unknown>, how: Layout): string {
  const lines: string[] = how.comments ? ["# top"] : [];
  for (const [key, value] of Object.entries(root)) yamlMember(lines, key, value, 0, how);
  return lines.join(how.newline) + (how.finalNewline ? how.newline : "");
}

function yamlMember(lines: string[], key: string, value: unknown, depth: number, how: Layout): void {
  const pad = "  ".repeat(depth);
  const note = how.comments && lines.length % 3 === 0 ? " # note" : "";
  if (
    depth >= how.flatFrom + 1 ||
    !(Array.isArray(value) || isRecord(value)) ||
    Object.keys(value as object).length === 0
  ) {
    lines.push(`${pad}${yamlKey(key)}: ${yamlFlow(value, how)}${note}`);
    return;
  }
  lines.push(`${pad}${yamlKey(key)}:${note}`);
  if (!Array.isArray(value)) {
    for (const [k, v] of Object.entries(value as object)) yamlMember(lines, k, v, depth + 1, how);
    return;
  }
  for (const one of value) {
    if (!isRecord(one)) lines.push(`${pad}  - ${yamlFlow(one, how)}`);
    else {
      const inner: string[] = [];
      for (const [k, v] of Object.entries(one)) yamlMember(inner, k, v, depth + 2, how);
      inner[0] = `${pad}  - ${(inner[0] ?? "").trimStart()}`;
      lines.push(...inner);
    }
  }
}

function yamlKey(key: string): string {
  return /^[A-Za-z][\w-]*$/.test(key) ? key : JSON.stringify(key);
}

function yamlFlow(value: unknown, how: Layout): string {
  if (Array.isArray(value)) return `[${value.map((one) => yamlFlow(one, how)).join(", ")}]`;
  if (isRecord(value)) {
    return `{${Object.entries(value)
      .map(([key, one]) => `${JSON.stringify(key)}: ${yamlFlow(one, how)}`)
      .join(", ")}}`;
  }
  if (typeof value !== "string") return JSON.stringify(value);
  if (how.escapes === "slash" && /^[a-zA-Z/][\w/.]*$/.test(value) && !/^(?:true|false|null|yes|no)$/i.test(value))
    return value;
  return how.escapes === "ascii" ? `'${value.replaceAll("'", "''")}'` : JSON.stringify(value);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Pairs);
}
