/**
 * The recordings contract kept in memory, as strictly as it is written: ids are the client's, a repeat changes nothing, a run that
 * is not known is 404, an array is taken all or none. Faults come from a script.
 */

import { parseExact } from "../../../src/core/exact-json.ts";
import type { Answer } from "../../../src/sinks/base-in/service-client.ts";

/** What happens to a request, beside or instead of being taken. */
export type Fault =
  | "none"
  /** Nothing reached it, or nothing came back of what it did. */
  | "lost-before"
  | "lost-after"
  /** It forgets the run that the request is of. */
  | "forgets"
  /** The sender dies before it is sent, or before the answer is there. */
  | "killed-before"
  | "killed-after"
  | { status: number; retryAfterMs?: number; isPage?: boolean };

export interface Effect {
  kind: "run" | "row" | "patch" | "finish";
  id: string;
  body: Record<string, unknown>;
}

export interface KeptRun {
  effects: Effect[];
  ids: Set<string>;
}

type Body = Record<string, unknown> & { id?: string; bir?: { writeId?: string } };

export class MemoryService {
  readonly runs = new Map<string, KeptRun>();
  /** Rows and writes that are never taken: 422. */
  readonly refuses = new Set<string>();
  /** Rows and writes over which it stumbles: 500. */
  readonly stumblesOver = new Set<string>();
  /** Repeats that changed nothing. */
  repeats = 0;
  requests = 0;
  isBir = true;
  /** Decides about each request. */
  fault: (path: string) => Fault = () => "none";
  /** Called where the sender dies. */
  killed: () => void = () => {};

  async write(method: "POST" | "PATCH", path: string, json: string): Promise<Answer> {
    this.requests++;
    const fault = this.fault(path);
    if (fault === "killed-before") return await this.#kill();
    if (fault === "lost-before") return { kind: "none", why: "connection refused" };
    const [, , , runId = ""] = path.split("/");
    if (fault === "forgets") this.runs.delete(decodeURIComponent(runId));
    else if (fault !== "none" && typeof fault === "object")
      return status(fault.status, fault.retryAfterMs ?? null, fault.isPage);
    const answer = this.take(method, path, json);
    if (fault === "killed-after") return await this.#kill();
    return fault === "lost-after"
      ? { kind: "none", why: "the connection ended before the answer did" }
      : status(answer);
  }

  async ask(): Promise<Answer> {
    return { kind: "status", status: this.isBir ? 200 : 404, retryAfterMs: null, isOfBir: this.isBir, isPage: false };
  }

  /** The status that a request gets, once it has had its effect. */
  take(method: "POST" | "PATCH", path: string, json: string): number {
    const [, , , runPart, what, row] = path.split("/");
    const body = parseExact(json) as Body | Body[];
    if (runPart === undefined) return this.#create(body as Body);
    const run = this.runs.get(decodeURIComponent(runPart));
    if (run === undefined) return 404;
    if (what === "finish")
      return this.#effects(run, [{ kind: "finish", id: writeIdOf(body as Body), body: body as Body }]);
    if (method === "PATCH") {
      if (!run.ids.has(decodeURIComponent(row ?? ""))) return 404;
      return this.#effects(run, [{ kind: "patch", id: writeIdOf(body as Body), body: body as Body }]);
    }
    if (Array.isArray(body) && !this.isBir) return 400;
    const rows = Array.isArray(body) ? body : [body];
    return this.#effects(
      run,
      rows.map((row) => ({ kind: "row", id: row.id ?? "", body: row })),
    );
  }

  /** What a run consists of, in the order in which it took effect; without the run itself. */
  effectsOf(runId: string): Effect[] {
    return this.runs.get(runId)?.effects.filter(({ kind }) => kind !== "run") ?? [];
  }

  #create(body: Body): number {
    const id = body.id ?? "";
    if (this.refuses.has(id)) return 422;
    if (this.stumblesOver.has(id)) return 500;
    if (this.runs.has(id)) {
      this.repeats++;
      return 200;
    }
    this.runs.set(id, { effects: [{ kind: "run", id, body }], ids: new Set() });
    return 201;
  }

  #effects(run: KeptRun, effects: Effect[]): number {
    if (effects.some(({ id }) => this.refuses.has(id))) return 422;
    if (effects.some(({ id }) => this.stumblesOver.has(id))) return 500;
    for (const effect of effects) {
      if (run.ids.has(effect.id)) this.repeats++;
      else run.effects.push(effect);
      run.ids.add(effect.id);
    }
    return 200;
  }

  async #kill(): Promise<never> {
    this.killed();
    return await new Promise(() => {});
  }
}

function status(code: number, retryAfterMs: number | null = null, isPage = false): Answer {
  return { kind: "status", status: code, retryAfterMs, isOfBir: false, isPage };
}

function writeIdOf({ bir }: Body): string {
  return bir?.writeId ?? "";
}
