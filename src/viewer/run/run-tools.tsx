import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { counted } from "../../core/text/when.ts";
import { Icon } from "../ui/icon.tsx";
import { Recorded } from "../ui/recorded.tsx";
import { hasTerms, type ToolTerms, termOf, toggledTerm, toggledTool } from "./run-filter.ts";
import type { ToolUse } from "./tool-use.ts";

/** What a run called how often: each of it narrows the list down to its own, and back. */

export interface RunToolsProps {
  callCount: number;
  /** Most often first. */
  tools: readonly ToolUse[];
  errorCount: number;
  lostCount: number;
  slowCount: number;
  filterText: string;
  onFilter: (text: string) => void;
}

/** So many tools are named; the others are a click away. */
const TOOLS_NAMED = 6;

export function RunTools({ callCount, tools, errorCount, lostCount, slowCount, filterText, onFilter }: RunToolsProps) {
  const [isAll, setAll] = useState(false);
  const terms = tools.map(termsOf);
  const more = tools.length - TOOLS_NAMED;
  const isOn = (term: string) => hasTerms(filterText, [term]);
  const toggle = (term: string) => onFilter(toggledTerm(filterText, term));
  return (
    <div class="run-tools" role="group" aria-label="Calls by tool; each narrows the list down to its own">
      <span class="soft">{counted(callCount, "call")}</span>
      {errorCount > 0 && (
        <TermButton title="is:error" isOn={isOn("is:error")} onToggle={() => toggle("is:error")} tone="error">
          <Icon name="cross" />
          {counted(errorCount, "error")}
        </TermButton>
      )}
      {lostCount > 0 && (
        <TermButton title="is:lost" isOn={isOn("is:lost")} onToggle={() => toggle("is:lost")} tone="warn">
          <Icon name="lost" />
          {lostCount} lost
        </TermButton>
      )}
      {slowCount > 0 && (
        <TermButton title="is:slow" isOn={isOn("is:slow")} onToggle={() => toggle("is:slow")} tone="warn">
          <Icon name="clock" />
          {slowCount} slow
        </TermButton>
      )}
      {tools.slice(0, isAll ? tools.length : TOOLS_NAMED).map((use) => {
        const own = termsOf(use);
        const wanted = own.server === null ? [own.tool] : [own.server, own.tool];
        return (
          <TermButton
            key={use.name}
            title={wanted.join(" ")}
            isOn={hasTerms(filterText, wanted)}
            onToggle={() => onFilter(toggledTool(filterText, own, terms))}
          >
            <Recorded text={use.name} />
            <span class="term-count">×{use.count.toLocaleString("en")}</span>
          </TermButton>
        );
      })}
      {more > 0 && (
        <button type="button" class="text-button" aria-expanded={isAll} onClick={() => setAll(!isAll)}>
          {isAll ? "Fewer tools" : counted(more, "more tool")}
        </button>
      )}
    </div>
  );
}

function termsOf({ server, tool }: ToolUse): ToolTerms {
  return { server: server === null ? null : termOf("server", server), tool: termOf("tool", tool) };
}

interface TermButtonProps {
  title: string;
  isOn: boolean;
  tone?: "error" | "warn";
  onToggle: () => void;
  children: ComponentChildren;
}

function TermButton({ title, isOn, tone, onToggle, children }: TermButtonProps) {
  return (
    <button
      type="button"
      class={`term${tone === undefined ? "" : ` ${tone}`}`}
      aria-pressed={isOn}
      title={title}
      onClick={onToggle}
    >
      {children}
    </button>
  );
}
