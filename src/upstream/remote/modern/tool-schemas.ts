import type { HeaderDeclaration } from "./header-annotations.ts";
import type { ToolsList } from "./tools-list.ts";

/**
 * What the tools of a server declare for headers, as its lists told it last. Keeps declarations, not schemas, and not more of them than
 * a bound; does no I/O and has no clock.
 */

/**
 * `stale` means that the server has said it changed, or that the time it gave is over: still the best that is known. `unknown` tools were
 * in no list, or in one that was too long to be remembered.
 */
export type KnownTool =
  | { state: "fresh" | "stale"; declarations: readonly HeaderDeclaration[] }
  | { state: "unknown"; declarations: readonly [] };

/** Names, paths and headers of all the tools together. */
const MOST_CHARACTERS = 4 * 1024 * 1024;
/** What a tool, or a declaration, counts for besides its own text. */
const OVERHEAD = 100;
const UNKNOWN: KnownTool = { state: "unknown", declarations: [] };

interface Entry {
  declarations: readonly HeaderDeclaration[];
  characters: number;
  freshUntilMs: number;
}

export class ToolSchemas {
  readonly #mostCharacters: number;
  readonly #tools = new Map<string, Entry>();
  #characters = 0;

  constructor(mostCharacters: number = MOST_CHARACTERS) {
    this.#mostCharacters = mostCharacters;
  }

  /** Takes one page of a list in: `isFirst` when it was asked for without a cursor, which starts anew. */
  learn(list: ToolsList, isFirst: boolean, nowMs: number): void {
    if (isFirst) {
      this.#tools.clear();
      this.#characters = 0;
    }
    for (const { name, annotations } of list.tools) {
      if (name === null) continue;
      this.#characters -= this.#tools.get(name)?.characters ?? 0;
      this.#tools.delete(name);
      const { declarations } = annotations;
      const characters = declarations.reduce((sum, declaration) => sum + sizeOf(declaration), name.length + OVERHEAD);
      if (this.#characters + characters > this.#mostCharacters) continue;
      this.#characters += characters;
      this.#tools.set(name, { declarations, characters, freshUntilMs: nowMs + list.ttlMs });
    }
  }

  /** The server's tools have changed (`notifications/tools/list_changed`), or a call was refused for its headers. */
  markStale(): void {
    for (const entry of this.#tools.values()) entry.freshUntilMs = Number.NEGATIVE_INFINITY;
  }

  /** True when any tool asks for a header. */
  get declaresAny(): boolean {
    return [...this.#tools.values()].some(({ declarations }) => declarations.length > 0);
  }

  /** What is known of the tool `name` at `nowMs`. */
  find(name: string, nowMs: number): KnownTool {
    const entry = this.#tools.get(name);
    if (entry === undefined) return UNKNOWN;
    return { state: nowMs < entry.freshUntilMs ? "fresh" : "stale", declarations: entry.declarations };
  }
}

function sizeOf({ name, path }: HeaderDeclaration): number {
  return path.reduce((sum, key) => sum + key.length, name.length + OVERHEAD);
}
