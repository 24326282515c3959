/**
 * The control server's recorder without its server: hooks, transcript rows and proxies' reports in, the folded runs out. The
 * store is a list of what was committed, from which another recorder can go on.
 */

import type { ProxyStep, ProxyTold } from "../../src/control/recorder.ts";
import { adoptRun } from "../../src/control/sessions/adoption.ts";
import { Housekeeping } from "../../src/control/sessions/housekeeping.ts";
import { SessionRecorder } from "../../src/control/sessions/session-recorder.ts";
import type { SessionAbout, SessionState } from "../../src/control/sessions/session-state.ts";
import type { HookAnswer, HookReport, ProxyRegistration } from "../../src/core/control-wire.ts";
import { routeOf } from "../../src/core/control-wire.ts";
import { foldRun } from "../../src/core/fold.ts";
import type { RedactedText } from "../../src/core/redacted.ts";
import type { Run, Step } from "../../src/core/run.ts";
import { readClaudeCodeHook } from "../../src/hooks/claude-code.ts";
import { TranscriptReader } from "../../src/hooks/transcript-reader.ts";
import { redactJson, redactText, trustedText } from "../../src/redact/redact.ts";
import type { BookEntry, JournalEntry, StoreEntry } from "../../src/store/entry.ts";
import { FakeFile } from "./transcript-fixture.ts";
import { eventOf } from "./wire-fixture.ts";

export const NOW = 1_795_528_800_000;

type Raw = Record<string, unknown>;

export class RecorderDesk {
  recorder: SessionRecorder;
  housekeeping: Housekeeping;
  /** What was committed, in order. */
  readonly committed: StoreEntry[] = [];
  /** While true, the store takes nothing. */
  refuses = false;
  /** Another writer holds the store: so many commits fail. */
  busyFor = 0;
  /** So much waits that nothing more is taken in. */
  isFull = false;
  /** A newer program has taken over the store. */
  isDisabled = false;
  now = NOW;
  /** Processes that are gone. */
  readonly dead = new Set<number>();
  /** Processes of which the pid belongs to another one by now. */
  readonly recycled = new Set<number>();
  /** Start times of hosts that differ from "boot/3". */
  readonly startedAt = new Map<number, string | null>();
  /** How often the store was asked to remove what is old, and how many more passes that takes each time. */
  pruned = 0;
  passesLeft = 0;
  /** Bytes that one look at a transcript reads at most. */
  maxPollBytes: number | undefined;
  readonly #waiting: StoreEntry[] = [];
  readonly #transcripts = new Map<string, FakeFile>();
  #servers = 0;
  #ids = 0;
  #reports = 0;

  constructor() {
    this.recorder = this.#newRecorder();
    this.housekeeping = this.#newHousekeeping();
  }

  /** The process of the server that is there now. */
  get owner() {
    return { pid: 4242 + this.#servers, startedAt: "boot/1" };
  }

  /** The server is killed, and another one begins where it stood. */
  restart(): void {
    this.#waiting.length = 0;
    this.#servers++;
    this.recorder = this.#newRecorder();
    this.housekeeping = this.#newHousekeeping();
    const held = new Map<string, { at: number; body: string }>();
    for (const entry of this.#books()) {
      if (entry.book === "held") held.set(entry.id, entry);
      else if (entry.book === "released") held.delete(entry.id);
    }
    const open = [...this.sessionBooks().values()].filter(({ isOpen }) => isOpen);
    this.recorder.resume({ sessions: open.map(({ state }) => state), held: [...held.values()] });
  }

  /** What is kept of each session. */
  sessionBooks(): Map<string, { isOpen: boolean; state: string }> {
    const states = new Map<string, { isOpen: boolean; state: string }>();
    for (const entry of this.#books()) if (entry.book === "session") states.set(entry.key, entry);
    return states;
  }

  /** What the store knows of a session. */
  kept(key: string): SessionState {
    const state = this.sessionBooks().get(key)?.state;
    if (state === undefined) throw new Error(`nothing is kept of session ${key}`);
    return JSON.parse(state) as SessionState;
  }

  about(key: string): SessionAbout {
    return this.kept(key).about;
  }

  /** Time passes, and the server looks after what nobody asks it for. */
  async wait(ms: number): Promise<void> {
    this.now += ms;
    await this.housekeeping.tick(this.now);
  }

  /** A hook of Claude Code runs, with this JSON on its stdin. */
  async hook(payload: Raw, more: Partial<HookReport> = {}): Promise<HookAnswer> {
    return await this.report(this.reportOf(payload, more));
  }

  reportOf(payload: Raw, more: Partial<HookReport> = {}): HookReport {
    const reading = readClaudeCodeHook(JSON.stringify(payload));
    const told = reading.kind === "malformed" ? { fact: null, malformed: reading } : { fact: null, malformed: null };
    return {
      reportId: this.id(),
      at: this.now,
      app: "claude-code",
      appVersion: "2.1.332",
      hostPid: 77,
      projectDir: null,
      argsHash: null,
      mayInject: false,
      ...told,
      ...(reading.kind === "fact" ? { fact: reading.fact } : {}),
      ...more,
    };
  }

  /** The id of a report. */
  id(): RedactedText {
    return trustedText(`report-${++this.#reports}`);
  }

  async report(report: HookReport): Promise<HookAnswer> {
    return await this.recorder.takeHook(routeOf(report.fact?.kind ?? "prompt-submitted"), report);
  }

  /** The transcript at this path; it is there once something is written to it. */
  transcript(path: string): FakeFile {
    let file = this.#transcripts.get(path);
    if (file === undefined) {
      file = new FakeFile(null);
      this.#transcripts.set(path, file);
    }
    return file;
  }

  row(path: string, row: Raw): void {
    this.transcript(path).append(`${JSON.stringify({ timestamp: new Date(this.now).toISOString(), ...row })}\n`);
  }

  proxy(registration: Partial<ProxyRegistration> = {}): string {
    return this.recorder.register({
      serverName: "files",
      pid: 900,
      processStartedAt: "boot/2",
      hostPid: 77,
      cwd: "/project",
      projectDir: null,
      sessionId: "s1",
      client: { name: "claude-code", version: "2.1.332" },
      ...registration,
    });
  }

  /** A call as a proxy tells it. */
  step(step: Partial<Omit<ProxyStep, "args" | "result">> & { args?: unknown; result?: unknown } = {}): ProxyStep {
    const { args = {}, result = { content: [] }, ...more } = step;
    const reportId = this.id();
    const toolName = step.toolName ?? trustedText("read");
    return {
      kind: "step",
      reportId,
      callRef: reportId,
      serverName: trustedText("files"),
      toolName,
      qualifiedName: trustedText(`mcp__files__${toolName}`),
      args: redactJson(JSON.stringify(args)),
      argsHash: null,
      result: result === null ? null : redactJson(JSON.stringify(result)),
      isError: false,
      errorMessage: null,
      rpcError: null,
      startedAt: this.now - 10,
      durationMs: 5.5,
      waitingMs: 0,
      progress: 0,
      status: "ok",
      hostCallId: null,
      injectedId: null,
      sessionId: null,
      hostMeta: null,
      legs: 1,
      truncated: false,
      isAmbiguous: false,
      ...more,
    };
  }

  async tell(proxyId: string, ...told: ProxyTold[]): Promise<boolean> {
    return await this.recorder.takeProxy(proxyId, told);
  }

  /** Every run that is in the store, in the order they were opened. */
  runs(): Run[] {
    const byRun = new Map<string, JournalEntry[]>();
    for (const entry of this.committed) {
      if ("book" in entry) continue;
      byRun.set(entry.head.runId, [...(byRun.get(entry.head.runId) ?? []), entry]);
    }
    return [...byRun.values()].map((entries) => {
      const run = foldRun(entries.map(eventOf));
      if (run === null) throw new Error("a run without its opening");
      return run;
    });
  }

  run(index = 0): Run {
    const run = this.runs()[index];
    if (run === undefined) throw new Error(`there is no run ${index}`);
    return run;
  }

  /** The only step, or the one at `index`. */
  stepOf(run = this.run(), index = 0): Step {
    const step = run.steps[index];
    if (step === undefined) throw new Error(`there is no step ${index}`);
    return step;
  }

  /** A run in a few words a line, in the order in which it reads. */
  told(run = this.run()): string[] {
    const parts = [
      ...run.steps.map((step) => ({ at: step.startedAt, step })),
      ...run.notes.map((note) => ({ at: note.at, note })),
    ];
    parts.sort((a, b) => a.at - b.at || seqOf(a) - seqOf(b));
    return parts.map((part) => {
      if ("note" in part) return `${agent(part.note)}${part.note.kind}: ${part.note.text}`;
      const { step } = part;
      return `${agent(step)}${step.qualifiedName} ${step.status} by ${step.sources.join("+")}${step.join === null ? "" : ` (${step.join})`}`;
    });
  }

  *#books(): Generator<BookEntry> {
    for (const entry of this.committed) if ("book" in entry) yield entry;
  }

  #newRecorder(): SessionRecorder {
    const { owner } = this;
    return new SessionRecorder({
      books: {
        hasReport: (id) => {
          for (const entry of this.#books()) if (entry.book === "report" && entry.id === id) return true;
          return false;
        },
        session: (key) => this.sessionBooks().get(key)?.state ?? null,
      },
      commits: this.#commits(),
      services: {
        owner,
        newId: (prefix) => trustedText(`${prefix}_${++this.#ids}`),
        loadRun: (state, sessionKey, services) => {
          const events = this.committed.flatMap((entry) =>
            "head" in entry && entry.head.runId === state.id ? [eventOf(asRead(entry))] : [],
          );
          return adoptRun(state, sessionKey, events, services, { owner, now: this.now });
        },
        openTranscript: ({ path, agentId, since, offset }) => {
          const file = this.transcript(agentId === null ? path : `${path}#${agentId}`);
          return new TranscriptReader(file, {
            since,
            offset,
            ...(agentId === null ? {} : { agentId: redactText(agentId) }),
            ...(this.maxPollBytes === undefined ? {} : { maxPollBytes: this.maxPollBytes }),
          });
        },
      },
      now: () => this.now,
      processStartedAt: (pid) => (this.startedAt.has(pid) ? (this.startedAt.get(pid) ?? null) : "boot/3"),
    });
  }

  #newHousekeeping(): Housekeeping {
    const prune = () => {
      this.pruned++;
      return this.passesLeft-- <= 0;
    };
    const care = { checkpoint: () => {}, prune };
    const processes = {
      isThere: (pid: number) => !this.dead.has(pid),
      isSame: (pid: number) => !this.recycled.has(pid),
    };
    return new Housekeeping(this.recorder, care, processes, this.now);
  }

  /** Each server has its own: one that was killed commits nothing more. */
  #commits() {
    const desk = this;
    const server = this.#servers;
    return {
      get isFull() {
        return desk.isFull;
      },
      get disabled() {
        return desk.isDisabled;
      },
      get pendingEntries() {
        return desk.#waiting.length;
      },
      addUnit: (entries: readonly StoreEntry[]) => {
        if (this.isDisabled) return;
        if (server === this.#servers) this.#waiting.push(...entries);
      },
      flush: () => {
        if (this.refuses || server !== this.#servers) return 250;
        if (this.#waiting.length > 0 && this.busyFor > 0) {
          this.busyFor--;
          return 10;
        }
        this.committed.push(...this.#waiting.splice(0));
        return null;
      },
    };
  }
}

/** Of payloads the store gives only the arguments of calls without an id of the host's. */
function asRead({ head, payload }: JournalEntry): JournalEntry {
  const isOpening = head.type === "step.opened" || head.type === "step.updated";
  return { head, payload: isOpening && head.callId == null ? payload : null };
}

function seqOf(part: { step: Step } | { note: Run["notes"][number] }): number {
  return "step" in part ? part.step.seq : part.note.seq;
}

function agent({ agentId }: { agentId: string | null }): string {
  return agentId === null ? "" : `[${agentId}] `;
}
