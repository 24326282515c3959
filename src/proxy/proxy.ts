import { debug, logDegraded, logDegradedOnce, logWritten } from "../kit/log.ts";
import { signalExitStatus } from "../upstream/exit-status.ts";
import { StartFailure } from "../upstream/stdio-process.ts";
import type { Upstream } from "../upstream/upstream.ts";
import { DownPump } from "./down-pump.ts";
import { Handshake } from "./handshake.ts";
import { HandshakeReplay } from "./handshake-replay.ts";
import { HostSide } from "./host-side.ts";
import { InFlight } from "./in-flight.ts";
import type { IdTaking } from "./injection/id-taking.ts";
import { LazyRecording } from "./lazy-recording.ts";
import type { ProxyOptions } from "./proxy-options.ts";
import type { RecordingOptions } from "./recording.ts";
import { passStderr } from "./stderr-prefix.ts";
import { leaveBlocking, type StopSignal, stopSignals } from "./tiers/own-process.ts";
import { unavailableAnswer, unavailableText } from "./unavailable.ts";
import { WireTap } from "./wire-tap.ts";

/**
 * The proxy: passes bytes both ways the moment they come, and ties the life of the server to the host's. What carries them on the
 * server's side is not known here. Nothing here waits for the record, and no byte that is passed on comes from it.
 */

/** After the host's EOF: this long until TERM, and again until KILL. */
const EOF_GRACE_MS = 2_000;
/** After a signal from the host: this long until KILL. Hosts themselves may kill us after 500 ms. */
const SIGNAL_GRACE_MS = 300;
/** How long a restarted server has to answer the repeated handshake. */
const HANDSHAKE_MS = 10_000;
/** When its server could not be started, a host's first request is waited for this long. */
const FIRST_REQUEST_MS = 1_000;
const FAILED_START_STATUS = 1;
/** While the server takes nothing, the host's process is looked at this often. */
const PARENT_CHECK_MS = 1_000;
/** How long the last commits may take at the end of a session. */
const CLOSE_PATIENCE_MS = 1_000;
const CLOSE_PATIENCE_ON_SIGNAL_MS = 150;
const STDERR_PATIENCE_MS = 100;
const NEWLINE = 0x0a;

/** Starts the server, then runs a proxy for it until the session is over; answers the exit status. */
export function runProxy(options: ProxyOptions): Promise<number> {
  const first = tryToStart(options.start);
  return new ProxySession(options, first).run();
}

class ProxySession {
  readonly #options: ProxyOptions;
  readonly #host: HostSide;
  readonly #inFlight = new InFlight();
  readonly #handshake = new Handshake();
  readonly #record: RecordingOptions;
  readonly #recording: LazyRecording;
  readonly #tap: WireTap;
  readonly #finished = Promise.withResolvers<number>();
  readonly #parentPid = process.ppid;
  #upstream: Upstream | null = null;
  #stderr: Promise<void> = Promise.resolve();
  #restarts = 0;
  /** The status of a server that is gone for good. */
  #goneStatus: number | null = null;
  /** While set, nothing from the host is passed on: the server is being replaced. */
  #gate: PromiseWithResolvers<void> | null = null;
  /** What was passed to the server last ends in the middle of a line. */
  #midLine = false;
  /** A line that began before a server that is gone: its rest is not for the next one. */
  #cutLine = false;
  /** The server ended by itself while the host was still there, or never was there. */
  #upstreamIsLost = false;
  #hostClosed = false;
  #stopSignal: StopSignal | null = null;

  /** `first` is the server as it was started, or why it could not be. */
  constructor(options: ProxyOptions, first: Upstream | StartFailure) {
    this.#options = options;
    this.#host = new HostSide();
    const { serverName, standalone: isStandalone, userScope: isUserScope } = options;
    this.#record = { serverName, isStandalone, isUserScope, injectedIds: null };
    this.#recording = new LazyRecording(this.#record, options.record);
    this.#tap = new WireTap([this.#inFlight, this.#handshake, this.#recording], this.#recording);
    for (const signal of stopSignals()) process.on(signal, () => this.#onSignal(signal));
    // Whatever else may go wrong in here: the session goes on.
    for (const event of ["uncaughtException", "unhandledRejection"]) {
      process.on(event, (cause: unknown) => this.#recording.fault(cause));
    }
    if (first instanceof StartFailure) this.#onFailedStart(first);
    else this.#attach(first, null);
  }

  /** Runs until the session is over; answers the exit status. */
  async run(): Promise<number> {
    void this.#passToUpstream();
    const status = await this.#finished.promise;
    this.#tap.stop();
    await this.#closeRecording(status);
    const stderrIsWritten = await Promise.race([
      Promise.all([this.#stderr, logWritten()]).then(() => true),
      Bun.sleep(STDERR_PATIENCE_MS).then(() => false),
    ]);
    leaveBlocking(stderrIsWritten ? [0, 1, 2] : [0, 1]);
    return status;
  }

  // From the host to the server.

  async #passToUpstream(): Promise<void> {
    const mostBytes = this.#options.takesIdsUpToBytes;
    const taking = mostBytes === null ? null : await this.#loadIdTaking(mostBytes);
    for (;;) {
      const bytes = await this.#host.read();
      if (bytes === null) break;
      await (taking === null ? this.#toUpstream(bytes) : taking.feed(bytes));
    }
    await taking?.end();
    this.#onHostClosed();
  }

  async #loadIdTaking(mostBytes: number): Promise<IdTaking> {
    const { IdTaking } = await import("./injection/id-taking.ts");
    const taking = new IdTaking(mostBytes, {
      toServer: (bytes) => this.#toUpstream(bytes),
      seen: (bytes) => this.#tap.feed("to-upstream", bytes),
      toHost: async (line) => {
        this.#host.insert(line);
        await this.#writeInserted();
      },
    });
    this.#record.injectedIds = taking.injectedIds;
    return taking;
  }

  #toUpstream(bytes: Uint8Array): Promise<void> {
    const upstream = this.#gate === null && !this.#cutLine ? this.#upstream : null;
    return upstream === null ? this.#toOtherUpstream(bytes) : this.#passOn(upstream, bytes);
  }

  /** The server is being replaced, or is gone. */
  async #toOtherUpstream(bytes: Uint8Array): Promise<void> {
    if (this.#gate !== null) await this.#gate.promise;
    const rest = this.#cutLine ? await this.#finishCutLine(bytes) : bytes;
    if (this.#upstream === null) await this.#answerInItsPlace(rest);
    else if (rest.length > 0) await this.#passOn(this.#upstream, rest);
  }

  /** Writes lines of ours that wait, unless a line of the server is in their way. */
  async #writeInserted(): Promise<void> {
    const lines = this.#host.takeInserted();
    if (lines === null) return;
    const taken = this.#host.write(lines);
    this.#tap.feed("to-host", lines);
    await taken;
  }

  async #passOn(upstream: Upstream, bytes: Uint8Array): Promise<void> {
    this.#midLine = bytes[bytes.length - 1] !== NEWLINE;
    const taken = upstream.write(bytes);
    this.#tap.feed("to-upstream", bytes);
    if (taken !== null) await this.#untilTaken(taken);
    // A server that no longer reads may still answer what it has got: only this direction is over.
    if (upstream.isDeaf) {
      logDegradedOnce("DEG-04", `server "${this.#options.serverName}" no longer reads its input`);
    }
  }

  /**
   * A server that does not read blocks this direction, and with it the sight of the host's end. So a host that is gone is
   * noticed by its process instead.
   */
  async #untilTaken(taken: Promise<void>): Promise<void> {
    const isTaken = taken.then(() => true);
    while (!(await Promise.race([isTaken, Bun.sleep(PARENT_CHECK_MS).then(() => false)]))) {
      if (process.ppid !== this.#parentPid) this.#onHostClosed();
    }
  }

  async #answerInItsPlace(bytes: Uint8Array): Promise<void> {
    if (bytes.length > 0) this.#tap.feed("to-upstream", bytes);
    const answered = await this.#answerUnanswered();
    if (answered > 0 && !this.#options.stayUp) this.#finish();
  }

  /** The line's rest goes nowhere; when it is complete, the request in it is answered in the dead server's place. */
  async #finishCutLine(bytes: Uint8Array): Promise<Uint8Array> {
    const end = bytes.indexOf(NEWLINE) + 1;
    this.#tap.feed("to-upstream", end === 0 ? bytes : bytes.subarray(0, end));
    if (end === 0) return new Uint8Array(0);
    this.#cutLine = false;
    await this.#answerUnanswered();
    return bytes.subarray(end);
  }

  async #answerUnanswered(): Promise<number> {
    if (this.#host.hasInserted) await this.#host.finishLine();
    await this.#writeInserted();
    this.#tap.drain();
    const requests = this.#inFlight.take();
    const { serverName } = this.#options;
    if (requests.length > 0) {
      await this.#host.writeLines(requests.map((request) => unavailableAnswer(request, serverName)).join(""));
    }
    await this.#recording.tell((recording) => recording.upstreamDied(unavailableText(serverName)));
    return requests.length;
  }

  // The server's life.

  #attach(upstream: Upstream, replay: HandshakeReplay | null): void {
    this.#upstream = upstream;
    debug("proxy", () => `server started as ${upstream.label}`);
    const filter = replay === null ? null : (bytes: Uint8Array) => replay.filter(bytes);
    const pump = new DownPump(upstream.output, this.#host, (bytes) => this.#tap.feed("to-host", bytes), filter);
    if (replay !== null) void replay.answered.then(() => pump.removeFilter());
    if (upstream.diagnostics !== null) this.#stderr = passStderr(upstream.diagnostics, this.#options.serverName);
    void upstream.gone.then(async (status) => {
      await Promise.all([pump.drained(), upstream.endRest(SIGNAL_GRACE_MS)]);
      await this.#onUpstreamGone(status);
    });
  }

  async #onUpstreamGone(status: number): Promise<void> {
    this.#upstream = null;
    this.#goneStatus = status;
    this.#upstreamIsLost = !this.#isStopping();
    this.#tap.end("to-host");
    if (this.#isStopping()) {
      this.#finish();
      return;
    }
    logDegraded("DEG-04", `server "${this.#options.serverName}" ended with status ${status}`);
    this.#cutLine = this.#midLine;
    this.#midLine = false;
    this.#gate ??= Promise.withResolvers();
    await this.#answerUnanswered();
    const restarts = this.#options.restart && this.#restarts === 0;
    if (restarts || this.#options.stayUp)
      await this.#recording.tell((it) => it.serverEnded(status, restarts ? "restarted" : "gone"));
    if (restarts) await this.#restart();
    if (this.#upstream === null && !this.#options.stayUp) this.#finish();
    this.#gate?.resolve();
    this.#gate = null;
  }

  /** Starts the server once more and repeats the handshake that its first life had seen. */
  async #restart(): Promise<void> {
    this.#restarts++;
    const initialize = this.#handshake.initializeLine();
    const replay = initialize === null ? null : new HandshakeReplay();
    const upstream = tryToStart(this.#options.start);
    if (upstream instanceof StartFailure) {
      this.#onFailedStart(upstream);
      return;
    }
    await this.#host.finishLine();
    this.#attach(upstream, replay);
    if (replay === null || initialize === null) return;
    await upstream.write(Buffer.from(initialize));
    const inTime = await Promise.race([
      replay.answered.then(() => true),
      upstream.gone.then(() => false),
      Bun.sleep(HANDSHAKE_MS).then(() => false),
    ]);
    if (inTime) await upstream.write(Buffer.from(this.#handshake.initializedLine() ?? ""));
    else upstream.signal("SIGKILL");
  }

  #onFailedStart(failure: StartFailure): void {
    logDegraded("DEG-04", failure.message);
    this.#goneStatus ??= FAILED_START_STATUS;
    this.#upstreamIsLost = true;
    if (!this.#options.stayUp) setTimeout(() => this.#finish(), FIRST_REQUEST_MS);
  }

  // The end of the session.

  #onHostClosed(): void {
    if (this.#hostClosed) return;
    this.#hostClosed = true;
    this.#tap.end("to-upstream");
    const upstream = this.#upstream;
    if (upstream === null) {
      this.#finish();
      return;
    }
    upstream.end();
    setTimeout(() => upstream.signal("SIGTERM"), EOF_GRACE_MS);
    setTimeout(() => upstream.signal("SIGKILL"), 2 * EOF_GRACE_MS);
  }

  #onSignal(signal: StopSignal): void {
    const upstream = this.#upstream;
    this.#stopSignal ??= signal;
    if (upstream === null) {
      this.#goneStatus ??= signalExitStatus(signal);
      this.#finish();
      return;
    }
    // First what is known goes where it lasts, since some hosts kill after 2 ms. Then each signal is passed on as it is.
    this.#recordNow();
    upstream.signal(signal);
    setTimeout(() => upstream.signal("SIGKILL"), SIGNAL_GRACE_MS);
    void this.#recording.tell((recording) => recording.commit());
  }

  #recordNow(): void {
    try {
      this.#recording.ending();
      this.#tap.drain();
      this.#recording.commit();
    } catch (cause) {
      this.#recording.fault(cause);
    }
  }

  #isStopping(): boolean {
    return this.#hostClosed || this.#stopSignal !== null || this.#host.gone;
  }

  #finish(): void {
    this.#finished.resolve(this.#goneStatus ?? FAILED_START_STATUS);
  }

  async #closeRecording(status: number): Promise<void> {
    const patienceMs = this.#stopSignal === null ? CLOSE_PATIENCE_MS : CLOSE_PATIENCE_ON_SIGNAL_MS;
    const how = this.#upstreamIsLost && status !== 0 ? "failed" : "ended";
    const until = performance.now() + patienceMs;
    this.#recording.ending();
    await this.#tap.drainPatiently(patienceMs);
    await this.#recording.tell((recording) => recording.close(how, Math.max(0, until - performance.now())));
  }
}

function tryToStart(start: () => Upstream): Upstream | StartFailure {
  try {
    return start();
  } catch (cause) {
    if (cause instanceof StartFailure) return cause;
    throw cause;
  }
}
