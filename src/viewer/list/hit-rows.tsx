import type { Hit, SearchField } from "../../core/service-wire.ts";
import { hrefOf, runPlace } from "../app/route.ts";
import { Recorded } from "../ui/recorded.tsx";
import { runTitle } from "../ui/run-title.ts";
import { StatusBadge } from "../ui/status.tsx";
import { dayName, now, timeOfDay } from "../ui/time.ts";
import { firstLine } from "../ui/visible.ts";
import { hitKey } from "./hit-list.ts";

/** Places where the words stand, under the run that they are in. */

export type HitRow = { kind: "run"; key: string; run: Hit["run"] } | { kind: "hit"; key: string; hit: Hit };

const FIELDS: Record<SearchField, string> = {
  prompt: "prompt",
  answer: "answer",
  note: "note",
  tool: "name",
  arguments: "arguments",
  result: "result",
  error: "error",
};

/** Hits in their order, each group of one run headed by it. */
export function hitRows(hits: readonly Hit[]): HitRow[] {
  const rows: HitRow[] = [];
  let last: string | null = null;
  for (const hit of hits) {
    const key = hitKey(hit);
    // A run may come again, further on.
    if (hit.run.id !== last) rows.push({ kind: "run", key: `run ${key}`, run: hit.run });
    rows.push({ kind: "hit", key, hit });
    last = hit.run.id;
  }
  return rows;
}

export function HitGroup({ run: { id, input, tools, host, startedAt } }: { run: Hit["run"] }) {
  const title = runTitle(input, tools, 120);
  return (
    <div class="hit-group">
      <a class="cut" href={hrefOf(runPlace(id))}>
        <Recorded text={title.text} class={title.isPrompt ? undefined : "no-prompt"} />
      </a>
      <span class="soft">
        {dayName(startedAt, now.peek())} {timeOfDay(startedAt)}
        {host !== null && ` · ${firstLine(host.app, 40)}`}
      </span>
    </div>
  );
}

/** `step`: the place inside the run that the link leads to. */
export function HitLine({ hit: { run, step, noteSeq, field, path, excerpt } }: { hit: Hit }) {
  const place = step?.id ?? (noteSeq === null ? field : `note-${noteSeq}`);
  return (
    <a class="hit" href={hrefOf(runPlace(run.id, place))} title={firstLine(path, 200)}>
      <span class="hit-head">
        {step !== null && <span class="hit-number">#{step.index + 1}</span>}
        {step !== null && (
          <Recorded
            class="hit-tool"
            text={firstLine(step.server === null ? step.tool : `${step.server} › ${step.tool}`, 80)}
          />
        )}
        <span class="soft">{FIELDS[field]}</span>
        {step !== null && step.status !== "ok" && <StatusBadge status={step.status} />}
      </span>
      <Recorded class="hit-text" text={excerpt.text} marks={excerpt.marks} />
    </a>
  );
}
