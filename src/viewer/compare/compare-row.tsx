import { useState } from "preact/hooks";
import type { ComparedStep, ComparisonRow } from "../../core/comparison.ts";
import { toolName } from "../../core/text/run-facts.ts";
import { counted, span } from "../../core/text/when.ts";
import { Icon } from "../ui/icon.tsx";
import { StatusBadge } from "../ui/status.tsx";
import { type CompareRow, rowWords } from "./compare-rows.ts";
import { LineDiff } from "./line-diff.tsx";

/** One row of two compared runs. */

interface RowProps {
  row: CompareRow;
  isSelected: boolean;
  onOpen: (index: number) => void;
  onFold: (key: string) => void;
}

export function CompareRowView({ row, isSelected, onOpen, onFold }: RowProps) {
  switch (row.kind) {
    case "text":
      return <TextRow row={row} />;
    case "same": {
      const { key, from, to, isOpen } = row;
      return (
        <button type="button" class="compare-fold" aria-expanded={isOpen} onClick={() => onFold(key)}>
          <Icon name={isOpen ? "chevronDown" : "chevronRight"} />
          {counted(to - from, "call")} the same
        </button>
      );
    }
    case "call":
      return <CallRow index={row.index} row={row.row} isSelected={isSelected} onOpen={onOpen} />;
  }
}

/** What a row is called where it is read out. */
export function callName({ left, right }: Pick<ComparisonRow, "left" | "right">): string {
  const step = left ?? right;
  if (step === null) return "";
  const numbers = [left === null ? "" : `A ${left.index + 1}`, right === null ? "" : `B ${right.index + 1}`];
  return `${toolName(step)}, call ${numbers.filter((part) => part !== "").join(", ")}`;
}

function CallRow({
  index,
  row,
  isSelected,
  onOpen,
}: { index: number; row: ComparisonRow } & Pick<RowProps, "isSelected" | "onOpen">) {
  const { left, right } = row;
  const { sign, words } = rowWords(row);
  return (
    <button type="button" class={`compare-call ${kindOf(row)}`} aria-current={isSelected} onClick={() => onOpen(index)}>
      <Side letter="A" step={left} />
      <span class="compare-what">
        <span class="compare-sign">{sign}</span>
        <span class={sign === "=" ? "visually-hidden" : ""}>{words}</span>
      </span>
      <Side letter="B" step={right} />
    </button>
  );
}

function Side({ letter, step }: { letter: "A" | "B"; step: ComparedStep | null }) {
  if (step === null) return <span class="compare-side none">not in {letter}</span>;
  const { index, status, agentId, argumentLine, durationMs } = step;
  return (
    <span class="compare-side">
      <span class="compare-index">
        <span class="compare-small-letter">{letter}</span>
        {index + 1}
      </span>
      <span class="compare-called">
        {status !== "ok" && <StatusBadge status={status} isQuiet />}
        {agentId !== null && <span class="badge">subagent</span>}
        <ToolName step={step} />
        <span class="compare-args recorded">{argumentLine}</span>
      </span>
      <span class="compare-time">{durationMs === null ? "" : span(durationMs)}</span>
    </span>
  );
}

function ToolName({ step }: { step: ComparedStep }) {
  const whole = toolName(step);
  const at = whole.lastIndexOf(" › ");
  return (
    <span class="compare-tool recorded">
      {at >= 0 && <span class="soft">{whole.slice(0, at + 3)}</span>}
      <strong>{at < 0 ? whole : whole.slice(at + 3)}</strong>
    </span>
  );
}

function TextRow({ row }: { row: Extract<CompareRow, { kind: "text" }> }) {
  const [isOpen, setOpen] = useState(!row.isSame);
  const name = row.key === "prompt" ? "Prompt" : "Answer";
  const words = row.isSame
    ? "the same"
    : row.left === null
      ? "only in B"
      : row.right === null
        ? "only in A"
        : "differs";
  return (
    <section class={`compare-text${row.isSame ? "" : " changed"}`} aria-label={name}>
      <button type="button" class="compare-text-head" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <Icon name={isOpen ? "chevronDown" : "chevronRight"} />
        <span class="compare-text-name">{name}</span>
        <span class="compare-sign" aria-hidden="true">
          {row.isSame ? "=" : "≠"}
        </span>
        {words}
      </button>
      {isOpen && <LineDiff left={row.left ?? ""} right={row.right ?? ""} />}
    </section>
  );
}

function kindOf(row: ComparisonRow): string {
  if (row.left === null) return "right";
  if (row.right === null) return "left";
  return row.differs.length === 0 ? "same" : "changed";
}
