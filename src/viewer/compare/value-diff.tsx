import type { StepChanges } from "../../core/compare/step-changes.ts";
import type { ValueChange } from "../../core/compare/value-diff.ts";
import { counted } from "../../core/text/when.ts";
import { jsonText } from "../inspect/json/json-text.ts";
import { Recorded } from "../ui/recorded.tsx";
import { LineDiff, Marked, Short } from "./line-diff.tsx";

/** In what two calls differ, value by value with its path; long texts by their lines. */
export function ValueDiff({ changes, more }: StepChanges) {
  return (
    <>
      <ul class="value-diff">
        {changes.map((change) => (
          <li key={`${change.kind} ${change.path}`}>
            <p class="value-path">
              <Recorded text={change.path} /> <span class="soft">{WORDS[change.kind]}</span>
            </p>
            <Values change={change} />
          </li>
        ))}
      </ul>
      {more > 0 && <p class="soft">{counted(more, "more difference")}; open the runs to see them.</p>}
    </>
  );
}

const WORDS: Record<ValueChange["kind"], string> = { added: "only in B", removed: "only in A", changed: "" };

function Values({ change }: { change: ValueChange }) {
  if (change.kind === "added") return <Value sign="+" text={jsonText(change.right)} />;
  if (change.kind === "removed") return <Value sign="−" text={jsonText(change.left)} />;
  const { left, right } = change;
  if (typeof left === "string" && typeof right === "string" && /\n/.test(left + right)) {
    return <LineDiff left={left} right={right} />;
  }
  const [a, b] = [jsonText(left), jsonText(right)];
  if (/\n/.test(a + b)) return <LineDiff left={a} right={b} />;
  return (
    <>
      <Value sign="−" text={a} other={b} />
      <Value sign="+" text={b} other={a} />
    </>
  );
}

function Value({ sign, text, other }: { sign: "+" | "−"; text: string; other?: string }) {
  const Tag = sign === "−" ? "del" : "ins";
  return (
    <p class={`line ${sign === "−" ? "gone" : "come"}`}>
      <span class="line-sign" aria-hidden="true">
        {sign}
      </span>
      <Tag>{other === undefined ? <Short text={text} /> : <Marked text={text} other={other} />}</Tag>
    </p>
  );
}
