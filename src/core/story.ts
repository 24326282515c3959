import { isBrief } from "./brief.ts";
import type { GapEntry, NoteEntry, Run, Step } from "./run.ts";

/**
 * A run as a story: what happened, in order, with the work of each subagent inside the call that launched it. Owns the order
 * and the nesting, never how anything looks. Pure, and linear in the run's length.
 */

export type StoryPart = StepPart | NotePart | GapPart | AgentPart;

/** `key`: the call's id; names the part in an address. */
export interface StepPart {
  kind: "step";
  key: string;
  at: number;
  step: Step;
  /** The agents that it launched; nearly always none or one. */
  agents: readonly AgentStory[];
}

export interface NotePart {
  kind: "note";
  key: `note-${number}`;
  at: number;
  note: NoteEntry;
}

export interface GapPart {
  kind: "gap";
  key: `gap-${number}`;
  at: number;
  gap: GapEntry;
}

/** Where an agent began that no recorded call launched. */
export interface AgentPart {
  kind: "agent";
  key: `agent-${string}`;
  at: number;
  agent: AgentStory;
}

/** What one subagent did. */
export interface AgentStory {
  id: string;
  /** `told`: its launching call names it. `guessed`: the call that fits in time. `unknown`: there is none. */
  launch: "told" | "guessed" | "unknown";
  parts: StoryPart[];
  callCount: number;
  errorCount: number;
  runningCount: number;
  /** From its first part to the end of its last; epoch ms. */
  startedAt: number;
  endedAt: number;
}

export interface Story {
  run: Run;
  /** Of the main agent; those of others are inside. */
  parts: StoryPart[];
  /** By id, in the order in which they began. */
  agents: ReadonlyMap<string, AgentStory>;
}

/**
 * The story of a run. `launches` (agent by launching call) adds what the run itself does not tell, as where a long result is
 * known in brief only.
 */
export function tellStory(run: Run, launches?: ReadonlyMap<string, string>): Story {
  const parts: StoryPart[] = [];
  const agents = new Map<string, AgentStory>();
  const byStep = new Map<string, StepPart>();
  for (const part of inTime(run)) {
    const agentId = part.kind === "step" ? part.step.agentId : part.kind === "note" ? part.note.agentId : null;
    if (part.kind === "step") byStep.set(part.key, part);
    if (agentId === null) parts.push(part);
    else grow(agents, agentId, part);
  }
  if (agents.size > 0) nest(agents, byStep, parts, launches);
  return { run, parts, agents };
}

/** A call that launches an agent in the hosts that are known. */
export function isLaunch(step: Pick<Step, "server" | "tool">): boolean {
  return step.server === null && (step.tool === "Agent" || step.tool === "Task");
}

/** The agent that a call's result names; null where it names none, or does not in what is known of it. */
export function agentNamedBy({ result }: Pick<Step, "result">): string | null {
  if (typeof result !== "object" || result === null) return null;
  const { agentId, agent_id, truncated, head } = result as Record<string, unknown>;
  if ((isBrief(result) || truncated === true) && typeof head === "string") {
    return /^\{[^{[]*"agent(?:Id|_id)":"([^"\\]+)"/.exec(head)?.[1] ?? null;
  }
  if (typeof agentId === "string") return agentId;
  return typeof agent_id === "string" ? agent_id : null;
}

const NO_AGENTS: readonly AgentStory[] = [];

/** Steps, notes and gaps as one row in the order they began; a run lists each of the three in order. */
function* inTime({ steps, notes, gaps }: Run): Generator<StepPart | NotePart | GapPart> {
  let s = 0;
  let n = 0;
  let g = 0;
  for (;;) {
    const step = steps[s];
    const note = notes[n];
    const gap = gaps[g];
    if (step === undefined && note === undefined && gap === undefined) return;
    const stepAt = step?.startedAt ?? Number.POSITIVE_INFINITY;
    const noteAt = note?.at ?? Number.POSITIVE_INFINITY;
    const isNoteFirst = noteAt < stepAt || (noteAt === stepAt && (note?.seq ?? 0) < (step?.seq ?? 0));
    const at = Math.min(stepAt, noteAt);
    if (gap !== undefined && (gap.at < at || (step === undefined && note === undefined))) {
      yield { kind: "gap", key: `gap-${g++}`, at: gap.at, gap };
    } else if (note !== undefined && (isNoteFirst || step === undefined)) {
      n++;
      yield { kind: "note", key: `note-${note.seq}`, at: note.at, note };
    } else if (step !== undefined) {
      s++;
      yield { kind: "step", key: step.id, at: step.startedAt, step, agents: NO_AGENTS };
    } else return;
  }
}

function grow(agents: Map<string, AgentStory>, id: string, part: StepPart | NotePart | GapPart): void {
  let agent = agents.get(id);
  if (agent === undefined) {
    const { at } = part;
    const counts = { callCount: 0, errorCount: 0, runningCount: 0 };
    agent = { id, launch: "unknown", parts: [], ...counts, startedAt: at, endedAt: at };
    agents.set(id, agent);
  }
  agent.parts.push(part);
  agent.endedAt = Math.max(agent.endedAt, part.at);
  if (part.kind !== "step") return;
  const { status, durationMs } = part.step;
  agent.callCount++;
  if (status === "error") agent.errorCount++;
  if (status === "running") agent.runningCount++;
  agent.endedAt = Math.max(agent.endedAt, part.at + (durationMs ?? 0));
}

/** Puts each agent into the call that launched it, or among the main agent's parts where there is no such call. */
function nest(
  agents: ReadonlyMap<string, AgentStory>,
  byStep: ReadonlyMap<string, StepPart>,
  parts: StoryPart[],
  launches: ReadonlyMap<string, string> | undefined,
): void {
  const launchedBy = new Map<string, StepPart>();
  const unnamed: StepPart[] = [];
  for (const part of byStep.values()) {
    const named = launches?.get(part.key) ?? agentNamedBy(part.step);
    const agent = named === null ? undefined : agents.get(named);
    if (agent !== undefined && !launchedBy.has(agent.id) && !isInside(part, agent.id, launchedBy)) {
      launchedBy.set(agent.id, part);
      agent.launch = "told";
    } else if (named === null && isLaunch(part.step) && part.step.status !== "denied") unnamed.push(part);
  }
  for (const agent of agents.values()) {
    if (launchedBy.has(agent.id)) continue;
    const index = likelyLaunch(unnamed, agent, launchedBy);
    const [part] = index < 0 ? [] : unnamed.splice(index, 1);
    if (part === undefined) continue;
    launchedBy.set(agent.id, part);
    agent.launch = "guessed";
  }
  const orphans: AgentPart[] = [];
  for (const agent of agents.values()) {
    const launcher = launchedBy.get(agent.id);
    if (launcher !== undefined) launcher.agents = [...launcher.agents, agent];
    else orphans.push({ kind: "agent", key: `agent-${agent.id}`, at: agent.startedAt, agent });
  }
  if (orphans.length === 0) return;
  parts.push(...orphans);
  parts.sort((a, b) => a.at - b.at);
}

/** An agent's beginning may be told this much before the call that launched it, ms. */
const CLOCKS_DIFFER_MS = 1000;

/** Of calls whose agent is not named: the first that was under way when the agent began, else the last before it. */
function likelyLaunch(
  unnamed: readonly StepPart[],
  agent: AgentStory,
  launchedBy: ReadonlyMap<string, StepPart>,
): number {
  let last = -1;
  for (const [index, part] of unnamed.entries()) {
    if (part.at > agent.startedAt + CLOCKS_DIFFER_MS) break;
    if (isInside(part, agent.id, launchedBy)) continue;
    const { durationMs } = part.step;
    if (durationMs === null || part.at + durationMs >= agent.startedAt) return index;
    last = index;
  }
  return last;
}

/** True for a call that the agent itself made, or one that it launched. */
function isInside({ step }: StepPart, agentId: string, launchedBy: ReadonlyMap<string, StepPart>): boolean {
  let of = step.agentId;
  // As many rounds as there are agents at most: what launches what is a tree as far as it is known.
  while (of !== null) {
    if (of === agentId) return true;
    of = launchedBy.get(of)?.step.agentId ?? null;
  }
  return false;
}
