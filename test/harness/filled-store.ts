/**
 * Fills a store with runs as fast as it takes them, through the same writer that recorders use: what has to be large, or has to
 * have certain times, is made here and not recorded. Owns the shape of the runs; a run's content follows from its number.
 */

import { processStartedAt } from "../../src/kit/process-identity.ts";
import { RunWriter } from "../../src/record/run-writer.ts";
import { trustedJson, trustedText } from "../../src/redact/redact.ts";
import type { JournalEntry } from "../../src/store/entry.ts";
import { SqliteStore } from "../../src/store/sqlite-store.ts";

/** What is said and done in a run; every number is made of `n`. */
export interface RunPlan {
  n: number;
  startedAt: number;
  steps: number;
  /** It goes on: neither answered nor closed. */
  isOpen?: boolean;
  prompt?: string;
  answer?: string;
}

const TOOLS = [
  ["filesystem", "read_file"],
  ["filesystem", "write_file"],
  ["github", "search_issues"],
  ["postgres", "query"],
  ["browser", "navigate"],
] as const;
const BATCH = 2000;

/** A store that is being filled. */
export class FilledStore {
  readonly #store: SqliteStore;
  #batch: JournalEntry[] = [];

  constructor(path: string) {
    this.#store = SqliteStore.open(path);
  }

  /** Adds a run; answers its id. */
  add({ n, startedAt, steps, isOpen = false, prompt, answer }: RunPlan): string {
    const run = this.open(n, startedAt, prompt ?? `Task ${n}: look into the failing build of module ${n % 97}`);
    for (let step = 0; step < steps; step++) this.step(run, startedAt + 40 * (step + 1), step);
    if (!isOpen) {
      run.update(startedAt + 40 * steps + 50, { finalAnswer: trustedText(answer ?? `Done with task ${n}.`) });
      run.close("completed", startedAt + 40 * steps + 60);
    }
    return run.id;
  }

  /** Begins a run of this process. */
  open(n: number, startedAt: number, prompt: string): RunWriter {
    const id = trustedText(`run_${String(n).padStart(8, "0")}fedcba9876543210fedcba98`);
    const owner = { pid: process.pid, startedAt: processStartedAt(process.pid) ?? "unknown" };
    const host = { app: trustedText(n % 3 === 0 ? "codex" : "claude-code"), version: trustedText("2.1.332") };
    const facts = {
      id,
      tier: "bound" as const,
      cwd: trustedText(`/home/dev/project-${n % 20}`),
      owner,
      sessionId: trustedText(`session-${Math.floor(n / 3)}`),
      host,
      wrappedServers: [...new Set(TOOLS.map(([server]) => server))].map(trustedText),
    };
    const run = RunWriter.open(facts, startedAt, (entry) => this.#take(entry));
    run.update(startedAt, { input: trustedText(prompt) });
    return run;
  }

  /** Adds a call to a run. */
  step(run: RunWriter, at: number, n: number): void {
    const [server, tool] = TOOLS[n % TOOLS.length] ?? TOOLS[0];
    const stepId = trustedText(`step_${run.id.slice(4, 12)}_${n}`);
    const failed = n % 50 === 49;
    const args = { path: `/src/module-${n % 97}/file-${n}.ts`, query: `select ${n} from builds`, limit: n % 10 };
    const place = run.openStep(
      {
        stepId,
        sources: ["proxy", "hook"],
        server: trustedText(server),
        tool: trustedText(tool),
        qualifiedName: trustedText(`mcp__${server}__${tool}`),
        callId: trustedText(`toolu_${n}`),
        join: "host-id",
        agentId: null,
        hostMeta: null,
        startedAt: at,
        context: null,
        truncated: false,
      },
      trustedJson(JSON.stringify(args)),
    );
    const text = failed ? `no such file: ${args.path}` : `${n} lines of ${args.path}\n`.repeat(12);
    const closing = {
      status: failed ? ("error" as const) : ("ok" as const),
      isError: failed,
      error: failed ? trustedText(text) : null,
      rpcError: null,
      durationMs: 5 + (n % 30),
      waitingMs: 0,
      legs: 1,
      progress: 0,
      truncated: false,
      join: null,
    };
    run.closeStep(
      place,
      at + closing.durationMs,
      closing,
      trustedJson(JSON.stringify({ content: [{ type: "text", text }] })),
    );
  }

  /** Commits what was added. */
  commit(): void {
    if (this.#batch.length === 0) return;
    this.#store.append(this.#batch);
    this.#batch = [];
  }

  close(): void {
    this.commit();
    this.#store.close();
  }

  #take(entry: JournalEntry): void {
    this.#batch.push(entry);
    if (this.#batch.length >= BATCH) this.commit();
  }
}
