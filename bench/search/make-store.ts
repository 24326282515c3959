import { Database } from "bun:sqlite";
import { EVENT_VERSION } from "../../src/core/event.ts";
import { SqliteStore } from "../../src/store/sqlite-store.ts";
import { MadeText } from "./made-text.ts";

/** A large store of made-up runs, written straight into the tables as `SqliteStore` leaves them. */

export const TOOLS = Array.from({ length: 40 }, (_, n) => {
  const server = ["files", "git", "github", "weather", "browser", "shop", "database", "calendar"][n % 8] ?? "";
  const verb = ["read", "write", "list", "search", "delete"][Math.floor(n / 8)] ?? "";
  return { server, tool: `${verb}_${server}_${["item", "page", "entry"][n % 3]}` };
});

export const HOSTS = ["claude-code", "cursor", "codex", "gemini-cli", "zed"];

/** About 500 calls of about 1 KB a run; two runs at a time are recorded at once. */
const STEPS_A_RUN = 400;
const FIRST_START = Date.UTC(2026, 0, 1);

export function makeStore(path: string, steps: number, seed = 1): { runs: number } {
  SqliteStore.open(path).close();
  const db = new Database(path, { readwrite: true });
  db.run("PRAGMA synchronous = OFF");
  db.run("PRAGMA cache_size = -65536");
  try {
    const maker = new StoreMaker(db, new MadeText(seed));
    while (maker.steps < steps) {
      db.run("BEGIN");
      for (let n = 0; n < 10 && maker.steps < steps; n++) maker.twoRuns(Math.min(STEPS_A_RUN, steps - maker.steps));
      db.run("COMMIT");
      db.run("PRAGMA wal_checkpoint(TRUNCATE)");
    }
    return { runs: maker.runs };
  } finally {
    db.close();
  }
}

class StoreMaker {
  steps = 0;
  runs = 0;
  readonly #text: MadeText;
  readonly #statements: ReturnType<typeof prepare>;

  constructor(db: Database, text: MadeText) {
    this.#text = text;
    this.#statements = prepare(db);
  }

  twoRuns(steps: number): void {
    const [left, right] = [this.#open(), this.#open()];
    for (let n = 0; n < steps; n++) this.#call(n % 2 === 0 ? left : right, n);
    for (const { id, at } of [left, right]) {
      const status = this.#text.below(20) === 0 ? "failed" : "completed";
      const answer = this.#text.sentence(60);
      this.#event(id, steps, "run.updated", at + steps * 1000, { v: EVENT_VERSION, finalAnswer: answer }, null);
      this.#event(id, steps, "run.closed", at + steps * 1000, { v: EVENT_VERSION, status }, null);
      this.#statements.end.run(answer, status, at + steps * 1000, steps >> 1, id);
    }
  }

  #open(): { id: string; at: number } {
    const number = this.runs++;
    const at = FIRST_START + number * 300_000;
    const id = `run_${number.toString(16).padStart(12, "0")}${"0".repeat(20)}`;
    const host = { app: HOSTS[this.#text.below(20) === 0 ? 4 : this.#text.below(4)] ?? "", version: "1.0.0" };
    const input = this.#text.sentence(12);
    const owner = { pid: 1, startedAt: "gone" };
    const opened = { v: EVENT_VERSION, tier: "bound", cwd: "/home/ada/project", owner, sessionId: id, host };
    this.#event(id, 0, "run.opened", at, { ...opened, wrappedServers: [] }, null);
    this.#event(id, 0, "run.updated", at, { v: EVENT_VERSION, input }, null);
    this.#statements.run.run(id, id, host.app, host.version, at, input, this.#text.below(30) === 0 ? 1 : 0);
    return { id, at };
  }

  #call({ id, at }: { id: string; at: number }, n: number): void {
    const text = this.#text;
    const seq = n >> 1;
    const startedAt = at + n * 1000;
    const stepId = `step_${this.steps.toString(16).padStart(32, "0")}`;
    this.steps++;
    const { server, tool } = TOOLS[(text.below(3) * text.below(14)) % TOOLS.length] ?? { server: "", tool: "" };
    const isError = text.below(25) === 0;
    const args = JSON.stringify({ path: text.path(), query: text.sentence(6), limit: text.below(500), id: text.id() });
    const said = `${text.sentence(70)}\n${text.path()}\n${text.id()} ${text.sentence(25)}`;
    const result = JSON.stringify({ content: [{ type: "text", text: said }], ...(isError ? { isError } : {}) });
    const qualifiedName = `mcp__${server}__${tool}`;
    const callId = `toolu_${stepId.slice(-12)}`;
    const known = { sources: ["proxy", "hook"], server, tool, qualifiedName, callId, join: "host-id", agentId: null };
    const opened = { v: EVENT_VERSION, stepId, ...known, startedAt, context: null, truncated: false, hostMeta: {} };
    this.#event(id, seq, "step.opened", startedAt, opened, args);
    const status = isError ? "error" : "ok";
    const rest = { durationMs: 12.5, waitingMs: 0, legs: 1, progress: 0, truncated: false, join: null, rpcError: null };
    const closed = { v: EVENT_VERSION, stepId, status, isError, error: isError ? text.sentence(8) : null, ...rest };
    this.#event(id, seq, "step.closed", startedAt + 13, closed, result);
    this.#statements.step.run(stepId, id, seq, server, tool, qualifiedName, callId, status, isError ? 1 : 0, startedAt);
  }

  #event(runId: string, seq: number, type: string, at: number, body: object, payload: string | null): void {
    this.#statements.event.run(runId, seq, type, at, JSON.stringify(body), payload);
  }
}

function prepare(db: Database) {
  return {
    event: db.query("INSERT INTO events (run_id, seq, type, at, body, payload) VALUES (?, ?, ?, ?, ?, ?)"),
    run: db.query(
      `INSERT INTO runs (id, session_id, host_app, host_version, tier, cwd, status, started_at, wrapped_servers, owner_pid,
         owner_started_at, input, lossy) VALUES (?, ?, ?, ?, 'bound', '/home/ada/project', 'running', ?, '[]', 1, 'gone', ?, ?)`,
    ),
    end: db.query("UPDATE runs SET final_answer = ?, status = ?, ended_at = ?, step_count = ? WHERE id = ?"),
    step: db.query(
      `INSERT INTO steps (id, run_id, seq, server, tool, qualified_name, call_id, status, is_error, started_at, duration_ms)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 12.5)`,
    ),
  };
}
