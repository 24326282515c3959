import { existsSync } from "node:fs";
import { isSet } from "../kit/env.ts";
import { debug, logDegraded } from "../kit/log.ts";
import { offSwitchPaths } from "../kit/off-switch.ts";
import { configureRedaction, trustedText } from "../redact/redact.ts";
import { CallTracker } from "./call-tracker.ts";
import type { InjectedIds } from "./injection/injected-ids.ts";
import type { MessageObserver, ObservedMessage } from "./observed-message.ts";
import { OwnRun } from "./tiers/own-run.ts";
import { isSetUpFor } from "./tiers/server-meant.ts";
import { ServerTier, spoolReports } from "./tiers/server-tier.ts";
import { type SessionFacts, sessionFacts } from "./tiers/session-facts.ts";
import { TieredRecorder } from "./tiers/tiered-recorder.ts";

/**
 * Recording, put together: tracker → where the call is recorded, by the control server or in a run of our own. Loaded only
 * once a call has passed. Whatever goes wrong in here ends as a log line and a counted loss.
 */

export interface RecordingOptions {
  serverName: string;
  /** Never tells a server. */
  isStandalone: boolean;
  /** Records only where recording was set up for the directory. */
  isUserScope: boolean;
  injectedIds: InjectedIds | null;
}

/** How often the off switches are looked at while there is traffic. */
const SWITCH_CHECK_MS = 200;
/** How often it is looked, while there is traffic, whether recording has been set up for the directory. */
const SCOPE_CHECK_MS = 15_000;
/** While the server is behind, looking goes on after this long. */
const BEHIND_PAUSE_MS = 2;
const COMMIT_PAUSE_MS = 40;
/** Copies of what has passed may wait for the server up to this size. */
const MOST_UNSEEN_BYTES = 16 * 1024 * 1024;

export class Recording {
  readonly #session: SessionFacts;
  readonly #offSwitches: readonly string[];
  readonly #own: OwnRun;
  readonly #recorder: TieredRecorder;
  readonly #server: ServerTier | null;
  readonly #tracker: CallTracker;
  readonly #injectedIds: InjectedIds | null;
  readonly #fault: (cause: unknown) => void;
  #isOn = true;
  #isInScope: boolean;
  /** Epoch ms; minus infinity while it was never off. */
  #onSince = Number.NEGATIVE_INFINITY;
  /** The handshake, while nothing is recorded. */
  #handshake: ObservedMessage | null = null;
  /** Messages that could not be recorded since the last commit. */
  #faults = 0;
  /** What was moved to the run of our own is committed by this, since nothing need pass. */
  #ownTimer: ReturnType<typeof setTimeout> | null = null;
  #nextSwitchCheck = 0;
  #nextScopeCheck = 0;

  /** `fault` is told of a fault of ours that shows later. */
  constructor(
    { serverName, isStandalone, isUserScope, injectedIds }: RecordingOptions,
    fault: (cause: unknown) => void,
  ) {
    this.#fault = fault;
    configureRedaction({ legacyKeys: isSet("BIR_REDACT_LEGACY_KEYS") });
    this.#session = sessionFacts(serverName);
    this.#offSwitches = offSwitchPaths(this.#session.cwd);
    this.#own = new OwnRun(this.#session);
    this.#recorder = new TieredRecorder({
      own: this.#own.assembler,
      tier: isStandalone ? "own" : "server",
      newId: () => Bun.randomUUIDv7(),
      spool: (reports) => spoolReports(this.#session, this.#recorder, reports),
      onWaiting: () => this.#server?.waits(),
      onOverflow: () => this.#server?.overflowed(),
      onFault: fault,
    });
    this.#server = isStandalone
      ? null
      : new ServerTier(this.#session, this.#recorder, { worked: () => this.#commitSoon(), fault });
    const hashKey = () => this.#server?.token ?? null;
    this.#tracker = new CallTracker(this.#recorder, serverName, { hashKey, injectedIds });
    this.#injectedIds = injectedIds;
    this.#isInScope = !isUserScope;
  }

  /** Looks at what passes, unless nothing is to be recorded. */
  readonly observer: MessageObserver = {
    see: (observed) => {
      if (this.#isWatching && observed.at >= this.#onSince) this.#tracker.see(observed);
      else this.#passUnseen(observed);
    },
    seeUnreadable: (direction, totalBytes, at, truncated) => {
      if (!this.#isWatching || at < this.#onSince) return;
      this.#tracker.seeUnreadable(direction, totalBytes, at, truncated);
    },
  };

  get #isWatching(): boolean {
    return this.#isOn && this.#isInScope && !this.#own.isDisabled;
  }

  /** A fault of ours in looking at a message: the message has passed; it is counted as lost. */
  countFault(): void {
    this.#faults++;
  }

  #tellFaults(): void {
    if (this.#faults > 0) this.#recorder.gap(trustedText("DEG-15 recorder-fault"), this.#faults, Date.now());
    this.#faults = 0;
  }

  /** Looks at the switches, now and then. What passed before they were seen to be on is not recorded. */
  followSwitches(): void {
    const now = performance.now();
    if (now < this.#nextSwitchCheck) return;
    this.#nextSwitchCheck = now + SWITCH_CHECK_MS;
    const isOn = !isSet("BIR_OFF") && !this.#offSwitches.some((path) => existsSync(path));
    if (isOn === this.#isOn) return;
    this.#isOn = isOn;
    if (isOn) this.#onSince = performance.timeOrigin + performance.now();
    // Where nothing would be recorded, nobody need know.
    if (!this.#isInScope) return;
    logDegraded("DEG-12", isOn ? "recording is switched on again" : "recording is switched off");
    if (!isOn) this.#tracker.pause(Date.now());
  }

  /** Something passes: follows the switches, and sees whether there is a server. */
  async noteTraffic(): Promise<void> {
    this.followSwitches();
    const now = performance.now();
    if (!this.#isInScope && now >= this.#nextScopeCheck) {
      this.#nextScopeCheck = now + SCOPE_CHECK_MS;
      await this.#lookForScope();
    }
    // A server that is there only to send is no reason to begin another run in the middle of this one.
    if (this.#isWatching && !this.#own.isForwarded) this.#server?.noteTraffic();
  }

  /** True while so much waits to be recorded that looking at more, of which `unseenBytes` wait, has to wait, too. */
  isFull(unseenBytes: number): boolean {
    return this.#own.isFull || ((this.#server?.isBehind ?? false) && unseenBytes < MOST_UNSEEN_BYTES);
  }

  /** Does what is due. Answers when to come back, in ms, or null. */
  commit(): number | null {
    this.#tellFaults();
    const againMs = this.#own.commit();
    return againMs === null && this.#server?.isBehind ? BEHIND_PAUSE_MS : againMs;
  }

  /** The session ends, and the process may be ended any moment: what is known is to get where it belongs. */
  ending(): void {
    this.#own.hurry();
    this.#server?.ending();
  }

  /** The server ended while the host was there. Told in the run, if one is open: what follows may not be its own. */
  serverEnded(status: number, becomes: "restarted" | "gone"): void {
    if (!this.#isWatching || !this.#recorder.isRecording) return;
    const next = becomes === "restarted" ? "it was started again" : "what follows was answered in its place";
    this.#recorder.warn(trustedText(`the server ended with status ${status}; ${next}`), Date.now());
  }

  /** The server died with calls under way; the host was told `unavailable` in its place. */
  upstreamDied(unavailable: string): void {
    if (this.#isWatching) this.#tracker.upstreamDied(Date.now(), unavailable);
  }

  /** Ends the record: hands over what is left, trying for at most `patienceMs`. */
  async close(how: "ended" | "failed", patienceMs: number): Promise<void> {
    const now = Date.now();
    const until = performance.now() + patienceMs;
    const status = this.#recorder.ownStatus(how);
    if (this.#isWatching) this.#tracker.end(now);
    this.#tellFaults();
    // Whatever goes wrong there, the run of our own is ended.
    await this.#server?.close(how, patienceMs).catch(this.#fault);
    if (this.#ownTimer !== null) clearTimeout(this.#ownTimer);
    this.#own.assembler.closeRun(status, now);
    await this.#own.close(until - performance.now());
  }

  #commitSoon(): void {
    if (this.#ownTimer !== null || !this.#own.isWaiting) return;
    this.#ownTimer = setTimeout(() => {
      this.#ownTimer = null;
      try {
        this.#own.commit();
      } catch (cause) {
        this.#fault(cause);
      }
      this.#commitSoon();
    }, COMMIT_PAUSE_MS);
  }

  /** Once it was set up it stays so for this session: a server that leaves takes its files with it. */
  async #lookForScope(): Promise<void> {
    this.#isInScope = await isSetUpFor(this.#session);
    debug("proxy", () => `recording was ${this.#isInScope ? "" : "not "}set up for this directory`);
    if (this.#isInScope && this.#handshake !== null) this.#tracker.learnClient(this.#handshake);
  }

  #passUnseen(observed: ObservedMessage): void {
    const { direction, message } = observed;
    if (direction !== "to-upstream" || message.kind !== "request") return;
    if (message.method === "initialize") this.#handshake = observed;
    else if (message.method === "tools/call") this.#injectedIds?.take(message.rawId ?? "null");
  }
}
