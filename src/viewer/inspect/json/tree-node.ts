import type { PathStep } from "./json-path.ts";
import { isContainer, parseContainer } from "./value.ts";

/**
 * One node of a JSON value as a tree: made only when somebody looks at it, so that a payload of a million values costs what
 * is shown of it. Large containers have their members in ranges. Nothing here calls itself: depth is only a number.
 */
export class TreeNode {
  readonly parent: TreeNode | null;
  /** Name or number in what holds it; null for the root, a range, and JSON within a string. */
  readonly key: string | number | null;
  readonly value: unknown;
  readonly depth: number;
  /** Which members of `value` it stands for; null for all of them. */
  readonly range: { from: number; to: number } | null;
  /** Among what its parent shows, from 0. */
  readonly position: number;
  isOpen = false;
  /** A string that holds JSON, shown as the text it is. */
  isPlainText = false;
  #keys: readonly string[] | null = null;
  #embedded: unknown;
  #hasLooked = false;
  #children: (TreeNode | undefined)[] = [];

  constructor(of: Pick<TreeNode, "parent" | "key" | "value" | "position"> & { range?: TreeNode["range"] }) {
    this.parent = of.parent;
    this.key = of.key;
    this.value = of.value;
    this.position = of.position;
    this.range = of.range ?? null;
    this.depth = of.parent === null ? 0 : of.parent.depth + 1;
  }

  /** JSON that a string holds; undefined where it holds none. */
  embedded(): unknown {
    if (!this.#hasLooked) {
      this.#hasLooked = true;
      if (typeof this.value === "string" && this.value.length <= LONGEST_EMBEDDED) {
        this.#embedded = parseContainer(this.value);
      }
    }
    return this.#embedded;
  }

  /** Names of an object's members; null for an array. */
  keys(): readonly string[] | null {
    if (!isContainer(this.value) || Array.isArray(this.value)) return null;
    if (this.#keys === null) this.#keys = this.range === null ? Object.keys(this.value) : (this.parent?.keys() ?? []);
    return this.#keys;
  }

  /** Members it stands for. */
  get memberCount(): number {
    if (this.range !== null) return this.range.to - this.range.from;
    if (!isContainer(this.value)) return 0;
    return Array.isArray(this.value) ? this.value.length : (this.keys()?.length ?? 0);
  }

  /** Nodes directly below: members, ranges of them, or the JSON within. The lines of a text are no nodes. */
  get childCount(): number {
    if (typeof this.value === "string") return !this.isPlainText && this.embedded() !== undefined ? 1 : 0;
    const size = rangeSize(this.memberCount);
    return size === 1 ? this.memberCount : Math.ceil(this.memberCount / size);
  }

  /** The node below at a position, made when it is asked for. */
  child(position: number): TreeNode {
    const known = this.#children[position];
    if (known !== undefined) return known;
    const node = this.#make(position);
    this.#children[position] = node;
    return node;
  }

  /** The node of a member, by its number among all members; goes through ranges. */
  member(index: number): TreeNode {
    let node: TreeNode = this;
    for (;;) {
      const size = rangeSize(node.memberCount);
      const offset = index - (node.range?.from ?? 0);
      const next = node.child(size === 1 ? offset : Math.floor(offset / size));
      if (size === 1) return next;
      node = next;
    }
  }

  /** From the root to here. */
  path(): PathStep[] {
    const steps: PathStep[] = [];
    for (let node: TreeNode | null = this; node !== null; node = node.parent) {
      if (node.key !== null) steps.push(node.key);
      else if (node.range === null && node.parent !== null) steps.push({ within: "json" });
    }
    return steps.reverse();
  }

  /** What it stands for, as a value to copy: of a range only its members. */
  shownValue(): unknown {
    const { range, value } = this;
    if (range === null || !isContainer(value)) return value;
    if (Array.isArray(value)) return value.slice(range.from, range.to);
    const keys = (this.keys() ?? []).slice(range.from, range.to);
    return Object.fromEntries(keys.map((key) => [key, (value as Record<string, unknown>)[key]]));
  }

  #make(position: number): TreeNode {
    if (typeof this.value === "string") {
      return new TreeNode({ parent: this, key: null, value: this.embedded(), position });
    }
    const size = rangeSize(this.memberCount);
    const from = (this.range?.from ?? 0) + position * size;
    if (size > 1) {
      const end = this.range?.to ?? this.memberCount;
      return new TreeNode({
        parent: this,
        key: null,
        value: this.value,
        position,
        range: { from, to: Math.min(end, from + size) },
      });
    }
    const key = this.keys()?.[from];
    const value =
      key === undefined ? (this.value as readonly unknown[])[from] : (this.value as Record<string, unknown>)[key];
    return new TreeNode({ parent: this, key: key ?? from, value, position });
  }
}

/** Text longer than this is not tried as JSON, UTF-16 units. */
const LONGEST_EMBEDDED = 4_000_000;
/** Containers with more members show ranges. */
const MOST_MEMBERS = 1000;

/** How many members one node below stands for. */
function rangeSize(members: number): number {
  let size = 1;
  while (members / size > MOST_MEMBERS) size *= 100;
  return size;
}
