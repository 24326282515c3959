import type { Call } from "./call.ts";

/**
 * The calls of a run by who made them: the agent that was asked, and each agent that it sent out. Agents have new names in each
 * run; whose calls are compared with whose is told by what they called. Pure.
 */
export interface LanePair {
  /** Null where no agent of that run did what this one did. */
  left: readonly Call[] | null;
  right: readonly Call[] | null;
}

/** Agents of a run beyond so many are paired by their order alone. */
const COMPARED_AGENTS = 100;

/** Each lane of both runs, once; the first is the main one. */
export function pairLanes(left: readonly Call[], right: readonly Call[]): LanePair[] {
  const leftLanes = lanesOf(left);
  const rightLanes = lanesOf(right);
  const lanes: LanePair[] = [{ left: leftLanes.main, right: rightLanes.main }];
  const open = { left: new Set(leftLanes.agents), right: new Set(rightLanes.agents) };
  for (const [a, b] of byLikeness(leftLanes.agents, rightLanes.agents)) {
    if (!open.left.has(a) || !open.right.has(b)) continue;
    open.left.delete(a);
    open.right.delete(b);
    lanes.push({ left: a, right: b });
  }
  const rest = [...open.right];
  if (Math.max(leftLanes.agents.length, rightLanes.agents.length) > COMPARED_AGENTS) {
    for (const [index, lane] of [...open.left].entries()) lanes.push({ left: lane, right: rest[index] ?? null });
    for (const lane of rest.slice(open.left.size)) lanes.push({ left: null, right: lane });
    return lanes;
  }
  for (const lane of open.left) lanes.push({ left: lane, right: null });
  for (const lane of rest) lanes.push({ left: null, right: lane });
  return lanes;
}

type Lane = readonly Call[];

function lanesOf(calls: readonly Call[]): { main: Lane; agents: Lane[] } {
  const main: Call[] = [];
  const agents = new Map<string, Call[]>();
  for (const call of calls) {
    const { agentId } = call.step;
    if (agentId === null) main.push(call);
    else {
      const lane = agents.get(agentId);
      if (lane === undefined) agents.set(agentId, [call]);
      else lane.push(call);
    }
  }
  return { main, agents: [...agents.values()] };
}

/** Pairs of agents that have a tool in common, the most alike first, then those whose turn it was in both runs. */
function byLikeness(left: readonly Lane[], right: readonly Lane[]): [Lane, Lane][] {
  const rated: { pair: [Lane, Lane]; alike: number; apart: number }[] = [];
  const rightCounts = right.slice(0, COMPARED_AGENTS).map(countsOf);
  for (const [i, a] of left.slice(0, COMPARED_AGENTS).entries()) {
    const counts = countsOf(a);
    for (const [j, b] of right.slice(0, COMPARED_AGENTS).entries()) {
      const others = rightCounts[j];
      if (others === undefined) continue;
      const alike = common(counts.exact, others.exact) + common(counts.tools, others.tools) / 10;
      if (alike > 0) rated.push({ pair: [a, b], alike: alike / (a.length + b.length), apart: Math.abs(i - j) });
    }
  }
  return rated.sort((a, b) => b.alike - a.alike || a.apart - b.apart).map(({ pair }) => pair);
}

function countsOf(lane: Lane): { exact: Map<number, number>; tools: Map<number, number> } {
  const exact = new Map<number, number>();
  const tools = new Map<number, number>();
  for (const call of lane) {
    exact.set(call.exact, (exact.get(call.exact) ?? 0) + 1);
    tools.set(call.tool, (tools.get(call.tool) ?? 0) + 1);
  }
  return { exact, tools };
}

function common(a: ReadonlyMap<number, number>, b: ReadonlyMap<number, number>): number {
  let sum = 0;
  for (const [key, count] of a) sum += Math.min(count, b.get(key) ?? 0);
  return sum;
}
