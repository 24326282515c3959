import type { RedactedText } from "../../core/redacted.ts";
import { log, logDegraded } from "../../kit/log.ts";
import { storePath } from "../../kit/paths.ts";
import { Assembler } from "../../record/assembler.ts";
import { Journal } from "../../record/journal.ts";
import { redactText, trustedText } from "../../redact/redact.ts";
import { SqliteStore, setCorruptStoreAside, storeIdentity } from "../../store/sqlite-store.ts";
import type { StoreError } from "../../store/store-error.ts";
import { Forwarding } from "./forwarding.ts";

/**
 * A run that this process writes by itself: assembler → journal → store. The store is opened with the first commit: a proxy
 * that reports to a server never does. Whatever goes wrong in here ends as a log line and a counted loss.
 */

/** Commits wait this long for company, unless much has gathered. */
const COMMIT_EVERY_MS = 40;
const COMMIT_BYTES = 512 * 1024;

export interface OwnRunFacts {
  serverName: string;
  cwd: string;
  processStartedAt: string;
  sessionId: RedactedText | null;
}

export class OwnRun {
  readonly assembler: Assembler;
  readonly #journal: Journal;
  readonly #forwarding = new Forwarding();
  #nextCommit = 0;

  constructor({ serverName, cwd, processStartedAt, sessionId }: OwnRunFacts) {
    const path = storePath();
    this.#journal = new Journal({
      store: {
        open: () => SqliteStore.open(path),
        identity: () => storeIdentity(path),
        setCorruptAside: (identity) => setCorruptStoreAside(path, identity, Date.now()),
      },
      reopening: () => this.assembler.reopeningEntries(),
      tellLoss: (reason, lost) => this.assembler.gap(trustedText(`DEG-13 ${reason}`), lost, Date.now()),
      report: (trouble, episode) => reportTrouble(path, trouble, episode),
    });
    this.assembler = new Assembler({
      tier: "standalone",
      cwd: redactText(cwd),
      owner: { pid: process.pid, startedAt: processStartedAt },
      serverName: redactText(serverName),
      sessionId,
      newId: (prefix) => trustedText(`${prefix}_${Bun.randomUUIDv7("hex").replaceAll("-", "")}`),
      write: (entry) => this.#journal.add(entry),
    });
  }

  /** True once the store turned out to be a newer program's: nothing can be recorded by this process. */
  get isDisabled(): boolean {
    return this.#journal.disabled;
  }

  get isWaiting(): boolean {
    return this.#journal.pendingEntries > 0;
  }

  /** True while so much waits to be committed that looking at more has to wait. */
  get isFull(): boolean {
    return this.#journal.pendingBytes > 2 * COMMIT_BYTES && !this.#journal.isRefused;
  }

  /** A server was started that sends what this run records. */
  get isForwarded(): boolean {
    return this.#forwarding.hasStarted;
  }

  /** The next commit is due at once. */
  hurry(): void {
    this.#nextCommit = 0;
  }

  /** Commits one batch when it is time. Answers when to come back, in ms, or null. */
  commit(): number | null {
    if (this.#journal.pendingEntries === 0) return null;
    const now = performance.now();
    const mayBeEarly = this.#journal.pendingBytes >= COMMIT_BYTES && !this.#journal.isRefused;
    if (now < this.#nextCommit && !mayBeEarly) return this.#nextCommit - now;
    const again = this.#journal.flush();
    if (!this.#journal.isRefused) this.#forwarding.recorded();
    this.#nextCommit = performance.now() + (again === null ? COMMIT_EVERY_MS : again);
    return again;
  }

  /** Commits what is left: all of it to a store that takes it, to another one trying for at most `patienceMs`. */
  async close(patienceMs: number): Promise<void> {
    const until = performance.now() + patienceMs;
    if (this.#journal.pendingEntries > 0) this.#forwarding.willRecord();
    for (let again = this.#journal.flush(); again !== null; again = this.#journal.flush()) {
      if (again === 0) continue;
      if (performance.now() + again > until) break;
      await Bun.sleep(again);
    }
    const isRefused = this.#journal.isRefused;
    const lost = this.#journal.close();
    if (!isRefused) await this.#forwarding.close();
    if (lost > 0) logDegraded("DEG-13", `${lost} call(s) could not be recorded: the store did not take them`);
  }
}

/** Each kind of trouble has its row in the degradation matrix. */
function reportTrouble(path: string, trouble: StoreError, episode: "began" | "ended"): void {
  if (episode === "ended") {
    if (trouble.failure !== "busy") log(`recording goes on: ${path} takes writes again`);
    return;
  }
  const what = {
    busy: "",
    full: `nothing can be written to ${path}: no space is left. Free some; recording goes on by itself`,
    corrupt: `${path} is damaged and was set aside beside it; recording goes on in a new one`,
    newer: `${path} was written by a newer version of bir, so this session is not recorded. Update bir`,
    rejected: "",
    unavailable: `${path} cannot be written (${trouble.message}). Check its directory; recording goes on by itself`,
  }[trouble.failure];
  if (what !== "") logDegraded("DEG-13", what);
}
