import type { StepJoin } from "../../../core/run.ts";
import { trustedText } from "../../../redact/redact.ts";
import type { ProxyStep } from "../../recorder.ts";
import type { BoundRun } from "../bound-run.ts";
import type { PlacedCall, Session } from "../session.ts";
import type { CallRecord } from "./call-record.ts";
import { endOf } from "./call-told.ts";
import { candidates, type SessionDirectory } from "./candidates.ts";
import type { HeldCall, HeldCalls } from "./held-calls.ts";
import type { Injections } from "./injections.ts";
import { isSameProcess, type ProxyPeer } from "./proxies.ts";
import { isJoinedTwin, mayBeSame, seenOnWire } from "./twins.ts";

/**
 * Gives calls that were seen on the wire their steps. A call waits for the host's word, since only that says whose it was: by
 * the host's own id of the call where both know it, by an id that we put into the arguments, or by server, tool and arguments.
 * Identical calls that nothing tells apart are marked, never guessed.
 */

/** A call in a session, and what says that it is the one on the wire. */
interface Match extends PlacedCall {
  session: Session;
  how: StepJoin;
}

/** Calls that have ended of which a report may still come late. */
const REMEMBERED_ENDED = 5_000;

export class WireCalls {
  readonly held: HeldCalls;
  readonly injections: Injections;
  readonly #directory: SessionDirectory;
  /** Calls that have ended, by the proxy's name for them; the newest. */
  readonly #ended = new Set<string>();

  constructor(directory: SessionDirectory, held: HeldCalls, injections: Injections) {
    this.#directory = directory;
    this.held = held;
    this.injections = injections;
  }

  /** Gives a call on the wire its step, or holds it until the host has told of it. */
  place(proxy: ProxyPeer, step: ProxyStep, now: number): void {
    if (this.#ended.has(step.callRef)) return;
    const sessions = candidates(this.#directory, proxy, step.sessionId, step.startedAt);
    const match = this.#onWire(step) ?? this.#match(step, sessions, now);
    if (match !== null) this.#told(proxy, step, match);
    else if (sessions.length > 0 || this.#isOfUnknownSession(proxy, step)) this.held.hold(proxy, step, now);
    else this.#open(proxy, step, this.#directory.unhooked(proxy, step.sessionId, step.startedAt));
  }

  /** The host told of a call: what the wire told of it before is waiting. */
  joinHeld(session: Session, run: BoundRun, call: CallRecord, at: number): void {
    const mine = this.held.all.filter((held) => this.#isFor(held, session));
    const { callId } = call;
    const named = callId === null ? undefined : mine.find(({ step }) => step.hostCallId === callId);
    if (named !== undefined) {
      this.#told(named.proxy, named.step, { session, run, call, how: "host-id" });
      return;
    }
    if (call.server === null) return;
    const found = mine.find(({ step }) => mayBeSame(call, step));
    if (found === undefined) return;
    if (found.isTwin) call.markAmbiguous(at);
    this.#markTwins(found.step, [session], call, at);
    this.#told(found.proxy, found.step, { session, run, call, how: "fingerprint" });
  }

  /** The host has not told of it: it stands in the run of its time, or where that is not certain in one of its proxy's own. */
  placeAlone({ proxy, step }: HeldCall): void {
    const sessions = candidates(this.#directory, proxy, step.sessionId, step.startedAt);
    const [only] = sessions;
    const isCertain = only !== undefined && sessions.length === 1;
    this.#open(proxy, step, isCertain ? only : this.#directory.unhooked(proxy, step.sessionId, step.startedAt));
  }

  /** Calls that have waited for long enough, `before` (epoch ms): one that runs on is only told of by its end. */
  placeOverdue(before: number, isRunning: (held: HeldCall) => boolean): void {
    for (const held of this.held.all) {
      const { proxy, step, since } = held;
      const hasSession = () => candidates(this.#directory, proxy, step.sessionId, step.startedAt).length > 0;
      if (since <= before && !(isRunning(held) && hasSession())) this.placeAlone(held);
    }
  }

  /** A proxy has left: no host will tell of its calls that has told of nothing else. */
  placeOf(proxy: ProxyPeer): void {
    for (const held of this.held.all) {
      const isHooked = candidates(this.#directory, proxy, held.step.sessionId, held.step.startedAt).length > 0;
      if (held.proxy === proxy && !isHooked) this.placeAlone(held);
    }
  }

  /** A session is over: calls that have ended and that can only belong to one run of it wait no longer. */
  placeHeldOf(session: Session): void {
    for (const held of this.#heldOf(session)) {
      if (held.step.durationMs !== null && session.onlyRunAt(held.step.startedAt) !== null) {
        this.#open(held.proxy, held.step, session);
      }
    }
  }

  /** Calls that have ended on the wire, and that hooks of this session are still to tell of. */
  stragglers(session: Session): number {
    return this.#heldOf(session).filter(({ step }) => step.durationMs !== null).length;
  }

  /** A call on the wire waits for what this session's host says of it. */
  isHeldFor(session: Session): boolean {
    return this.held.all.some((held) => this.#isFor(held, session));
  }

  /** Nothing was heard of the session that the host names: its hooks may be late. */
  #isOfUnknownSession(proxy: ProxyPeer, { sessionId }: ProxyStep): boolean {
    return sessionId === null && proxy.sessionId !== null && this.#directory.byId(proxy.sessionId) === undefined;
  }

  #heldOf(session: Session): HeldCall[] {
    return this.held.all.filter(({ proxy, step }) => {
      const [only, ...others] = candidates(this.#directory, proxy, step.sessionId, step.startedAt);
      return only === session && others.length === 0;
    });
  }

  #isFor({ proxy, step }: HeldCall, session: Session): boolean {
    return candidates(this.#directory, proxy, step.sessionId, step.startedAt).includes(session);
  }

  /** The step that the call got when it was told of while it ran. */
  #onWire(step: ProxyStep): Match | null {
    for (const session of this.#directory.inMemory()) {
      const placed = session.onWire.get(step.callRef);
      if (placed !== undefined) return { session, ...placed, how: placed.call.join ?? "host-id" };
    }
    return null;
  }

  /** The call that the host told of and that is this one on the wire. */
  #match(step: ProxyStep, sessions: readonly Session[], now: number): Match | null {
    if (step.hostCallId !== null) {
      for (const session of sessions) {
        const known = session.callOfTime(step.hostCallId, step.startedAt);
        if (known !== null) return { session, ...known, how: "host-id" };
      }
    }
    const injected = this.injections.of(step.injectedId);
    if (injected !== undefined) {
      const { session, call } = injected;
      const run = session.runs.find(({ calls }) => calls.has(call.place.stepId));
      if (run !== undefined) return { session, run, call, how: "injected-id" };
    }
    for (const session of sessions) {
      for (const run of session.runs) {
        for (const call of run.calls.values()) {
          if (!mayBeSame(call, step)) continue;
          this.#markTwins(step, sessions, call, now);
          return { session, run, call, how: "fingerprint" };
        }
      }
    }
    return null;
  }

  /** Marks all that nothing tells apart, if there is more than this call of the host and this one on the wire. */
  #markTwins(step: ProxyStep, sessions: readonly Session[], call: CallRecord, at: number): void {
    const calls = sessions.flatMap(({ runs }) => runs.flatMap((run) => [...run.calls.values()]));
    const alike = calls.filter((each) => each !== call && (mayBeSame(each, step) || isJoinedTwin(each, step)));
    const others = this.held.all.filter((held) => held.step.callRef !== step.callRef && mayBeSame(call, held.step));
    if (alike.length === 0 && others.length === 0) return;
    for (const each of [call, ...alike]) each.markAmbiguous(at);
    for (const other of others) this.held.markTwin(other);
  }

  #told(proxy: ProxyPeer, step: ProxyStep, { session, run, call, how }: Match): void {
    const at = step.startedAt + (step.durationMs ?? 0);
    call.learn(seenOnWire(step), "proxy", at, how);
    run.index(call);
    run.starts.settle(call.agentId ?? "");
    this.#take(proxy, step, { session, run, call });
  }

  #open(proxy: ProxyPeer, step: ProxyStep, session: Session): void {
    const at = step.startedAt;
    const known = step.hostCallId === null ? null : session.callOfTime(step.hostCallId, at);
    if (known !== null) {
      this.#told(proxy, step, { session, ...known, how: "host-id" });
      return;
    }
    // The main agent's, or one of an agent's in the background.
    const run = session.onlyRunAt(at) ?? session.runFor({ promptId: null, agentId: null, at });
    if (!session.about.isHooked) run.goOn(at);
    const call = run.openCall(session.services.newId("step"), seenOnWire(step), "proxy");
    this.#take(proxy, step, { session, run, call });
  }

  #take(proxy: ProxyPeer, step: ProxyStep, { session, run, call }: Omit<Match, "how">): void {
    const { callRef, startedAt, durationMs } = step;
    this.held.release(callRef);
    proxy.last = { sessionKey: session.key, runId: run.id };
    this.#serves(proxy, session);
    run.wrap(trustedText(proxy.serverName), startedAt);
    this.injections.listen(step, call);
    if (step.status === "running" || durationMs === null) {
      session.onWire.set(callRef, { run, call });
      return;
    }
    session.onWire.delete(callRef);
    this.#noteEnded(callRef);
    const { status, isError, errorMessage: error, rpcError, result, waitingMs, legs, progress, truncated } = step;
    const rest = { error, rpcError, result, durationMs, waitingMs, legs, progress, truncated };
    const join = step.isAmbiguous ? ("ambiguous" as const) : null;
    call.end(endOf({ status, isError, join, endedAt: startedAt + durationMs, ...rest }), "proxy");
  }

  /** Which session it serves is known also when this server is not there any more. */
  #serves(proxy: ProxyPeer, session: Session): void {
    for (const { about } of this.#directory.inMemory()) {
      if (about !== session.about) about.proxies = about.proxies.filter((each) => !isSameProcess(each, proxy));
    }
    const { proxies } = session.about;
    if (proxies.some((each) => isSameProcess(each, proxy))) return;
    const { pid, processStartedAt } = proxy;
    session.about.proxies = [...proxies, { pid, processStartedAt }];
  }

  #noteEnded(callRef: string): void {
    this.#ended.add(callRef);
    if (this.#ended.size <= REMEMBERED_ENDED) return;
    const [oldest] = this.#ended;
    if (oldest !== undefined) this.#ended.delete(oldest);
  }
}
