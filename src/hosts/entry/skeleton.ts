import type { ConfigDocument, ConfigNode } from "../edit/config-text.ts";
import { nodesIn } from "./nodes.ts";

/**
 * Tells in a part of a configuration's text what is a value, and what is only its frame: keys, brackets, commas, spaces.
 * Anything that is not surely frame, such as a comment, is never called so: a secret may stand in it. Pure.
 */

export type SkeletonPart =
  | { kind: "frame"; text: string }
  | { kind: "value"; node: ConfigNode; text: string }
  | { kind: "unknown"; text: string };

/** White space and what separates values in any of the formats. */
const PUNCTUATION = /[\s{}[\],:=.-]/y;
const QUOTED = /"(?:[^"\\\n]|\\.)*"|'[^'\n]*'/y;
const BARE = /[A-Za-z0-9_$@/-]+/y;

/** The places of all scalar values and the names of all keys, found once for many parts. */
export class Skeleton {
  readonly #text: string;
  readonly #scalars: ConfigNode[];
  readonly #keys: ReadonlySet<string>;

  constructor(document: ConfigDocument, root: ConfigNode = document.root, keysAbove: readonly string[] = []) {
    this.#text = document.text;
    const scalars: ConfigNode[] = [];
    const keys = new Set(keysAbove);
    for (const { node } of nodesIn(root)) {
      if (node.kind !== "object" && node.kind !== "array") scalars.push(node);
      for (const { key } of node.members) keys.add(key);
    }
    this.#scalars = scalars.sort((a, b) => a.start - b.start);
    this.#keys = keys;
  }

  /** The parts between two positions, which together are the text there. */
  parts(start: number, end: number): SkeletonPart[] {
    const parts: SkeletonPart[] = [];
    let at = start;
    for (const node of this.#scalars) {
      if (node.end <= at || node.start >= end) continue;
      if (node.start < at || node.end > end) {
        // Cut through the middle.
        const cutEnd = Math.min(node.end, end);
        if (node.start > at) parts.push(...this.#frame(at, node.start));
        parts.push({ kind: "unknown", text: this.#text.slice(Math.max(node.start, at), cutEnd) });
        at = cutEnd;
        continue;
      }
      parts.push(...this.#frame(at, node.start), { kind: "value", node, text: this.#text.slice(node.start, node.end) });
      at = node.end;
    }
    if (at < end) parts.push(...this.#frame(at, end));
    return parts;
  }

  /** Text without values: frame as far as it can be told, and the rest of a line where it cannot. */
  #frame(start: number, end: number): SkeletonPart[] {
    const text = this.#text.slice(start, end);
    const parts: SkeletonPart[] = [];
    let frame = "";
    let at = 0;
    while (at < text.length) {
      const word = match(QUOTED, text, at) ?? match(BARE, text, at);
      if (word !== null && this.#isKey(word)) {
        frame += word;
        at += word.length;
        continue;
      }
      const mark = match(PUNCTUATION, text, at);
      if (mark !== null) {
        frame += mark;
        at += mark.length;
        continue;
      }
      if (frame !== "") parts.push({ kind: "frame", text: frame });
      frame = "";
      const lineEnd = text.indexOf("\n", at);
      const unknown = text.slice(at, lineEnd < 0 ? text.length : lineEnd);
      parts.push({ kind: "unknown", text: unknown });
      at += unknown.length;
    }
    if (frame !== "") parts.push({ kind: "frame", text: frame });
    return parts;
  }

  #isKey(word: string): boolean {
    if (!/^["']/.test(word)) return this.#keys.has(word);
    if (word.startsWith("'")) return this.#keys.has(word.slice(1, -1));
    try {
      return this.#keys.has(String(JSON.parse(word)));
    } catch {
      return false;
    }
  }
}

function match(pattern: RegExp, text: string, at: number): string | null {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0] ?? null;
}
