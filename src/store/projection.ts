import type { Database, Statement } from "bun:sqlite";
import type { EventHead, JournalEntry } from "./entry.ts";

/**
 * Keeps the tables `runs` and `steps` what `core/fold` makes of the events: what is listed and searched without reading
 * them. Works within the transaction that appends the events, and never reads a clock or a payload.
 */
export class Projection {
  readonly #statements: Statements;

  constructor(db: Database) {
    this.#statements = prepare(db);
  }

  /** Brings runs and steps up to date. A step is written once a batch, as its last event left it. */
  apply(entries: readonly JournalEntry[]): void {
    const steps = new Map<string, StepChange>();
    for (const { head } of entries) {
      if ("stepId" in head) steps.set(head.stepId, changedBy(head, steps.get(head.stepId)));
      else this.#projectRun(head);
    }
    const madeByRun = new Map<string, number>();
    for (const step of steps.values()) {
      if (this.#writeStep(step)) madeByRun.set(step.runId, (madeByRun.get(step.runId) ?? 0) + 1);
    }
    for (const [runId, made] of madeByRun) this.#statements.stepsCounted.run(made, runId);
  }

  /** True when the step was not known before. */
  #writeStep(step: StepChange): boolean {
    const s = this.#statements;
    const { stepId, opened, closed, status } = step;
    if (opened === null) {
      if (this.#writeOutcome(step)) {
        this.#writeChanges(step);
        return false;
      }
      s.step.run(
        stepId,
        step.runId,
        step.seq,
        null,
        "",
        "",
        null,
        status ?? "running",
        closed?.isError ? 1 : 0,
        step.at,
        closed?.durationMs ?? null,
      );
      this.#writeChanges(step);
      return true;
    }
    const { server, tool, qualifiedName, callId, startedAt } = opened;
    const isNew = s.step.run(
      stepId,
      step.runId,
      step.seq,
      server,
      tool,
      qualifiedName,
      callId,
      status ?? "running",
      closed?.isError ? 1 : 0,
      startedAt,
      closed?.durationMs ?? null,
    ).changes;
    if (isNew > 0) {
      this.#writeChanges(step);
      return true;
    }
    s.stepOpened.run(server, tool, qualifiedName, callId, startedAt, stepId);
    this.#writeChanges(step);
    this.#writeOutcome(step);
    return false;
  }

  /** What became known of a step after it was opened. */
  #writeChanges({ stepId, changed }: StepChange): void {
    if (changed === null) return;
    const { server, tool, qualifiedName, callId, startedAt } = changed;
    const values = [server, tool, qualifiedName, callId, startedAt].map((value) => value ?? null);
    this.#statements.stepChanged.run(...values, stepId);
  }

  /** False when there is no such step. */
  #writeOutcome({ stepId, closed, status }: StepChange): boolean {
    const s = this.#statements;
    const written =
      closed === null
        ? s.stepStatus.run(status, stepId)
        : s.stepClosed.run(status, closed.isError ? 1 : 0, closed.durationMs, stepId);
    return written.changes > 0;
  }

  #projectRun(head: RunHead): void {
    const s = this.#statements;
    switch (head.type) {
      case "run.opened":
        s.runOpened.run(
          head.runId,
          head.sessionId,
          head.host?.app ?? null,
          head.host?.version ?? null,
          head.tier,
          head.cwd,
          head.at,
          JSON.stringify(head.wrappedServers),
          head.owner.pid,
          head.owner.startedAt,
        );
        return;
      case "run.updated":
        s.runUpdated.run(
          head.sessionId ?? null,
          head.wrappedServers === undefined ? null : JSON.stringify(head.wrappedServers),
          head.input ?? null,
          head.finalAnswer ?? null,
          head.hostHookCalls ?? null,
          head.usage === undefined ? null : JSON.stringify(head.usage),
          head.runId,
        );
        if (head.owner) s.runOwner.run(head.owner.pid, head.owner.startedAt, head.runId);
        if (head.status) s.runReopened.run(head.status, head.runId);
        if (head.host) s.runHost.run(head.host.app, head.host.version, head.runId);
        return;
      case "run.closed":
        s.runClosed.run(head.status, head.at, head.runId);
        return;
      case "gap":
        s.runGap.run(JSON.stringify({ reason: head.reason, lost: head.lost, at: head.at }), head.runId);
        return;
    }
  }
}

type StepHead = Extract<EventHead, { stepId: unknown }>;
type RunHead = Exclude<EventHead, StepHead>;

/** What a batch says of one step. */
interface StepChange {
  stepId: string;
  runId: string;
  seq: number;
  /** When it was first heard of: all that is known of the start of a step whose opening was lost. */
  at: number;
  opened: Extract<StepHead, { type: "step.opened" }> | null;
  closed: Extract<StepHead, { type: "step.closed" }> | null;
  /** The columns that its updates name, the last one winning. */
  changed: Partial<
    Pick<Extract<StepHead, { type: "step.updated" }>, "server" | "tool" | "qualifiedName" | "callId" | "startedAt">
  > | null;
  /** The last one told; null when none was. */
  status: string | null;
}

function changedBy(head: StepHead, before: StepChange | undefined): StepChange {
  const { stepId, runId, seq, at } = head;
  const step = before ?? { stepId, runId, seq, at, opened: null, closed: null, changed: null, status: null };
  if (head.type === "step.opened") Object.assign(step, { opened: head, changed: null });
  else {
    if (head.type === "step.closed") step.closed = head;
    else step.changed = { ...step.changed, ...head };
    step.status = head.status ?? step.status;
  }
  return step;
}

type Statements = Record<
  | "runOpened"
  | "runUpdated"
  | "runHost"
  | "runOwner"
  | "runReopened"
  | "runClosed"
  | "runGap"
  | "step"
  | "stepsCounted"
  | "stepOpened"
  | "stepClosed"
  | "stepStatus"
  | "stepChanged",
  Statement
>;

function prepare(db: Database): Statements {
  return {
    runOpened: db.query(
      `INSERT INTO runs (id, session_id, host_app, host_version, tier, cwd, status, started_at, wrapped_servers,
         owner_pid, owner_started_at)
       VALUES (?, ?, ?, ?, ?, ?, 'running', ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING`,
    ),
    runUpdated: db.query(
      `UPDATE runs SET session_id = coalesce(?, session_id), wrapped_servers = coalesce(?, wrapped_servers),
         input = coalesce(?, input), final_answer = coalesce(?, final_answer),
         host_hook_calls = coalesce(?, host_hook_calls), usage = coalesce(?, usage) WHERE id = ?`,
    ),
    runOwner: db.query("UPDATE runs SET owner_pid = ?, owner_started_at = ? WHERE id = ?"),
    runReopened: db.query("UPDATE runs SET status = ?, ended_at = NULL WHERE id = ?"),
    runHost: db.query("UPDATE runs SET host_app = ?, host_version = ? WHERE id = ?"),
    runClosed: db.query("UPDATE runs SET status = ?, ended_at = ? WHERE id = ?"),
    runGap: db.query("UPDATE runs SET lossy = 1, gaps = json_insert(gaps, '$[#]', json(?)) WHERE id = ?"),
    step: db.query(
      `INSERT INTO steps (id, run_id, seq, server, tool, qualified_name, call_id, status, is_error, started_at,
         duration_ms)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING`,
    ),
    stepsCounted: db.query("UPDATE runs SET step_count = step_count + ? WHERE id = ?"),
    stepOpened: db.query(
      "UPDATE steps SET server = ?, tool = ?, qualified_name = ?, call_id = ?, started_at = ? WHERE id = ?",
    ),
    stepClosed: db.query("UPDATE steps SET status = ?, is_error = ?, duration_ms = ? WHERE id = ?"),
    stepChanged: db.query(
      `UPDATE steps SET server = coalesce(?, server), tool = coalesce(?, tool),
         qualified_name = coalesce(?, qualified_name), call_id = coalesce(?, call_id),
         started_at = coalesce(?, started_at) WHERE id = ?`,
    ),
    stepStatus: db.query("UPDATE steps SET status = coalesce(?, status) WHERE id = ?"),
  };
}
