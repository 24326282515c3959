import type { DiffLine } from "../diff/line-diff.ts";
import { isLongText } from "../json/tree-rows.ts";
import { isContainer, isObject, kindOf, scalarText, type ValueKind } from "../json/value.ts";

/**
 * A payload as a person reads it: parts in order, each of a kind that has a view of its own. What no part tells is left to
 * the JSON beside them. Pure.
 */

export type Part = { title?: string } & (
  | { kind: "text"; text: string; hint?: "markdown" | "terminal" }
  | { kind: "file"; text: string; firstLine: number }
  | { kind: "command"; text: string }
  | { kind: "diff"; lines: DiffLine[] }
  | { kind: "json"; value: unknown; isFolded?: boolean }
  | { kind: "table"; names: string[]; rows: Record<string, unknown>[] }
  | { kind: "checklist"; items: { text: string; status: string }[] }
  | { kind: "facts"; facts: Fact[] }
  | { kind: "media"; media: Media }
  | { kind: "note"; text: string }
  | { kind: "heading" }
  | { kind: "cut"; originalBytes: number; head: string; tail: string }
);

export interface Fact {
  name: string;
  /** A text as it is; anything else as JSON. */
  value: string;
  kind: ValueKind;
}

/** An image, a sound or a file whose bytes were not kept. */
export interface Media {
  what: string;
  type: string | null;
  sizeBytes: number | null;
  sha256: string | null;
  uri: string | null;
}

/** The members of an object that are still to be shown; taking one takes it off. */
export class Members {
  readonly #left: Map<string, unknown>;

  constructor(value: Record<string, unknown>) {
    this.#left = new Map(Object.entries(value));
  }

  peek(name: string): unknown {
    return this.#left.get(name);
  }

  take(name: string): unknown {
    const value = this.#left.get(name);
    this.#left.delete(name);
    return value;
  }

  /** The first of some names that is text, taken. */
  takeText(...names: readonly string[]): string | null {
    for (const name of names) if (typeof this.#left.get(name) === "string") return this.take(name) as string;
    return null;
  }

  drop(...names: readonly string[]): void {
    for (const name of names) this.#left.delete(name);
  }

  /** What is left, as parts: short values together, each long text and each nested value by itself. */
  rest(): Part[] {
    const facts: Fact[] = [];
    const parts: Part[] = [];
    const nested: Part[] = [];
    for (const [name, value] of this.#left) {
      if (isLongText(value)) parts.push({ kind: "text", title: name, text: value });
      else if (isContainer(value)) {
        if (Object.keys(value).length > 0) nested.push(valuePart(value, name));
      } else if (value !== null && value !== "" && value !== false) {
        facts.push(factOf(name, value));
      }
    }
    return [...(facts.length > 0 ? [{ kind: "facts", facts } as const] : []), ...parts, ...nested];
  }
}

/** Objects with more members are better read as JSON. */
const MOST_MEMBERS = 24;

/** True for an object that reads better in parts than as JSON: few members, one of them a longer text or a table. */
export function isWorthParts(value: unknown): value is Record<string, unknown> {
  if (!isObject(value)) return false;
  const members = Object.values(value);
  return members.length <= MOST_MEMBERS && members.some((one) => isLongText(one) || columnsOf(one) !== null);
}

/** The members of an object that holds only a few short values, all of them; null for any other. */
export function flatFacts(value: Record<string, unknown>): Part | null {
  const members = Object.entries(value);
  const isFlat = members.every(([, one]) => !isContainer(one) && !isLongText(one));
  if (!isFlat || members.length === 0 || members.length > MOST_FACTS) return null;
  return { kind: "facts", facts: members.map(([name, one]) => factOf(name, one)) };
}

const MOST_FACTS = 12;

function factOf(name: string, value: unknown): Fact {
  const isText = typeof value === "string" && value !== "";
  return { name, value: isText ? value : scalarText(value), kind: kindOf(value) };
}

/** Any value in parts where those read better, else as it is. */
export function valueParts(value: unknown, title?: string): Part[] {
  if (!isWorthParts(value)) return [valuePart(value, title)];
  const parts = new Members(value).rest();
  return title === undefined ? parts : [{ kind: "heading", title }, ...parts];
}

/** Any value as one part: a table where it is one, else JSON. */
export function valuePart(value: unknown, title?: string): Part {
  const named = title === undefined ? {} : { title };
  const names = columnsOf(value);
  return names === null
    ? { kind: "json", value, ...named }
    : { kind: "table", names, rows: value as Record<string, unknown>[], ...named };
}

const MOST_COLUMNS = 8;
/** Longer tables are better found one's way in as JSON. */
const MOST_CELLS = 300;
const LONGEST_CELL = 120;

/** The names of the columns, where a list is one of uniform objects of short values; null where it is not. */
function columnsOf(value: unknown): string[] | null {
  if (!Array.isArray(value) || value.length < 2) return null;
  const [first] = value as unknown[];
  if (!isObject(first)) return null;
  const names = Object.keys(first);
  if (names.length < 2 || names.length > MOST_COLUMNS || names.length * value.length > MOST_CELLS) return null;
  const isUniform = value.every(
    (row: unknown) =>
      isObject(row) &&
      Object.keys(row).length === names.length &&
      names.every((name) => Object.hasOwn(row, name) && isCell(row[name])),
  );
  return isUniform ? names : null;
}

function isCell(value: unknown): boolean {
  if (isContainer(value)) return false;
  return typeof value !== "string" || (value.length <= LONGEST_CELL && !value.includes("\n"));
}
