import type { ComponentChildren } from "preact";
import { visiblePieces, visibleText } from "../../ui/visible.ts";
import type { Mark } from "../find/find-text.ts";
import type { LineSpan } from "./line-source.ts";

/** One line of recorded text with the looks of its parts, and what was found in it marked. Text nodes only. */

/** Each part is an element of the page: with more, neighbours look alike. */
const MOST_SPANS = 30;
const MOST_MARKS = 30;
const MOST_ESCAPES = 12;

export interface SpanTextProps {
  text: string;
  spans?: readonly LineSpan[] | undefined;
  marks?: readonly Mark[] | undefined;
  /** The mark a person is at. */
  current?: number | null | undefined;
}

export function SpanText({ text, spans = [], marks = [], current = null }: SpanTextProps) {
  if (spans.length === 0 && marks.length === 0) return <>{piecesOf(text)}</>;
  const nodes: ComponentChildren[] = [];
  let from = 0;
  for (const span of fewer(spans)) {
    if (span.start > from) nodes.push(...marked(text, from, span.start, marks, current));
    nodes.push(
      <span key={`s${span.start}`} class={span.class} {...(span.style === undefined ? {} : { style: span.style })}>
        {marked(text, span.start, span.end, marks, current)}
      </span>,
    );
    from = span.end;
  }
  if (from < text.length) nodes.push(...marked(text, from, text.length, marks, current));
  return <>{nodes}</>;
}

function marked(text: string, from: number, to: number, marks: readonly Mark[], current: number | null) {
  const nodes: ComponentChildren[] = [];
  let at = from;
  for (const [index, mark] of marks.slice(0, MOST_MARKS).entries()) {
    const start = Math.max(at, mark.start);
    const end = Math.min(to, mark.end);
    if (end <= start) continue;
    if (start > at) nodes.push(piecesOf(text.slice(at, start)));
    nodes.push(
      <mark key={`m${start}`} class={index === current ? "here" : undefined}>
        {piecesOf(text.slice(start, end))}
      </mark>,
    );
    at = end;
  }
  if (at < to) nodes.push(piecesOf(text.slice(at, to)));
  return nodes;
}

/** Text with what cannot be seen as escapes. */
function piecesOf(text: string): ComponentChildren {
  const pieces = visiblePieces(text);
  if (pieces.length > 2 * MOST_ESCAPES) return visibleText(text);
  if (pieces.length === 1 && pieces[0]?.isEscape === false) return pieces[0].text;
  return pieces.map((piece) =>
    piece.isEscape ? (
      <span key={piece.start} class="unseen">
        {piece.text}
      </span>
    ) : (
      piece.text
    ),
  );
}

/** At most so many spans: groups of neighbours take the looks of their first. */
function fewer(spans: readonly LineSpan[]): readonly LineSpan[] {
  if (spans.length <= MOST_SPANS) return spans;
  const group = Math.ceil(spans.length / MOST_SPANS);
  const result: LineSpan[] = [];
  for (let index = 0; index < spans.length; index += group) {
    const first = spans[index];
    const last = spans[Math.min(spans.length, index + group) - 1];
    if (first !== undefined && last !== undefined) result.push({ ...first, end: last.end });
  }
  return result;
}
