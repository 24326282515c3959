import type { Facets } from "../../core/service-wire.ts";
import { partText, type QueryPart, queryParts } from "./query-text.ts";

/** What may be meant by what somebody has begun to write in the search box. Pure. */

export interface Suggestion {
  /** What stands in the text instead of what was begun. */
  insert: string;
  label: string;
  /** What it does, or in how many runs it is. */
  detail: string;
}

export interface Suggestions {
  /** What is replaced: UTF-16 offsets, the end excluded. */
  start: number;
  end: number;
  options: Suggestion[];
}

/** Each key of the language, what it asks for, and an example of it. */
export const QUERY_KEYS = [
  { key: "tool", detail: "runs that called a tool", example: "tool:search_code" },
  { key: "server", detail: "runs that called a server", example: "server:github" },
  { key: "host", detail: "runs of an application", example: "host:claude-code" },
  { key: "is", detail: "error, incomplete or running", example: "is:error" },
  { key: "status", detail: "how the run ended", example: "status:interrupted" },
  { key: "after", detail: "began after a date, or an age ago", example: "after:3d" },
  { key: "before", detail: "began before a date, or an age ago", example: "before:2026-11-30" },
] as const;

const STATES: Record<string, readonly (readonly [value: string, detail: string])[]> = {
  is: [
    ["error", "a call ended in an error, or the run failed"],
    ["incomplete", "something could not be recorded"],
    ["running", "under way now"],
  ],
  status: [
    ["completed", ""],
    ["failed", ""],
    ["interrupted", "a person stopped it"],
    ["abandoned", "its recorder ended without closing it"],
    ["running", "under way now"],
  ],
  after: [
    ["1h", "the last hour"],
    ["24h", "the last day"],
    ["7d", "the last week"],
    ["30d", "the last month"],
  ],
  before: [
    ["24h", "older than a day"],
    ["7d", "older than a week"],
    ["30d", "older than a month"],
  ],
};

const MOST = 8;

/** Suggestions for the part that the caret (UTF-16 offset) is at the end of or in. */
export function suggestionsAt(text: string, caret: number, facets: Facets | null): Suggestions {
  const part = queryParts(text).find(({ start, end }) => start < caret && caret <= end) ?? {
    start: caret,
    end: caret,
    key: null,
    value: "",
  };
  const { start, end } = part;
  const options = part.key === null ? keyOptions(part, facets) : valueOptions(part.key, part.value, facets);
  const written = text.slice(start, end);
  return { start, end, options: options.filter(({ insert }) => insert !== written).slice(0, MOST) };
}

function keyOptions({ value }: QueryPart, facets: Facets | null): Suggestion[] {
  const begun = value.toLowerCase();
  const keys = QUERY_KEYS.filter(({ key }) => key.startsWith(begun)).map(({ key, detail }) => ({
    insert: `${key}:`,
    label: `${key}:`,
    detail,
  }));
  if (begun.length < 2) return keys;
  const named = (["tool", "server", "host"] as const).flatMap((key) =>
    valueOptions(key, value, facets)
      .filter(({ label }) =>
        label
          .toLowerCase()
          .replace(/^\w+:"?/, "")
          .split(/[^\p{L}\p{N}]+/u)
          .some((word) => word.startsWith(begun)),
      )
      .slice(0, 3),
  );
  return [...keys, ...named];
}

function valueOptions(key: string, value: string, facets: Facets | null): Suggestion[] {
  const begun = value.toLowerCase();
  const states = (STATES[key] ?? [])
    .filter(([name]) => name.startsWith(begun))
    .map(([name, detail]) => ({ insert: partText(key, name), label: partText(key, name), detail }));
  const known = facetOf(key, facets).filter(({ value: name }) => name.toLowerCase().includes(begun));
  // What begins with it before what only holds it; each in the order of how many runs have it.
  const isFirst = (name: string) => name.toLowerCase().startsWith(begun);
  const ordered = [...known.filter((one) => isFirst(one.value)), ...known.filter((one) => !isFirst(one.value))];
  return [
    ...states,
    ...ordered.slice(0, MOST).map(({ value: name, runs }) => ({
      insert: partText(key, name),
      label: partText(key, name),
      detail: runs === 1 ? "1 run" : `${runs.toLocaleString("en")} runs`,
    })),
  ];
}

function facetOf(key: string, facets: Facets | null): Facets["tools"] {
  if (facets === null) return [];
  if (key === "tool") return facets.tools;
  if (key === "server") return facets.servers;
  return key === "host" ? facets.hosts : [];
}
