import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { Run } from "../../core/run.ts";
import type { Story } from "../../core/story.ts";
import { gapReason, lostCount } from "../../core/text/outcome.ts";
import { tokens } from "../../core/text/run-facts.ts";
import { clock, counted } from "../../core/text/when.ts";
import { Icon } from "../ui/icon.tsx";
import { Recorded } from "../ui/recorded.tsx";
import { StatusBadge } from "../ui/status.tsx";
import { age, duration, exactDate, followClock, now } from "../ui/time.ts";
import { firstLine } from "../ui/visible.ts";
import { termOf } from "./run-filter.ts";
import type { ToolUse } from "./tool-use.ts";
import { useMedia, WIDE } from "./use-media.ts";

/** Who ran where and when, what it was about and how it stands: what a person wants to know before anything else. */

export interface RunHeaderProps {
  story: Story;
  tools: readonly ToolUse[];
  failedCount: number;
  slowCount: number;
  filterText: string;
  onTerm: (term: string) => void;
  actions: ComponentChildren;
}

/** So many tools are named; the others are counted. */
const TOOLS_NAMED = 6;

export function RunHeader({ story, tools, failedCount, slowCount, filterText, onTerm, actions }: RunHeaderProps) {
  const { run, agents } = story;
  const [isMore, setMore] = useState(false);
  const title = run.input === null ? "" : firstLine(run.input, 200);
  const host = run.host === null ? "unknown host" : `${run.host.app} ${run.host.version ?? ""}`.trim();
  const isOn = (term: string) => filterText.toLowerCase().includes(term.toLowerCase());
  return (
    <header class="run-header">
      <div class="run-title">
        <h1 class="recorded" tabIndex={-1} title={title}>
          {title === "" ? "A run without a prompt" : title}
        </h1>
        <div class="run-actions">
          <StatusBadge status={run.status} />
          {actions}
        </div>
      </div>
      <div class={isMore ? "run-facts more" : "run-facts"}>
        <Recorded text={host} />
        <span class="run-cwd cut" title={firstLine(run.cwd, 1000)}>
          <Icon name="folder" />
          <Recorded text={run.cwd} />
        </span>
        <RunTimes run={run} />
        {agents.size > 0 && <span class="less">{counted(agents.size, "subagent")}</span>}
        {run.wrappedServers.length > 0 && (
          <span class="less">
            {run.wrappedServers.length === 1 ? "server" : "servers"} <Recorded text={run.wrappedServers.join(", ")} />
          </span>
        )}
        {run.usage !== null && <span class="less">{tokens(run.usage)}</span>}
        {run.hostHookCalls > 0 && (
          <span class="less">
            {counted(run.hostHookCalls, "call")} of the host's own hooks, counted and not recorded
          </span>
        )}
        <span class="less" title={TIER_WORDS[run.tier]}>
          {run.tier}
        </span>
        <button type="button" class="text-button run-more" aria-expanded={isMore} onClick={() => setMore(!isMore)}>
          {isMore ? "less" : "more"}
        </button>
      </div>
      {run.lossy && <LossBanner run={run} />}
      {tools.length > 0 && (
        <div class="run-tools" role="group" aria-label="Calls by tool; each narrows the list down to its own">
          <span class="soft">{counted(run.steps.length, "call")}</span>
          {failedCount > 0 && (
            <TermButton term="is:error" isOn={isOn("is:error")} onTerm={onTerm} tone="error">
              <Icon name="cross" />
              {failedCount} failed
            </TermButton>
          )}
          {slowCount > 0 && (
            <TermButton term="is:slow" isOn={isOn("is:slow")} onTerm={onTerm} tone="warn">
              <Icon name="clock" />
              {slowCount} slow
            </TermButton>
          )}
          {tools.slice(0, TOOLS_NAMED).map(({ name, tool, count }) => {
            const term = termOf("tool", tool);
            return (
              <TermButton key={name} term={term} isOn={isOn(term)} onTerm={onTerm}>
                <Recorded text={name} />
                <span class="term-count">×{count.toLocaleString("en")}</span>
              </TermButton>
            );
          })}
          {tools.length > TOOLS_NAMED && (
            <span class="soft">{counted(tools.length - TOOLS_NAMED, "more tool", "more tools")}</span>
          )}
        </div>
      )}
    </header>
  );
}

const TIER_WORDS = {
  bound: "The host's own session was recorded, with its prompts and built-in tools",
  standalone: "Only what passed between the host and its servers was recorded",
};

interface TermButtonProps {
  term: string;
  isOn: boolean;
  tone?: "error" | "warn";
  onTerm: (term: string) => void;
  children: ComponentChildren;
}

function TermButton({ term, isOn, tone, onTerm, children }: TermButtonProps) {
  return (
    <button
      type="button"
      class={`term${tone === undefined ? "" : ` ${tone}`}`}
      aria-pressed={isOn}
      title={term}
      onClick={() => onTerm(term)}
    >
      {children}
    </button>
  );
}

function RunTimes({ run: { startedAt, endedAt, status } }: { run: Run }) {
  const isRunning = status === "running";
  useEffect(() => (isRunning ? followClock() : undefined), [isRunning]);
  return (
    <span title={exactDate(startedAt)}>
      {clock(startedAt, undefined)} ({age(startedAt)})
      {(endedAt !== null || isRunning) && ` · ${duration(startedAt, endedAt, isRunning ? now.value : startedAt)}`}
    </span>
  );
}

/** What could not be recorded, in words. */
function LossBanner({ run }: { run: Run }) {
  const lost = lostCount(run);
  const { gaps } = run;
  const sentence = (gap: (typeof gaps)[number]) =>
    `${gap.lost > 0 ? `${gap.lost} lost` : "A break"} at ${clock(gap.at, undefined)}: ${gapReason(gap.reason)}.`;
  const isWide = useMedia(WIDE);
  const [only] = gaps;
  if (isWide && gaps.length === 1 && only !== undefined) {
    return (
      <p class="loss">
        <Icon name="alert" />
        <span>
          <strong>This record is not complete:</strong> <Recorded text={sentence(only)} />
        </span>
      </p>
    );
  }
  return (
    <div class="loss">
      <Icon name="alert" />
      <details>
        <summary>
          <strong>This record is not complete:</strong> {counted(gaps.length, "gap")}
          {lost > 0 && `, ${lost.toLocaleString("en")} lost`}
        </summary>
        <ul>
          {gaps.slice(0, GAPS_TOLD).map((gap, index) => (
            <li key={index}>
              <Recorded text={sentence(gap)} />
            </li>
          ))}
          {gaps.length > GAPS_TOLD && <li>and {gaps.length - GAPS_TOLD} more</li>}
        </ul>
      </details>
    </div>
  );
}

const GAPS_TOLD = 50;
