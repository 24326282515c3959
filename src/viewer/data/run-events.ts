import { EVENT_VERSION, type RunEvent } from "../../core/event.ts";
import type { Run, Step } from "../../core/run.ts";

/** The events that would tell a run that is told already, so that a saved run is read the same way as one that is growing. Pure. */

export function eventsOfRun(run: Run): RunEvent[] {
  const about = (seq: number, at: number) => ({ v: EVENT_VERSION, runId: run.id, seq, at });
  const { input, finalAnswer, usage } = run;
  const last = Math.max(0, ...run.steps.map(({ seq }) => seq + 1), ...run.notes.map(({ seq }) => seq + 1));
  const events: RunEvent[] = [
    {
      ...about(0, run.startedAt),
      type: "run.opened",
      tier: run.tier,
      cwd: run.cwd,
      owner: { pid: 0, startedAt: "" },
      sessionId: run.sessionId,
      host: run.host,
      wrappedServers: run.wrappedServers,
    },
    {
      ...about(0, run.startedAt),
      type: "run.updated",
      hostHookCalls: run.hostHookCalls,
      ...(input === null ? {} : { input }),
      ...(finalAnswer === null ? {} : { finalAnswer }),
      ...(usage === null ? {} : { usage }),
    },
    ...run.steps.flatMap((step) => eventsOfStep(step, about(step.seq, step.startedAt))),
    ...run.notes.map((note) => ({
      ...about(note.seq, note.at),
      type: "note" as const,
      kind: note.kind,
      text: note.text,
      agentId: note.agentId,
    })),
    ...run.gaps.map(({ at, lost, reason }) => ({ ...about(last, at), type: "gap" as const, reason, lost })),
  ];
  if (run.endedAt !== null) events.push({ ...about(last, run.endedAt), type: "run.closed", status: run.status });
  return events;
}

function eventsOfStep(step: Step, about: { v: number; runId: string; seq: number; at: number }): RunEvent[] {
  const { id: stepId, sources, server, tool, qualifiedName, args, callId, join, agentId, hostMeta, startedAt } = step;
  const { context, truncated, status, legs, progress, isError, error, rpcError, result, durationMs, waitingMs } = step;
  const base = { ...about, stepId };
  const opened = { type: "step.opened", sources, server, tool, qualifiedName, args, callId, join, agentId } as const;
  return [
    { ...base, ...opened, hostMeta, startedAt, context, truncated },
    status === "running"
      ? { ...base, type: "step.updated", legs, progress }
      : {
          ...base,
          type: "step.closed",
          status,
          isError,
          error,
          rpcError,
          result,
          durationMs,
          waitingMs,
          legs,
          progress,
          truncated,
          join,
        },
  ];
}
