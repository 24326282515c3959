import type { RunItem } from "../../core/service-wire.ts";
import { gapReason, lostCount } from "../../core/text/outcome.ts";
import { counted } from "../../core/text/when.ts";
import { hrefOf, runPlace } from "../app/route.ts";
import { RunMenu, runLabel } from "../app/run-actions.tsx";
import type { Source } from "../data/source.ts";
import { Icon } from "../ui/icon.tsx";
import { Recorded } from "../ui/recorded.tsx";
import { runTitle } from "../ui/run-title.ts";
import { StatusBadge } from "../ui/status.tsx";
import { duration, exactDate, timeOfDay } from "../ui/time.ts";
import { firstLine } from "../ui/visible.ts";
import { shortPath } from "./short-path.ts";

/** One run in the list: what was asked, where and with what, how much was done, and how it ended. */

export interface RunRowProps {
  source: Source;
  run: RunItem;
  /** Marked where they stand in the prompt. */
  words: readonly string[];
  isActive: boolean;
  /** Its place among the chosen ones, from 1; null where it is not chosen. */
  chosen: number | null;
  onChoose: () => void;
  onDeleted: () => void;
  onRestored: () => void;
}

const MOST_TOOLS = 3;

export function RunRow({ source, run, words, isActive, chosen, onChoose, onDeleted, onRestored }: RunRowProps) {
  const { id, status, stepCount } = run;
  const title = runTitle(run.input, run.tools);
  return (
    <div class={`list-run${isActive ? " active" : ""}${chosen === null ? "" : " chosen"}`} data-run={id}>
      <button
        type="button"
        class="choose"
        aria-pressed={chosen !== null}
        aria-label={`Select for comparison: ${runLabel(run)}`}
        title="Select for comparison (x)"
        onClick={onChoose}
      >
        {chosen === null ? "" : chosen}
      </button>
      <time class="list-time" dateTime={new Date(run.startedAt).toISOString()} title={exactDate(run.startedAt)}>
        {timeOfDay(run.startedAt)}
      </time>
      <a class="list-title" href={hrefOf(runPlace(id))}>
        <Recorded text={title.text} words={words} class={title.isPrompt ? undefined : "no-prompt"} />
      </a>
      <span class="list-about">
        <About run={run} />
      </span>
      <span class="list-calls">{counted(stepCount, "call")}</span>
      <span class="list-duration">
        <Duration run={run} />
      </span>
      <span class="list-status">
        <StatusBadge status={status} isQuiet={status === "completed"} />
      </span>
      <span class="list-marks">
        <Errors run={run} />
        <Loss run={run} />
      </span>
      <RunMenu
        source={source}
        run={run}
        onDeleted={onDeleted}
        onRestored={onRestored}
        isInList
        class="icon-button row-menu"
      />
    </div>
  );
}

/** Which application, where, and which tools. */
function About({ run: { host, cwd, tools, wrappedServers } }: { run: RunItem }) {
  const shown = (tools ?? []).slice(0, MOST_TOOLS);
  const more = (tools?.length ?? 0) - shown.length;
  return (
    <>
      <Recorded
        class="list-host"
        text={host === null ? "unknown host" : firstLine(`${host.app} ${host.version ?? ""}`, 60)}
      />
      <span class="list-directory" title={firstLine(cwd, 1000)}>
        <Icon name="folder" />
        <Recorded text={firstLine(shortPath(cwd), 80)} />
      </span>
      {shown.length > 0 ? (
        <span class="list-tools">
          <Recorded
            text={shown
              .map(({ server, tool }) => firstLine(server === null ? tool : `${server} › ${tool}`, 60))
              .join(", ")}
          />
          {more > 0 && <span>+{more}</span>}
        </span>
      ) : (
        wrappedServers.length > 0 && (
          <Recorded class="list-tools" text={wrappedServers.map((server) => firstLine(server, 60)).join(", ")} />
        )
      )}
    </>
  );
}

/** Of its own, because it is told anew each second while the run is under way. */
function Duration({ run: { status, startedAt, endedAt } }: { run: RunItem }) {
  if (status !== "running" && endedAt === null) return <span title="Its end was not recorded">–</span>;
  return <>{duration(startedAt, endedAt)}</>;
}

function Errors({ run: { errorCount } }: { run: RunItem }) {
  if (errorCount === null || errorCount === 0) return null;
  return (
    <span class="mark-error">
      <Icon name="cross" />
      {counted(errorCount, "error")}
    </span>
  );
}

/** As the run itself says it. */
function Loss({ run }: { run: RunItem }) {
  const { lossy, gaps, lostCount: lostCalls } = run;
  const lost = lostCount(run, lostCalls ?? 0);
  if (!lossy && lost === 0) return null;
  const reasons = gaps.map(({ reason }) => gapReason(reason));
  if ((lostCalls ?? 0) > 0) reasons.push(`the outcome of ${counted(lostCalls ?? 0, "call")} was not seen`);
  return (
    <span class="mark-loss" title={firstLine(reasons.join("; "), 400)}>
      <Icon name="alert" />
      {lost > 0 ? `${lost} lost` : "incomplete"}
    </span>
  );
}
