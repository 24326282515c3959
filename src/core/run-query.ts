import type { RunStatus } from "./run.ts";
import type { QueryIssue } from "./service-wire.ts";
import { parseMoment } from "./text/when.ts";

/**
 * The language of the search box: `tool:` `server:` `host:` `status:` `is:error|incomplete|running` `after:` `before:` and free
 * words. Pure: the service asks the store with it, the page explains it with it. Reading a query never fails: what cannot be
 * understood is an issue with its place, and is left out.
 */

export interface RunQuery {
  /** Free words, and phrases that were quoted; all of them have to be found. */
  words: string[];
  /** Any of them; exact names, without regard to case. */
  tools: string[];
  servers: string[];
  hosts: string[];
  statuses: RunStatus[];
  /** A call of it ended in an error, or the run itself failed. */
  isError: boolean;
  isLossy: boolean;
  isRunning: boolean;
  /** Epoch ms: began at this moment or later. */
  startedFrom: number | null;
  /** Epoch ms: began before this moment. */
  startedBefore: number | null;
  /** The parts of the text in order, for whoever shows it. */
  tokens: QueryToken[];
  issues: QueryIssue[];
}

/** More words than anybody needs; each one costs. */
const MAX_WORDS = 16;

/** Keys as they are written before the colon, without regard to case. */
export const QUERY_KEYS = ["tool", "server", "host", "status", "is", "after", "before"] as const;

export type QueryKey = (typeof QUERY_KEYS)[number];

/** Everything that may stand behind `status:`. */
export const QUERY_STATUSES: readonly RunStatus[] = ["running", "completed", "failed", "interrupted", "abandoned"];

/** What stands behind `is:`. */
export const QUERY_STATES = ["error", "incomplete", "running"] as const;

/** One part of a query: a word, a phrase, or a key with its value. Offsets are UTF-16 units into the text, end excluded. */
export interface QueryToken {
  start: number;
  end: number;
  /** Null for a free word or phrase. */
  key: QueryKey | null;
  /** Where the value begins: behind the colon, or `start` for a free word. An opening quote is part of it. */
  valueStart: number;
  /** The value without quotes. */
  value: string;
  /** False where the query is answered as if it were not there. */
  isUnderstood: boolean;
}

/** Reads a query; `nowMs` is what ages such as `2h` count from. Never throws. */
export function parseRunQuery(text: string, nowMs: number): RunQuery {
  const query: RunQuery = {
    words: [],
    tools: [],
    servers: [],
    hosts: [],
    statuses: [],
    isError: false,
    isLossy: false,
    isRunning: false,
    startedFrom: null,
    startedBefore: null,
    tokens: [],
    issues: [],
  };
  for (const token of tokensOf(text)) {
    const message = take(query, token, nowMs);
    if (message !== null) {
      token.isUnderstood = false;
      query.issues.push({ start: token.start, end: token.end, message });
    }
    query.tokens.push(token);
  }
  return query;
}

/** A value as it has to be written behind a key, or a word among others: in quotes where it holds what would end it. */
export function queryValue(value: string): string {
  const plain = value.replaceAll('"', " ").trim();
  return plain === "" || /[\s:]/u.test(plain) ? `"${plain}"` : plain;
}

/** Parts between white space; a quote anywhere makes what follows one with it, up to the next quote or the end. */
function tokensOf(text: string): QueryToken[] {
  return Array.from(text.matchAll(/(?:"[^"]*(?:"|$)|[^\s"])+/gu), ({ 0: whole, index }) => tokenAt(whole, index));
}

function tokenAt(whole: string, start: number): QueryToken {
  const end = start + whole.length;
  const colon = whole.indexOf(":");
  const name = whole.slice(0, Math.max(colon, 0)).toLowerCase();
  const key = QUERY_KEYS.find((known) => known === name) ?? null;
  const valueStart = key === null ? start : start + colon + 1;
  const value = whole
    .slice(valueStart - start)
    .replaceAll('"', "")
    .trim();
  return { start, end, key, valueStart, value, isUnderstood: true };
}

/** Puts what a part says into the query; what is wrong with it in words, or null. */
function take(query: RunQuery, { key, value }: QueryToken, nowMs: number): string | null {
  if (key === null) {
    if (!/[\p{L}\p{N}]/u.test(value)) return "Only letters and digits can be looked for.";
    if (query.words.length === MAX_WORDS) return `At most ${MAX_WORDS} words are looked for.`;
    query.words.push(value);
    return null;
  }
  if (value === "") return `\`${key}:\` needs a value.`;
  switch (key) {
    case "tool":
      query.tools.push(value);
      return null;
    case "server":
      query.servers.push(value);
      return null;
    case "host":
      query.hosts.push(value);
      return null;
    case "status":
      return takeStatus(query, value);
    case "is":
      return takeState(query, value);
    case "after":
    case "before":
      return takeMoment(query, key, value, nowMs);
  }
}

function takeStatus(query: RunQuery, value: string): string | null {
  const status = QUERY_STATUSES.find((known) => known === value.toLowerCase());
  if (status === undefined) return `\`status:\` takes one of ${QUERY_STATUSES.join(", ")}.`;
  query.statuses.push(status);
  return null;
}

/** A value as it is compared: in lower case, and `lossy`, which means the same, as `incomplete`. */
export function meantState(value: string): string {
  const written = value.toLowerCase();
  return written === "lossy" ? "incomplete" : written;
}

function takeState(query: RunQuery, value: string): string | null {
  const meant = meantState(value);
  const state = QUERY_STATES.find((known) => known === meant);
  if (state === undefined) return `\`is:\` takes one of ${QUERY_STATES.join(", ")}.`;
  if (state === "error") query.isError = true;
  else if (state === "incomplete") query.isLossy = true;
  else query.isRunning = true;
  return null;
}

/** The same key twice is "or": the wider of the two counts. */
function takeMoment(query: RunQuery, key: "after" | "before", value: string, nowMs: number): string | null {
  try {
    const moment = parseMoment(value, nowMs);
    if (key === "after") query.startedFrom = Math.min(moment, query.startedFrom ?? moment);
    else query.startedBefore = Math.max(moment, query.startedBefore ?? moment);
    return null;
  } catch {
    return "Write a date (2026-11-24), a time (2026-11-24T14:00), or an age (30m, 12h, 3d).";
  }
}
