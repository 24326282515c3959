import { stringifyExact } from "../../core/exact-json.ts";
import type { FinishBody, RunBody, WirePlace, WireRiders } from "../../core/recordings-wire.ts";
import type { RunStatus } from "../../core/run.ts";
import { parseBody } from "../../store/row-event.ts";
import type { ListedRun } from "../../store/run-row.ts";
import type { SinkEvent } from "../../store/sink-events.ts";

/**
 * The bodies of the recordings contract as JSON text, made of what the journal holds. Payloads go in as the text that they are,
 * so that numbers stay as they were on the wire. The same event always makes the same text, but for what only others read. Pure.
 */

type Members = Record<string, unknown>;

/** A member whose value is JSON text already. */
type Raw = readonly [name: string, json: string];

/** The row with which a call begins. */
export function selectedId(stepId: string): string {
  return `${stepId}-selected`;
}

/** The row with which it ends. */
export function responseId(stepId: string): string {
  return `${stepId}-response`;
}

/** The members of an event's body; numbers keep their text. */
export function bodyOf({ body }: SinkEvent): Members {
  return parseBody(body);
}

/** POST runs. Of what may change later it has the present state: whoever is no bir hears of it nowhere else. */
export function runBody(run: ListedRun): string {
  const { id, input, tier, host, wrappedServers, lossy, gaps, sessionId, cwd, startedAt } = run;
  const metadata = { recorder: "baseinstrunner" as const, tier, host, wrappedServers, lossy, gaps, sessionId, cwd };
  return JSON.stringify({ id, input, metadata, bir: { startedAt } } satisfies RunBody);
}

/** A `tool_selected` row, or a PATCH of one with all its members (`writeId`). */
export function selectedBody(event: SinkEvent, payload: string | null, riders: WireRiders, writeId?: string): string {
  const {
    stepId,
    tool,
    context,
    server,
    qualifiedName,
    callId,
    join,
    agentId,
    startedAt,
    sources,
    truncated,
    hostMeta,
  } = bodyOf(event);
  const opening = { server, qualifiedName, callId, join, agentId, startedAt, sources, truncated, hostMeta };
  const bir = { ...place(event, stepId), ...opening, ...riders, writeId };
  const head = writeId === undefined ? rowHead(selectedId(String(stepId)), 2 * event.seq, "tool_selected") : {};
  const row = { ...head, toolName: tool, ...(typeof context === "string" ? { context } : {}), bir };
  return withRaw(row, ["toolInput", rawPayload(payload)]);
}

/** The `tool_selected` row of a call whose opening was lost, from the first that is told of it. */
export function unopenedBody(event: SinkEvent, payload: string | null, riders: WireRiders): string {
  const {
    stepId,
    tool = "",
    context,
    server,
    callId,
    join,
    agentId,
    sources,
    truncated,
    hostMeta,
    ...rest
  } = bodyOf(event);
  const bir = {
    ...place(event, stepId),
    ...{ server, callId, join, agentId, startedAt: rest.startedAt, sources, truncated, hostMeta },
    ...riders,
  };
  const head = rowHead(selectedId(String(stepId)), 2 * event.seq, "tool_selected");
  const row = { ...head, toolName: tool, ...(typeof context === "string" ? { context } : {}), bir };
  return withRaw(row, ["toolInput", rawPayload(payload)]);
}

/** PATCH of a `tool_selected` row with what an update tells. */
export function updateBody(event: SinkEvent, payload: string | null, riders: WireRiders, writeId: string): string {
  const { v: _v, stepId, tool, context, ...changed } = bodyOf(event);
  const bir = { ...place(event, stepId), ...changed, ...riders, writeId };
  return withRaw(
    { toolName: tool, context, bir },
    ...(payload === null ? [] : [["toolInput", rawPayload(payload)] as const]),
  );
}

/** Whether an update tells something that a `tool_selected` row has no member for. */
export function tellsOfOutcome(event: SinkEvent): boolean {
  const { legs, progress, status } = bodyOf(event);
  return legs !== undefined || progress !== undefined || status !== undefined;
}

/** A `tool_response` row, or a PATCH of one with all its members (`writeId`). */
export function responseBody(event: SinkEvent, payload: string | null, riders: WireRiders, writeId?: string): string {
  const { stepId, status, isError, error, durationMs, waitingMs, legs, progress, truncated, join, rpcError } =
    bodyOf(event);
  const closing = { status, isError, durationMs, waitingMs, legs, progress, truncated, join, rpcError };
  const bir = { ...place(event, stepId), ...closing, ...riders, writeId };
  const head = writeId === undefined ? rowHead(responseId(String(stepId)), 2 * event.seq + 1, "tool_response") : {};
  if (typeof error !== "string") return withRaw({ ...head, bir }, ["toolOutput", rawPayload(payload)]);
  const birJson = withRaw(bir, ...(payload === null ? [] : [["result", rawPayload(payload)] as const]));
  return withRaw({ ...head, toolError: error }, ["bir", birJson]);
}

/** The `final_answer` row. `id`: of this one of a run's ends. */
export function answerBody(event: SinkEvent, id: string, finalOutput: string, riders: WireRiders): string {
  return JSON.stringify({
    ...rowHead(id, 2 * event.seq, "final_answer"),
    finalOutput,
    bir: { at: event.at, ...riders },
  });
}

export interface Ending {
  writeId: string;
  status: RunStatus;
  /** Epoch ms. */
  at: number;
  finalOutput: string | null;
}

/** POST finish. */
export function finishBody({ writeId, status, at, finalOutput }: Ending, run: ListedRun, riders: WireRiders): string {
  const { usage, lossy, gaps, stepCount, startedAt } = run;
  const lost = gaps.reduce((sum, gap) => sum + gap.lost, 0);
  const metrics = { status, steps: stepCount, durationMs: Math.max(0, at - startedAt), lossy, lost, gaps, ...usage };
  return JSON.stringify({
    finalOutput,
    metrics,
    bir: { writeId, status, at, ...riders },
  } satisfies FinishBody);
}

/** PATCH of a row that has nothing to tell but what rides on it. */
export function carrierBody(writeId: string, riders: WireRiders): string {
  return JSON.stringify({ bir: { writeId, ...riders } });
}

function rowHead(id: string, stepIndex: number, type: string): Members {
  return { id, stepIndex, type };
}

function place({ seq, at }: SinkEvent, stepId: unknown): WirePlace {
  return { stepId: String(stepId), seq, at };
}

/** What cannot be read as JSON is the string that it is, here as for every reader of the journal. */
function rawPayload(payload: string | null): string {
  if (payload === null) return "null";
  try {
    JSON.parse(payload);
    return payload;
  } catch {
    return JSON.stringify(payload);
  }
}

function withRaw(members: Members, ...raw: readonly Raw[]): string {
  const text = stringifyExact(members);
  const added = raw.map(([name, json]) => `"${name}":${json}`).join(",");
  if (added === "") return text;
  return text === "{}" ? `{${added}}` : `${text.slice(0, -1)},${added}}`;
}
