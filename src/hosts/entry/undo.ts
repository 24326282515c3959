import type { ConfigDocument, ConfigNode, ConfigPath, TextEdit } from "../edit/config-text.ts";
import { nodeAt } from "../edit/text-place.ts";
import { parseHeaders } from "./configured-headers.ts";
import { isLiteralStyle, type LiteralStyle, styleOf, writeLiteral } from "./literal-styles.ts";
import { nodesIn } from "./nodes.ts";
import type { Gap } from "./rewrite.ts";
import { Skeleton } from "./skeleton.ts";

/**
 * How a change of a text is taken back byte for byte, without a copy of what was there: of the text that was replaced only
 * the frame is kept, and for each value the place where it stands in the changed text. So it can lie in a file that must
 * hold no secret. Good for the text exactly as it was written, which a hash tells; for any other it gives nothing. Pure.
 */

export interface Undo {
  /** The value whose first character positions are counted from. */
  anchor: ConfigPath;
  /** Length of that value; null where only a part of it has to be as it was. */
  length: number | null;
  /** The part that must be as it was written, and its SHA-256. */
  from: number;
  to: number;
  sha256: string;
  patches: UndoPatch[];
}

interface UndoPatch {
  at: number;
  length: number;
  text: (string | ValueRef)[];
}

/** A value that stands in the anchor. */
export interface ValueRef {
  path: ConfigPath;
  style: LiteralStyle;
  /** The value is under this key of the JSON text that stands there. */
  key?: string;
}

export interface UndoOrder {
  before: ConfigDocument;
  after: ConfigDocument;
  /** In both documents. */
  anchor: ConfigPath;
  gaps: readonly Gap[];
  /** The hash covers the whole anchor, not only what is between the first gap and the last. */
  isWhole: boolean;
  /** Words that are no secret wherever they stand, such as those of a type. */
  plainWords: readonly string[];
}

/** Null where something was replaced that cannot be given back this way, such as a comment. */
export function makeUndo({ before, after, anchor, gaps, isWhole, plainWords }: UndoOrder): Undo | null {
  const oldNode = nodeAt(before.root, anchor);
  const node = nodeAt(after.root, anchor);
  if (oldNode === null || node === null || gaps.length === 0) return null;
  const keysAbove = anchor.filter((step) => typeof step === "string");
  const skeleton = new Skeleton(before, oldNode, keysAbove);
  const places = new ValuePlaces(node);
  const patches: UndoPatch[] = [];
  for (const gap of gaps) {
    const text: (string | ValueRef)[] = [];
    for (const part of skeleton.parts(gap.oldStart, gap.oldEnd)) {
      if (part.kind === "unknown") return null;
      if (part.kind === "frame") text.push(part.text);
      else {
        const found = isPlain(part.node, plainWords) ? part.text : places.find(part.node.value, part.text);
        if (found === null) return null;
        text.push(found);
      }
    }
    patches.push({ at: gap.start - node.start, length: gap.end - gap.start, text });
  }
  const starts = gaps.map((gap) => gap.start);
  const ends = gaps.map((gap) => gap.end);
  const from = Math.min(...starts, ...(isWhole ? [node.start] : []));
  const to = Math.max(...ends, ...(isWhole ? [node.end] : []));
  return {
    anchor,
    length: isWhole ? node.end - node.start : null,
    from: from - node.start,
    to: to - node.start,
    sha256: sha256(after.text.slice(from, to)),
    patches,
  };
}

/** The edits that give back what was there; null when the text is not as it was written. `anchor` where it is now. */
export function undoEdits(document: ConfigDocument, undo: Undo, anchor: ConfigPath = undo.anchor): TextEdit[] | null {
  const node = nodeAt(document.root, anchor);
  if (node === null || (undo.length !== null && node.end - node.start !== undo.length)) return null;
  const from = node.start + undo.from;
  const to = node.start + undo.to;
  if (from < 0 || to > document.text.length) return null;
  if (sha256(document.text.slice(from, to)) !== undo.sha256) return null;
  const edits: TextEdit[] = [];
  for (const patch of undo.patches) {
    let text = "";
    for (const part of patch.text) {
      const written = typeof part === "string" ? part : valueAt(node, part);
      if (written === null) return null;
      text += written;
    }
    edits.push({ offset: node.start + patch.at, length: patch.length, text });
  }
  return edits;
}

function valueAt(node: ConfigNode, { path, style, key }: ValueRef): string | null {
  const found = nodeAt(node, path)?.value;
  if (typeof found !== "string" || !isLiteralStyle(style)) return null;
  if (key === undefined) return writeLiteral(style, found);
  const headers = parseHeaders(found);
  return headers !== null && Object.hasOwn(headers, key) ? writeLiteral(style, headers[key] ?? "") : null;
}

function isPlain({ kind, value }: ConfigNode, plainWords: readonly string[]): boolean {
  return kind === "null" || kind === "boolean" || (kind === "string" && plainWords.includes(String(value)));
}

/** Where each text stands in a value. */
class ValuePlaces {
  readonly #places = new Map<string, Omit<ValueRef, "style">>();

  constructor(node: ConfigNode) {
    for (const { node: inner, path } of nodesIn(node)) {
      if (inner.kind !== "string") continue;
      this.#add(String(inner.value), { path });
      for (const [key, value] of Object.entries(parseHeaders(inner.value) ?? {})) this.#add(value, { path, key });
    }
  }

  find(value: unknown, literal: string): ValueRef | null {
    if (typeof value !== "string") return null;
    const place = this.#places.get(value);
    const style = styleOf(value, literal);
    return place === undefined || style === null ? null : { ...place, style };
  }

  #add(value: string, place: Omit<ValueRef, "style">): void {
    if (!this.#places.has(value)) this.#places.set(value, place);
  }
}

function sha256(text: string): string {
  return new Bun.CryptoHasher("sha256").update(text).digest("hex");
}
