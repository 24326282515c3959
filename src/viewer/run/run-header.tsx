import type { ComponentChildren } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import type { Run } from "../../core/run.ts";
import type { Story } from "../../core/story.ts";
import { gapReason, lostCount } from "../../core/text/outcome.ts";
import { hookCalls, tokens } from "../../core/text/run-facts.ts";
import { calledTools } from "../../core/text/run-title.ts";
import { clock, counted } from "../../core/text/when.ts";
import { copyText } from "../ui/copy.ts";
import { Icon } from "../ui/icon.tsx";
import { Recorded } from "../ui/recorded.tsx";
import { runTitle } from "../ui/run-title.ts";
import { StatusBadge } from "../ui/status.tsx";
import { age, duration, exactDate, followClock, now } from "../ui/time.ts";
import { firstLine, visibleText } from "../ui/visible.ts";
import { recordedFrom } from "./recorded-from.ts";
import { RunTools } from "./run-tools.tsx";
import type { ToolUse } from "./tool-use.ts";
import { useMedia, WIDE } from "./use-media.ts";

/** Who ran where and when, what it was about and how it stands: what a person wants to know before anything else. */

export interface RunHeaderProps {
  story: Story;
  tools: readonly ToolUse[];
  errorCount: number;
  slowCount: number;
  filterText: string;
  onFilter: (text: string) => void;
  actions: ComponentChildren;
}

/** So much of an id is shown; all of it is copied. */
const ID_LENGTH = 16;

export function RunHeader({ story, tools, errorCount, slowCount, filterText, onFilter, actions }: RunHeaderProps) {
  const { run, agents } = story;
  const [isMore, setMore] = useState(false);
  const title = useMemo(() => runTitle(run.input, calledTools(run.steps), 200), [run]);
  const host = run.host === null ? "unknown host" : `${run.host.app} ${run.host.version ?? ""}`.trim();
  const from = useMemo(() => recordedFrom(run), [run]);
  const lostCalls = useMemo(() => lostCallCount(run), [run]);
  return (
    <header class="run-header">
      <div class="run-title">
        <h1 class={title.isPrompt ? "recorded" : "recorded no-prompt"} tabIndex={-1} title={title.text}>
          {title.text}
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
        {run.hostHookCalls > 0 && <span class="less">{hookCalls(run.hostHookCalls)}</span>}
        {from.short !== "" && (
          <span class="less" title={from.sentence}>
            from {from.short}
          </span>
        )}
        <span class="less run-id">
          <code class="recorded" title={visibleText(run.id)}>
            {visibleText(run.id.slice(0, ID_LENGTH))}
          </code>
          <button
            type="button"
            class="icon-button small"
            aria-label="Copy the run's id"
            title="Copy the run's id"
            onClick={() => void copyText(run.id, "the run's id")}
          >
            <Icon name="copy" />
          </button>
        </span>
        <button type="button" class="text-button run-more" aria-expanded={isMore} onClick={() => setMore(!isMore)}>
          {isMore ? "less" : "more"}
        </button>
      </div>
      {run.lossy && <LossBanner run={run} lostCalls={lostCalls} />}
      {tools.length > 0 && (
        <RunTools
          callCount={run.steps.length}
          tools={tools}
          errorCount={errorCount}
          lostCount={lostCalls}
          slowCount={slowCount}
          filterText={filterText}
          onFilter={onFilter}
        />
      )}
    </header>
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

function lostCallCount({ steps }: Run): number {
  return steps.reduce((count, { status }) => count + (status === "lost" ? 1 : 0), 0);
}

/** What could not be recorded, in words. */
function LossBanner({ run, lostCalls }: { run: Run; lostCalls: number }) {
  const lost = lostCount(run, lostCalls);
  const { gaps } = run;
  const sentence = (gap: (typeof gaps)[number]) =>
    `${gap.lost > 0 ? `${gap.lost} lost` : "A break"} at ${clock(gap.at, undefined)}: ${gapReason(gap.reason)}.`;
  const isWide = useMedia(WIDE);
  const [only] = gaps;
  // What the one gap says is all there is to say, unless calls were lost as well.
  if (isWide && gaps.length === 1 && only?.lost === lost) {
    return (
      <p class="loss">
        <Icon name="alert" />
        <span>
          <strong>This record is incomplete:</strong> <Recorded text={sentence(only)} />
        </span>
      </p>
    );
  }
  return (
    <div class="loss">
      <Icon name="alert" />
      <details>
        <summary>
          <strong>This record is incomplete:</strong> {counted(gaps.length, "gap")}
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
