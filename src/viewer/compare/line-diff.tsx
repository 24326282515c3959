import type { ComponentChildren } from "preact";
import { useMemo, useState } from "preact/hooks";
import { type DiffLine, innerChange, lineChanges, withoutSame } from "../../core/compare/line-diff.ts";
import { counted } from "../../core/text/when.ts";
import { Recorded } from "../ui/recorded.tsx";

/** Two recorded texts line by line, as text only: what was taken away, what came, and a little around it. */

/** So many lines are in the page at first, and so many more each time they are asked for. */
const LINES_AT_ONCE = 200;
/** Of a long line so much is shown around what differs (UTF-16 units), and so much of that. */
const AROUND = 80;
const MOST_OF_LINE = 1_000;

export function LineDiff({ left, right }: { left: string; right: string }) {
  const parts = useMemo(() => withoutSame(lineChanges(left, right)), [left, right]);
  const [most, setMost] = useState(LINES_AT_ONCE);
  const isSame = parts.every((part) => "skipped" in part || part.sign === " ");
  if (isSame && left === right) return <SameText text={left} />;
  if (isSame) return <p class="soft">They differ in the ends of their lines only.</p>;
  return (
    <div class="line-diff" role="group" aria-label="Differences by lines">
      {parts.slice(0, most).map((part, index) =>
        "skipped" in part ? (
          <p key={index} class="line-skipped">
            {counted(part.skipped, "line")} the same
          </p>
        ) : (
          <Line key={index} line={part} other={counterpart(parts, index)} />
        ),
      )}
      {parts.length > most && (
        <button type="button" class="button" onClick={() => setMost(most + 5 * LINES_AT_ONCE)}>
          {counted(parts.length - most, "more line")}
        </button>
      )}
    </div>
  );
}

function SameText({ text }: { text: string }) {
  const [isWhole, setWhole] = useState(false);
  const shown = isWhole ? text : text.slice(0, border(text, MOST_OF_LINE));
  return (
    <div class="line-diff">
      <p class="line">
        <Recorded text={shown} />
      </p>
      {shown.length < text.length && (
        <button type="button" class="button" onClick={() => setWhole(true)}>
          All of it
        </button>
      )}
    </div>
  );
}

function Line({ line: { sign, text }, other }: { line: DiffLine; other: string | null }) {
  const Tag = sign === "-" ? "del" : sign === "+" ? "ins" : "span";
  return (
    <p class={`line${sign === "-" ? " gone" : sign === "+" ? " come" : ""}`}>
      <span class="line-sign" aria-hidden="true">
        {sign === "-" ? "−" : sign}
      </span>
      <Tag>{sign === " " || other === null ? <Short text={text} /> : <Marked text={text} other={other} />}</Tag>
    </p>
  );
}

/** A text with what differs from another marked. */
export function Marked({ text, other }: { text: string; other: string }) {
  const { before, behind } = innerChange(text, other);
  const end = text.length - behind;
  // Where nearly all of it is different, marks say nothing.
  const isTelling = before + behind > Math.min(text.length, other.length) / 4;
  const marks = isTelling && end > before ? [{ start: before, end }] : [];
  if (text.length <= MOST_OF_LINE) return <Recorded text={text} marks={marks} />;
  const from = border(text, Math.max(0, before - AROUND));
  const to = border(text, Math.min(text.length, Math.min(end, before + MOST_OF_LINE) + AROUND));
  return (
    <Cut from={from} to={to} length={text.length}>
      <Recorded
        text={text.slice(from, to)}
        marks={marks.map(({ start }) => ({ start: start - from, end: Math.min(end, to) - from }))}
      />
    </Cut>
  );
}

/** As much of a text as is worth a line. */
export function Short({ text }: { text: string }) {
  if (text.length <= MOST_OF_LINE) return <Recorded text={text} />;
  const to = border(text, MOST_OF_LINE);
  return (
    <Cut from={0} to={to} length={text.length}>
      <Recorded text={text.slice(0, to)} />
    </Cut>
  );
}

function Cut({
  from,
  to,
  length,
  children,
}: {
  from: number;
  to: number;
  length: number;
  children: ComponentChildren;
}) {
  const left = (count: number) => <span class="line-cut">{counted(count, "character")} left out</span>;
  return (
    <>
      {from > 0 && left(from)}
      {children}
      {to < length && left(length - to)}
    </>
  );
}

/** The same place, or the one before it where it is between the halves of a character. */
function border(text: string, at: number): number {
  return /^[\ud800-\udbff][\udc00-\udfff]$/.test(text.slice(at - 1, at + 1)) ? at - 1 : at;
}

/** The line on the other side of a change of one line; null where lines do not stand one against the other. */
function counterpart(parts: readonly (DiffLine | { skipped: number })[], index: number): string | null {
  const signAt = (at: number) => {
    const part = parts[at];
    return part === undefined || "skipped" in part ? " " : part.sign;
  };
  const sign = signAt(index);
  if (sign === " ") return null;
  let start = index;
  while (signAt(start - 1) === sign) start--;
  let end = index;
  while (signAt(end + 1) === sign) end++;
  const length = end - start + 1;
  const at = sign === "-" ? index + length : index - length;
  const part = parts[at];
  const opposite = sign === "-" ? "+" : "-";
  return length <= 50 && part !== undefined && !("skipped" in part) && part.sign === opposite ? part.text : null;
}
