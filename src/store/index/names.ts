import type { IndexTables } from "./index-tables.ts";

/** Tools by number: each pair of a server and a tool once. */
export interface Name {
  server: string | null;
  tool: string;
}

export class Names {
  readonly #tables: IndexTables;
  readonly #ids = new Map<string, number>();

  constructor(tables: IndexTables) {
    this.#tables = tables;
  }

  /** The number of a tool, given to it where it has none; null for a call of which no name is known. */
  take({ server, tool }: Name): number | null {
    if (tool === "" && server === null) return null;
    const key = `${server === null ? "" : `${server}\0`}${tool}`;
    let id = this.#ids.get(key);
    if (id === undefined) {
      id = this.#find(server, tool) ?? this.#insert(server, tool);
      this.#ids.set(key, id);
    }
    return id;
  }

  name(id: number | null): Name {
    const found = id === null ? null : this.#tables.get<Name>("SELECT server, tool FROM names WHERE id = ?", id);
    return found ?? { server: null, tool: "" };
  }

  /** Remembers nothing: a transaction failed, or another process has written. */
  forget(): void {
    this.#ids.clear();
  }

  #find(server: string | null, tool: string): number | null {
    const sql = "SELECT id FROM names WHERE tool = ? AND server IS ?";
    return this.#tables.get<{ id: number }>(sql, tool, server)?.id ?? null;
  }

  #insert(server: string | null, tool: string): number {
    const sql = "INSERT INTO names (server, tool, server_key, tool_key) VALUES (?, ?, ?, ?) RETURNING id";
    return this.#tables.get<{ id: number }>(sql, server, tool, nameKey(server ?? ""), nameKey(tool))?.id ?? 0;
  }
}

/** How names are compared: without regard to case. */
export function nameKey(name: string): string {
  return name.toLowerCase();
}
