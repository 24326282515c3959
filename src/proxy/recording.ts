import type { RunStatus } from "../core/run.ts";
import { isSet } from "../kit/env.ts";
import { log, logDegraded } from "../kit/log.ts";
import { isSwitchedOff } from "../kit/off-switch.ts";
import { storePath } from "../kit/paths.ts";
import { processStartedAt } from "../kit/process-identity.ts";
import { Assembler } from "../record/assembler.ts";
import { Journal } from "../record/journal.ts";
import { configureRedaction, redactText, trustedText } from "../redact/redact.ts";
import { SqliteStore, setCorruptStoreAside, storeIdentity } from "../store/sqlite-store.ts";
import type { StoreError } from "../store/store-error.ts";
import { CallTracker } from "./call-tracker.ts";
import { SESSION_ID_VARIABLES } from "./host-keys.ts";
import type { MessageObserver } from "./observed-message.ts";

/**
 * Recording, put together: tracker → assembler → journal → store. Loaded only once something has passed. Whatever goes
 * wrong in here ends as a log line and a counted loss.
 */

/** How often the off switches are looked at while there is traffic. */
const SWITCH_CHECK_MS = 200;
/** Commits wait this long for company, unless much has gathered. */
const COMMIT_EVERY_MS = 40;
const COMMIT_BYTES = 512 * 1024;

export class Recording {
  readonly #assembler: Assembler;
  readonly #journal: Journal;
  readonly #tracker: CallTracker;
  readonly #cwd = process.cwd();
  #observing = true;
  /** Messages that could not be recorded since the last commit. */
  #faults = 0;
  #nextSwitchCheck = 0;
  #nextCommit = 0;

  constructor(serverName: string) {
    configureRedaction({ legacyKeys: isSet("BIR_REDACT_LEGACY_KEYS") });
    const path = storePath();
    this.#journal = new Journal({
      store: {
        open: () => SqliteStore.open(path),
        identity: () => storeIdentity(path),
        setCorruptAside: (identity) => setCorruptStoreAside(path, identity, Date.now()),
      },
      reopening: () => this.#assembler.reopeningEntries(),
      tellLoss: (reason, lost) => this.#assembler.gap(trustedText(`DEG-13 ${reason}`), lost, Date.now()),
      report: (trouble, episode) => reportTrouble(path, trouble, episode),
    });
    this.#assembler = new Assembler({
      tier: "standalone",
      cwd: redactText(this.#cwd),
      owner: { pid: process.pid, startedAt: processStartedAt(process.pid) ?? "unknown" },
      serverName: redactText(serverName),
      sessionId: sessionFromEnvironment(),
      newId: (prefix) => trustedText(`${prefix}_${Bun.randomUUIDv7("hex").replaceAll("-", "")}`),
      write: (entry) => this.#journal.add(entry),
    });
    this.#tracker = new CallTracker(this.#assembler, serverName);
  }

  /** Looks at what passes, unless recording is switched off. */
  readonly observer: MessageObserver = {
    see: (observed) => {
      if (this.#isWatching) this.#tracker.see(observed);
    },
    seeUnreadable: (...line) => {
      if (this.#isWatching) this.#tracker.seeUnreadable(...line);
    },
  };

  get #isWatching(): boolean {
    return this.#observing && !this.#journal.disabled;
  }

  /** A fault of ours in looking at a message: the message has passed; it is counted as lost. */
  countFault(): void {
    this.#faults++;
  }

  #tellFaults(): void {
    if (this.#faults > 0) this.#assembler.gap(trustedText("DEG-15 recorder-fault"), this.#faults, Date.now());
    this.#faults = 0;
  }

  /** Follows the off switches. */
  async followSwitches(): Promise<void> {
    const now = performance.now();
    if (now < this.#nextSwitchCheck) return;
    this.#nextSwitchCheck = now + SWITCH_CHECK_MS;
    const observing = !(await isSwitchedOff(this.#cwd));
    if (observing === this.#observing) return;
    this.#observing = observing;
    logDegraded("DEG-12", observing ? "recording is switched on again" : "recording is switched off");
    if (!observing) this.#tracker.pause(Date.now());
  }

  /** True while so much waits to be committed that looking at more has to wait. */
  get isFull(): boolean {
    return this.#journal.pendingBytes > 2 * COMMIT_BYTES && !this.#journal.isRefused;
  }

  /** Commits one batch when it is time. Answers when to come back, in ms, or null. */
  commit(): number | null {
    this.#tellFaults();
    if (this.#journal.pendingEntries === 0) return null;
    const now = performance.now();
    const mayBeEarly = this.#journal.pendingBytes >= COMMIT_BYTES && !this.#journal.isRefused;
    if (now < this.#nextCommit && !mayBeEarly) return this.#nextCommit - now;
    const again = this.#journal.flush();
    this.#nextCommit = performance.now() + (again === null ? COMMIT_EVERY_MS : again);
    return again;
  }

  /** The server ended while the host was there. Told in the run, if one is open: what follows may not be its own. */
  serverEnded(status: number, becomes: "restarted" | "gone"): void {
    if (!this.#isWatching || this.#assembler.runId === null) return;
    const next = becomes === "restarted" ? "it was started again" : "what follows was answered in its place";
    this.#assembler.warn(trustedText(`the server ended with status ${status}; ${next}`), Date.now());
  }

  /** The server died with calls under way; the host was told `unavailable` in its place. */
  upstreamDied(unavailable: string): void {
    if (this.#isWatching) this.#tracker.upstreamDied(Date.now(), unavailable);
  }

  /** Ends the run and commits what is left, trying for at most `patienceMs`. */
  async close(how: "ended" | "failed", patienceMs: number): Promise<void> {
    const now = Date.now();
    const status: RunStatus = how === "failed" ? "failed" : this.#assembler.openCalls > 0 ? "interrupted" : "completed";
    if (this.#isWatching) this.#tracker.end(now);
    this.#tellFaults();
    this.#assembler.closeRun(status, now);
    const until = performance.now() + patienceMs;
    for (let again = this.#journal.flush(); again !== null; again = this.#journal.flush()) {
      if (performance.now() + again > until) break;
      if (again > 0) await Bun.sleep(again);
    }
    const lost = this.#journal.close();
    if (lost > 0) logDegraded("DEG-13", `${lost} call(s) could not be recorded: the store did not take them`);
  }
}

function sessionFromEnvironment(): ReturnType<typeof redactText> | null {
  for (const name of SESSION_ID_VARIABLES) {
    const value = process.env[name];
    if (value) return redactText(value);
  }
  return null;
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
