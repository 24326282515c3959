import type { ComponentChildren } from "preact";
import { visiblePieces } from "./visible.ts";
import { type TextMark, wordMarks } from "./word-marks.ts";

/**
 * Recorded text as text nodes, with what was looked for marked and what cannot be seen made visible. The one way for short
 * recorded text into the page; long text is the inspector's.
 */

export interface RecordedProps {
  text: string;
  /** What is marked, in order and not overlapping (UTF-16 offsets into the text). */
  marks?: readonly TextMark[] | undefined;
  /** Words to mark where they begin a word; instead of `marks`. */
  words?: readonly string[] | undefined;
  class?: string | undefined;
}

export function Recorded({ text, marks, words, class: name }: RecordedProps) {
  const all = marks ?? wordMarks(text, words ?? []);
  return <span class={name === undefined ? "recorded" : `recorded ${name}`}>{nodesOf(text, all)}</span>;
}

function nodesOf(text: string, marks: readonly TextMark[]): ComponentChildren {
  if (marks.length === 0) return pieceNodes(text);
  const nodes: ComponentChildren[] = [];
  let from = 0;
  for (const { start, end } of marks) {
    if (start < from || end <= start) continue;
    if (start > from) nodes.push(pieceNodes(text.slice(from, start)));
    nodes.push(<mark key={start}>{pieceNodes(text.slice(start, end))}</mark>);
    from = end;
  }
  if (from < text.length) nodes.push(pieceNodes(text.slice(from)));
  return nodes;
}

function pieceNodes(text: string): ComponentChildren {
  const pieces = visiblePieces(text);
  if (pieces.length === 1 && pieces[0]?.isEscape === false) return pieces[0].text;
  return pieces.map((piece) =>
    piece.isEscape ? (
      <span key={piece.start} class="unseen" title="a character that cannot be seen">
        {piece.text}
      </span>
    ) : (
      piece.text
    ),
  );
}
