import type { ConfigMember, ConfigNode, ConfigPath } from "../edit/config-text.ts";
import { nodeAt } from "../edit/text-place.ts";

/** Finds places in a parsed configuration. Pure. */

/** The value under a key of an object; null where there is none. */
export function memberOf(node: ConfigNode, key: string): ConfigNode | null {
  return nodeAt(node, [key]);
}

/** The first key that stands twice in an object; null when each stands once. */
export function repeatedKey(members: readonly ConfigMember[]): string | null {
  const seen = new Set<string>();
  for (const { key } of members) {
    if (seen.has(key)) return key;
    seen.add(key);
  }
  return null;
}

/** Every value in a node with the path that leads to it, itself first. */
export function* nodesIn(node: ConfigNode, path: ConfigPath = []): Generator<{ node: ConfigNode; path: ConfigPath }> {
  yield { node, path };
  for (const member of node.members) yield* nodesIn(member.value, [...path, member.key]);
  for (const [index, element] of node.elements.entries()) yield* nodesIn(element, [...path, index]);
}
