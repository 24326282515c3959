import type { Story, StoryPart } from "../../../core/story.ts";
import { agentsOf, type RunRow } from "./run-rows.ts";

/** Ways through a story from one part to another. Pure. */

/** All parts in the order of the list, whatever is folded away. */
export function allParts(story: Story): StoryPart[] {
  const all: StoryPart[] = [];
  const stack: { parts: readonly StoryPart[]; at: number }[] = [{ parts: story.parts, at: 0 }];
  for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
    const part = top.parts[top.at++];
    if (part === undefined) {
      stack.pop();
      continue;
    }
    all.push(part);
    for (const { parts } of agentsOf(part).toReversed()) stack.push({ parts, at: 0 });
  }
  return all;
}

/** The key of the next one, in a direction, that is wanted; goes on from the other end. Null where there is none. */
export function nextKey<Item extends { key: string }>(
  items: readonly Item[],
  from: string | null,
  direction: 1 | -1,
  isWanted: (item: Item) => boolean,
  isRound = true,
): string | null {
  const start = items.findIndex(({ key }) => key === from);
  const first = start < 0 ? (direction > 0 ? 0 : items.length - 1) : start + direction;
  for (let count = 0; count < items.length; count++) {
    const at = first + direction * count;
    if (!isRound && (at < 0 || at >= items.length)) return null;
    const item = items[(at + items.length * 2) % items.length];
    if (item !== undefined && isWanted(item)) return item.key;
  }
  return null;
}

/** A row that can be selected: prompt, answer, calls and notes. */
export function isSelectable(row: RunRow): boolean {
  return row.kind !== "end" && !(row.kind === "part" && (row.part.kind === "gap" || row.part.kind === "agent"));
}

/** The part of a key among all; undefined where it is not there (yet). */
export function partOf(story: Story, key: string): StoryPart | undefined {
  const { parts } = story;
  const direct = parts.find((part) => part.key === key);
  if (direct !== undefined) return direct;
  for (const agent of story.agents.values()) {
    const inside = agent.parts.find((part) => part.key === key);
    if (inside !== undefined) return inside;
  }
  return undefined;
}

/** The key of the call that launched an agent. */
export function launcherOf(story: Story, agentId: string): string | null {
  for (const part of allParts(story)) if (agentsOf(part).some(({ id }) => id === agentId)) return part.key;
  return null;
}
