import { useEffect } from "preact/hooks";
import type { Step } from "../../../core/run.ts";
import type { StepPart } from "../../../core/story.ts";
import { toolName } from "../../../core/text/run-facts.ts";
import { span } from "../../../core/text/when.ts";
import { Icon } from "../../ui/icon.tsx";
import { Recorded } from "../../ui/recorded.tsx";
import { StatusBadge } from "../../ui/status.tsx";
import { exactTime, followClock, now } from "../../ui/time.ts";
import { firstLine } from "../../ui/visible.ts";
import { callLine } from "./call-line.ts";
import { Indented } from "./indented.tsx";
import { agentWords, callMarks } from "./part-words.ts";
import type { RowContext } from "./row-context.ts";
import type { RunRow } from "./run-rows.ts";
import { substringMarks } from "./substring-marks.ts";

/** A call in one row: number, outcome, tool, arguments, marks, time; and below it why it failed, or whom it launched. */

interface CallRowProps {
  part: StepPart;
  row: Extract<RunRow, { kind: "part" }>;
  context: RowContext;
}

export function CallRow({ part, row, context }: CallRowProps) {
  const { step, agents } = part;
  const { words, slowMs } = context;
  const args = callLine(step.args);
  const marks = callMarks(step, slowMs);
  const why = step.status === "ok" || step.error === null ? "" : firstLine(step.error, 240);
  return (
    <Indented depth={row.depth}>
      <div class={`story-call ${step.status}${agents.length > 0 ? " launches" : ""}`}>
        <button
          type="button"
          class="call-row"
          data-part={part.key}
          aria-current={context.selected === part.key ? "true" : undefined}
          title={exactTime(step.startedAt)}
          onClick={() => context.onSelect(part.key)}
        >
          <span class="call-number">{step.index + 1}</span>
          <StatusBadge status={step.status} isQuiet />
          <ToolName step={step} words={words} />
          <Recorded class="call-args cut" text={args} marks={substringMarks(args, words)} />
          {marks.length > 0 && (
            <span class="call-marks">
              {marks.map(({ tone, text, title }) => (
                <span key={text} class={tone === "warn" ? "badge warn" : "badge"} title={title}>
                  {text}
                </span>
              ))}
            </span>
          )}
          <span class="call-time">
            {step.durationMs !== null && span(step.durationMs)}
            {step.durationMs === null && step.status === "running" && <GrowingTime from={step.startedAt} />}
          </span>
          {why !== "" && <Recorded class="call-why cut" text={why} marks={substringMarks(why, words)} />}
        </button>
        {agents.length > 0 && (
          <button
            type="button"
            class="call-agents"
            aria-expanded={!row.isFolded}
            onClick={() => context.onFold(agents.map(({ id }) => id))}
          >
            <Icon name={row.isFolded ? "chevronRight" : "chevronDown"} />
            <span>
              subagent{agents.some(({ launch }) => launch === "guessed") && " (a guess by its time)"}:{" "}
              {agents.map(agentWords).join("; ")}
            </span>
          </button>
        )}
      </div>
    </Indented>
  );
}

function ToolName({ step, words }: { step: Step; words: readonly string[] }) {
  const { server, tool } = step;
  if (server === null || tool === "") {
    const name = toolName(step);
    return <Recorded class="call-tool cut" text={name} marks={substringMarks(name, words)} />;
  }
  return (
    <span class="call-tool cut">
      <Recorded class="call-server" text={server} marks={substringMarks(server, words)} />
      <span class="call-server"> › </span>
      <Recorded text={tool} marks={substringMarks(tool, words)} />
    </span>
  );
}

/** Goes on by itself, and only while it is in sight. */
function GrowingTime({ from }: { from: number }) {
  useEffect(followClock, []);
  return <>{span(Math.max(0, now.value - from))}</>;
}
