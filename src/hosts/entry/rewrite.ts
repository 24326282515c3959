import type { TextEdit } from "../edit/config-text.ts";

/**
 * A text that is edited again and again, and what of the first text is still in it: so that many small edits can be told,
 * and taken back, as if they had been made at once. Never moves a part of the first text. Pure.
 */

/** A part of the first text, or something new in place of a part of it (`text` may be empty). */
type Piece = { kind: "old"; start: number; end: number } | { kind: "new"; text: string; owner: number };

/** One place where the two texts differ. */
export interface Gap {
  /** In the first text. */
  oldStart: number;
  oldEnd: number;
  /** In the present text. */
  start: number;
  end: number;
  /** For whom it was edited; null when for several. */
  owner: number | null;
}

export class Rewrite {
  readonly original: string;
  readonly text: string;
  readonly #pieces: readonly Piece[];

  private constructor(original: string, text: string, pieces: readonly Piece[]) {
    this.original = original;
    this.text = text;
    this.#pieces = pieces;
  }

  static of(text: string): Rewrite {
    return new Rewrite(text, text, [{ kind: "old", start: 0, end: text.length }]);
  }

  /** The text with edits made in it; this one stays as it is. Throws when edits overlap or lie outside. */
  edited(edits: readonly (TextEdit & { owner: number })[]): Rewrite {
    // As `applyEdits` does: at one place insertions come first, in the order they were given in.
    const ordered = [...edits].sort((a, b) => a.offset - b.offset || Math.min(a.length, 1) - Math.min(b.length, 1));
    const pieces: Piece[] = [];
    const reader = new PieceReader(this.#pieces);
    let text = "";
    let at = 0;
    for (const edit of ordered) {
      const end = edit.offset + edit.length;
      if (edit.offset < at || end > this.text.length) throw new RangeError("edits overlap or lie outside the text");
      pieces.push(...reader.take(edit.offset - at));
      for (const piece of reader.take(edit.length)) {
        // What was new already and is replaced was somebody's: its place stays theirs too.
        if (piece.kind === "new") pieces.push({ kind: "new", text: "", owner: piece.owner });
      }
      pieces.push({ kind: "new", text: edit.text, owner: edit.owner });
      text += this.text.slice(at, edit.offset) + edit.text;
      at = end;
    }
    pieces.push(...reader.take(this.text.length - at), ...reader.rest());
    return new Rewrite(this.original, text + this.text.slice(at), pieces);
  }

  /** Where the text differs from the first one, in order. */
  gaps(): Gap[] {
    const found: Gap[] = [];
    let open: Gap | null = null;
    let oldAt = 0;
    let at = 0;
    const close = (oldEnd: number) => {
      if (open === null) return;
      open.oldEnd = oldEnd;
      if (open.oldEnd > open.oldStart || open.end > open.start) found.push(open);
      open = null;
    };
    for (const piece of this.#pieces) {
      if (piece.kind === "old") {
        if (piece.start === piece.end) continue;
        close(piece.start);
        oldAt = piece.end;
        at += piece.end - piece.start;
      } else {
        open ??= { oldStart: oldAt, oldEnd: oldAt, start: at, end: at, owner: piece.owner };
        if (open.owner !== piece.owner) open.owner = null;
        at += piece.text.length;
        open.end = at;
      }
    }
    close(this.original.length);
    return found;
  }
}

/** Hands out pieces by the length they have in the text, cut where needed. */
class PieceReader {
  readonly #pieces: Piece[];
  #next = 0;

  constructor(pieces: readonly Piece[]) {
    this.#pieces = [...pieces];
  }

  take(length: number): Piece[] {
    const taken: Piece[] = [];
    let left = length;
    while (left > 0) {
      const piece = this.#pieces[this.#next];
      if (piece === undefined) throw new RangeError("the text ends before that");
      const size = piece.kind === "old" ? piece.end - piece.start : piece.text.length;
      if (size <= left) {
        taken.push(piece);
        left -= size;
        this.#next++;
        continue;
      }
      const [head, tail]: [Piece, Piece] =
        piece.kind === "old"
          ? [
              { ...piece, end: piece.start + left },
              { ...piece, start: piece.start + left },
            ]
          : [
              { ...piece, text: piece.text.slice(0, left) },
              { ...piece, text: piece.text.slice(left) },
            ];
      taken.push(head);
      this.#pieces[this.#next] = tail;
      left = 0;
    }
    return taken;
  }

  rest(): Piece[] {
    return this.#pieces.slice(this.#next);
  }
}
