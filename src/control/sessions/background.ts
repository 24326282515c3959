import type { RedactedText } from "../../core/redacted.ts";
import type { BackgroundWork } from "./session-state.ts";

/**
 * What a session's runs have started that works by itself: subagents, and tasks that go on when the main agent has stopped.
 * The host's own list is the truth about tasks; what was told before it changes nothing any more.
 */
export class Background {
  /** The run that each subagent belongs to. */
  readonly #agents: Map<string, RedactedText>;
  readonly #tasks: Map<string, BackgroundWork>;
  #listedAt: number;

  constructor(
    agents: Readonly<Record<string, RedactedText>>,
    tasks: Readonly<Record<string, BackgroundWork>>,
    listedAt: number,
  ) {
    this.#agents = new Map(Object.entries(agents));
    this.#tasks = new Map(Object.entries(tasks));
    this.#listedAt = listedAt;
  }

  get agents(): Readonly<Record<string, RedactedText>> {
    return Object.fromEntries(this.#agents);
  }

  get tasks(): Readonly<Record<string, BackgroundWork>> {
    return Object.fromEntries(this.#tasks);
  }

  /** When the host listed last what goes on, epoch ms. */
  get listedAt(): number {
    return this.#listedAt;
  }

  runOfAgent(agentId: string): RedactedText | null {
    return this.#agents.get(agentId) ?? null;
  }

  /** A subagent belongs to the run that started it, whatever prompt is under way when it acts. */
  learnAgent(agentId: string, runId: RedactedText): void {
    this.#agents.set(agentId, runId);
  }

  /** A task was started at a time (epoch ms), and goes on as far as its run knows. */
  started(taskId: string, work: BackgroundWork, at: number): void {
    if (at > this.#listedAt && !this.#tasks.has(taskId)) this.#tasks.set(taskId, work);
  }

  runOfTask(taskId: string): RedactedText | null {
    return this.#tasks.get(taskId)?.runId ?? this.runOfAgent(taskId);
  }

  ended(taskId: string): void {
    this.#tasks.delete(taskId);
  }

  /** What goes on as the host tells it at a time (epoch ms); what is new in it was started by `runId`. */
  listed(tasks: ReadonlyMap<string, boolean>, runId: RedactedText, at: number): void {
    if (at < this.#listedAt) return;
    this.#listedAt = at;
    for (const task of this.#tasks.keys()) if (!tasks.has(task)) this.#tasks.delete(task);
    for (const [task, isAgent] of tasks) {
      if (!this.#tasks.has(task)) this.#tasks.set(task, { runId: this.runOfAgent(task) ?? runId, isAgent });
    }
  }

  /** The host does not list what goes on: with the end of a run's turn all that it started is taken to be over. */
  stopped(runId: RedactedText): void {
    for (const [task, work] of this.#tasks) if (work.runId === runId) this.#tasks.delete(task);
  }

  /** The session is over, and all that it started. */
  clear(): void {
    this.#tasks.clear();
  }

  /** What a run started goes on: subagents, or anything. */
  isWaitedFor(runId: RedactedText, onlyAgents = false): boolean {
    for (const work of this.#tasks.values()) if (work.runId === runId && (work.isAgent || !onlyAgents)) return true;
    return false;
  }

  /** Forgets runs that are not known any more. */
  keepOnly(known: ReadonlySet<RedactedText>): void {
    for (const [agentId, runId] of this.#agents) if (!known.has(runId)) this.#agents.delete(agentId);
    for (const [task, { runId }] of this.#tasks) if (!known.has(runId)) this.#tasks.delete(task);
  }
}
