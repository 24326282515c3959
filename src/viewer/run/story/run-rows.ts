import type { AgentStory, Story, StoryPart } from "../../../core/story.ts";
import { type FilterText, isEmptyFilter, matchesNote, matchesProse, type RunFilter } from "../run-filter.ts";

/** The rows of a story as they stand in the list: what is nested indented, what is folded or filtered out left out. Pure. */

export type RunRow =
  | { kind: "prompt" | "answer"; key: string; depth: 0; text: string; isMatch: boolean }
  | { kind: "part"; key: string; depth: number; part: StoryPart; isMatch: boolean; isFolded: boolean }
  | { kind: "end"; key: string; depth: 0; isMatch: false };

export interface RowChoice {
  filter: RunFilter;
  /** Agents whose work is folded away. */
  folded: ReadonlySet<string>;
  slowMs: number;
}

export interface RunRows {
  rows: readonly RunRow[];
  /** Where a row stands; -1 where it is not among them. */
  indexOf(key: string): number;
  /** Rows that the filter found; all that can be selected where there is none. */
  matchCount: number;
}

/** The rows to show. With a filter: what it finds, and the calls that launched the agents in which that is. */
export function rowsOf(story: Story, { filter, folded, slowMs }: RowChoice, texts: FilterText): RunRows {
  const rows: RunRow[] = [];
  const isFiltered = !isEmptyFilter(filter);
  const { input, finalAnswer } = story.run;
  let matchCount = 0;
  const push = (row: RunRow) => {
    rows.push(row);
    if (row.isMatch) matchCount++;
  };
  const prose = (kind: "prompt" | "answer", text: string | null) => {
    if (text !== null && (!isFiltered || matchesProse(text, filter))) {
      push({ kind, key: kind, depth: 0, text, isMatch: true });
    }
  };

  prose("prompt", input);
  // A stack of our own: what is nested may be nested deeper than calls can be.
  const stack: { parts: readonly StoryPart[]; at: number; depth: number }[] = [{ parts: story.parts, at: 0, depth: 0 }];
  // Launching calls that the filter did not find, shown only when something inside is.
  const waiting: { depth: number; row: RunRow }[] = [];
  for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
    const part = top.parts[top.at++];
    if (part === undefined) {
      stack.pop();
      continue;
    }
    const { depth } = top;
    while ((waiting.at(-1)?.depth ?? -1) >= depth) waiting.pop();
    const agents = agentsOf(part);
    const isFolded = !isFiltered && agents.length > 0 && agents.every(({ id }) => folded.has(id));
    const isMatch = isFiltered ? isFound(part, filter, slowMs, texts) : part.kind !== "gap" && part.kind !== "agent";
    const row: RunRow = { kind: "part", key: part.key, depth, part, isMatch, isFolded };
    if (!isFiltered || isMatch) {
      for (const held of waiting.splice(0)) push(held.row);
      push(row);
    } else if (agents.length > 0) waiting.push({ depth, row });
    if (!isFolded) for (const { parts } of agents.toReversed()) stack.push({ parts, at: 0, depth: depth + 1 });
  }
  prose("answer", finalAnswer);
  if (!isFiltered) rows.push({ kind: "end", key: "end", depth: 0, isMatch: false });
  let places: Map<string, number> | null = null;
  const indexOf = (key: string) => {
    places ??= new Map(rows.map((row, index) => [row.key, index]));
    return places.get(key) ?? -1;
  };
  return { rows, indexOf, matchCount };
}

/** The agents whose work stands inside a part. */
export function agentsOf(part: StoryPart): readonly AgentStory[] {
  if (part.kind === "step") return part.agents;
  return part.kind === "agent" ? [part.agent] : [];
}

/** When a row happened, epoch ms; null for what has no time of its own. */
export function timeOf(row: RunRow): { from: number; to: number } | null {
  if (row.kind !== "part") return null;
  const { part } = row;
  return { from: part.at, to: part.at + (part.kind === "step" ? (part.step.durationMs ?? 0) : 0) };
}

/** Agents to unfold so that a part is in sight: those in which it is, from the outermost. */
export function agentsAround(story: Story, key: string): string[] {
  const around = new Map<string, string | null>();
  let agentId: string | null | undefined;
  const launchers = new Map<string, string | null>();
  for (const agent of story.agents.values()) {
    for (const part of agent.parts) {
      if (part.key === key) agentId = agent.id;
      for (const inner of agentsOf(part)) launchers.set(inner.id, agent.id);
    }
    around.set(agent.id, null);
  }
  const found: string[] = [];
  for (let at = agentId; at !== null && at !== undefined && found.length <= around.size; at = launchers.get(at)) {
    found.unshift(at);
  }
  return found;
}

function isFound(part: StoryPart, filter: RunFilter, slowMs: number, texts: FilterText): boolean {
  switch (part.kind) {
    case "step":
      return texts.matchesStep(part.step, filter, slowMs);
    case "note":
      return matchesNote(part.note, filter);
    default:
      return false;
  }
}
