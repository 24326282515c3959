import {
  gapEntry,
  type RunEvent,
  type RunOpened,
  type StepClosed,
  type StepOpened,
  type StepUpdated,
} from "./event.ts";
import type { Run, RunSummary, Step } from "./run.ts";

/**
 * fold(events) → run: the one way from the journal to what a person or a program reads. Tolerates a repeated opening
 * and events of a step whose own opening was lost.
 */

/** The run that these events of one run tell, in journal order; null when its opening is not among them. */
export function foldRun(events: Iterable<RunEvent>): Run | null {
  const fold = new RunFold();
  for (const event of events) fold.add(event);
  return fold.run();
}

/** The same, as events come: for whoever watches a run while it grows. */
export class RunFold {
  #run: Run | null = null;
  readonly #steps = new Map<string, Step>();
  readonly #notes = new Set<number>();
  readonly #early: RunEvent[] = [];

  /** Takes the next event in journal order. */
  add(event: RunEvent): void {
    if (event.type === "run.opened") {
      if (this.#run !== null) return;
      this.#run = openedRun(event);
      for (const early of this.#early) applyEvent(this.#run, this.#steps, this.#notes, early);
    } else if (this.#run === null) this.#early.push(event);
    else applyEvent(this.#run, this.#steps, this.#notes, event);
  }

  /** The run as far as it was told, not changed by what is added later; null while its opening is not among that. */
  run(): Run | null {
    if (this.#run === null) return null;
    const { gaps, notes, ...rest } = this.#run;
    return {
      ...rest,
      gaps: [...gaps],
      notes: notes.toSorted((a, b) => a.at - b.at || a.seq - b.seq),
      steps: this.#ordered(),
    };
  }

  /** The steps in order, each with its index; one whose index has not changed is the same object as before. */
  #ordered(): Step[] {
    const steps = [...this.#steps.values()].sort((a, b) => a.startedAt - b.startedAt || a.seq - b.seq);
    for (const [index, step] of steps.entries()) {
      if (step.index === index) continue;
      const moved = { ...step, index };
      steps[index] = moved;
      this.#steps.set(step.id, moved);
    }
    return steps;
  }
}

/** How a run whose owner is gone reads: abandoned, its open steps lost. */
export function abandon(run: Run): Run {
  return {
    ...run,
    status: "abandoned",
    steps: run.steps.map((step) => (step.status === "running" ? { ...step, status: "lost" } : step)),
  };
}

/** The summary part of a run. */
export function summaryOf(run: Run): RunSummary {
  const { steps: _steps, notes: _notes, ...summary } = run;
  return summary;
}

function openedRun(event: RunOpened): Run {
  return {
    id: event.runId,
    sessionId: event.sessionId,
    host: event.host,
    tier: event.tier,
    cwd: event.cwd,
    input: null,
    finalAnswer: null,
    status: "running",
    startedAt: event.at,
    endedAt: null,
    lossy: false,
    gaps: [],
    wrappedServers: [...event.wrappedServers],
    usage: null,
    hostHookCalls: 0,
    notes: [],
    steps: [],
  };
}

function applyEvent(run: Run, steps: Map<string, Step>, notes: Set<number>, event: RunEvent): void {
  switch (event.type) {
    case "run.opened":
      return;
    case "run.updated":
      if (event.sessionId !== undefined) run.sessionId = event.sessionId;
      if (event.host !== undefined) run.host = event.host;
      if (event.wrappedServers !== undefined) run.wrappedServers = [...event.wrappedServers];
      if (event.input !== undefined) run.input = event.input;
      if (event.finalAnswer !== undefined) run.finalAnswer = event.finalAnswer;
      if (event.hostHookCalls !== undefined) run.hostHookCalls = event.hostHookCalls;
      if (event.usage !== undefined) run.usage = event.usage;
      if (event.status !== undefined) Object.assign(run, { status: event.status, endedAt: null });
      return;
    case "run.closed":
      run.status = event.status;
      run.endedAt = event.at;
      return;
    case "step.opened":
      steps.set(event.stepId, openedStep(event, steps.get(event.stepId)));
      return;
    case "step.updated": {
      const step = steps.get(event.stepId) ?? unseenStep(event.stepId, event.seq, event.at);
      steps.set(event.stepId, updatedStep(step, event));
      return;
    }
    case "step.closed":
      steps.set(
        event.stepId,
        closeStep(steps.get(event.stepId) ?? unseenStep(event.stepId, event.seq, event.at), event),
      );
      return;
    case "note":
      if (notes.has(event.seq)) return;
      notes.add(event.seq);
      run.notes.push({ kind: event.kind, text: event.text, at: event.at, seq: event.seq, agentId: event.agentId });
      return;
    case "gap":
      run.lossy = true;
      run.gaps.push(gapEntry(event));
      return;
  }
}

/** A step whose opening was lost: what can still be told of it. */
function unseenStep(id: string, seq: number, at: number): Step {
  return {
    id,
    index: 0,
    seq,
    sources: [],
    server: null,
    tool: "",
    qualifiedName: "",
    args: null,
    result: null,
    isError: false,
    error: null,
    rpcError: null,
    status: "running",
    callId: null,
    join: null,
    agentId: null,
    hostMeta: {},
    startedAt: at,
    durationMs: null,
    context: null,
    legs: 1,
    waitingMs: 0,
    progress: 0,
    truncated: false,
  };
}

function openedStep(event: StepOpened, known: Step | undefined): Step {
  const step = known ?? unseenStep(event.stepId, event.seq, event.at);
  return {
    ...step,
    sources: event.sources,
    server: event.server,
    tool: event.tool,
    qualifiedName: event.qualifiedName,
    args: event.args,
    callId: event.callId,
    join: event.join,
    agentId: event.agentId,
    hostMeta: event.hostMeta,
    startedAt: event.startedAt,
    context: event.context ?? step.context,
    truncated: step.truncated || event.truncated,
  };
}

function updatedStep(step: Step, event: StepUpdated): Step {
  const { v: _v, runId: _runId, seq: _seq, at: _at, type: _type, stepId: _stepId, ...changed } = event;
  return { ...step, ...changed, truncated: step.truncated || (event.truncated ?? false) };
}

function closeStep(step: Step, event: StepClosed): Step {
  return {
    ...step,
    status: event.status,
    isError: event.isError,
    error: event.error,
    rpcError: event.rpcError ?? null,
    result: event.result,
    durationMs: event.durationMs,
    legs: event.legs,
    waitingMs: event.waitingMs,
    progress: event.progress,
    truncated: step.truncated || event.truncated,
    join: event.join ?? step.join,
  };
}
