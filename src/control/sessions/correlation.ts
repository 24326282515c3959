import type { RedactedText } from "../../core/redacted.ts";
import type { StepJoin } from "../../core/run.ts";
import { log } from "../../kit/log.ts";
import { trustedText } from "../../redact/redact.ts";
import type { ProxyStep } from "../recorder.ts";
import { type BoundRun, endOf } from "./bound-run.ts";
import type { CallRecord, CallSeen } from "./call-record.ts";
import type { HeldCall, HeldCalls } from "./held-calls.ts";
import type { HookedCall, HookedCalls } from "./hook-facts.ts";
import { type Proxies, type ProxyPeer, spelled } from "./proxies.ts";
import type { Session } from "./session.ts";
import type { CallDirectory, TranscribedCall } from "./transcript-facts.ts";

/**
 * Makes one step of what a proxy saw on the wire and what the host told of the same call. By the host's own id of the call
 * where both know it, by an id that we put into the arguments, or by server, tool and arguments; identical calls that nothing
 * tells apart are marked, never guessed. A call on the wire waits for the host's word, since only that says whose it was.
 */

/** Calls with equal arguments are the same one only within this time. */
const FINGERPRINT_MS = 10 * 60_000;

export interface SessionDirectory {
  /** Sessions of which hooks were heard, the newest first. */
  hooked(): Session[];
  byId(sessionId: string): Session | undefined;
  /** The session of a proxy whose host runs no hooks. */
  unhooked(proxy: ProxyPeer, sessionId: RedactedText | null, at: number): Session;
}

export class Correlation implements CallDirectory, HookedCalls {
  readonly #sessions: SessionDirectory;
  readonly #proxies: Proxies;
  readonly held: HeldCalls;
  /** Calls on the wire that have their step, by the proxy's name for them. */
  readonly #byRef = new Map<string, { session: Session; run: BoundRun; call: CallRecord }>();
  /** Ids that were given out to be put into arguments, and the call each was for. */
  readonly #injected = new Map<string, { session: Session; call: CallRecord; server: string }>();
  /** Servers to which an id was sent that never came back. */
  readonly #deaf = new Set<string>();

  constructor(sessions: SessionDirectory, proxies: Proxies, held: HeldCalls) {
    this.#sessions = sessions;
    this.#proxies = proxies;
    this.held = held;
  }

  // What the host tells.

  hooked(session: Session, run: BoundRun, seen: CallSeen, at: number): HookedCall {
    const found = this.#hostCall(session, run, seen, at);
    const call = found ?? run.openCall(session.services.newId("step"), seen, "hook");
    if (found !== null) found.learn(seen, "hook", at, call.join ?? "host-id");
    this.#joinHeld(session, run, call, at);
    run.starts.settle(call.agentId ?? "");
    return { run, call, end: (ended, isBetterExpected) => call.end(ended, "hook", isBetterExpected) };
  }

  transcribed(session: Session, run: BoundRun, callId: RedactedText, seen: CallSeen, at: number): TranscribedCall {
    const known = session.callById(callId);
    if (known !== null) {
      known.call.learn(seen, "transcript", at, known.call.join ?? "host-id");
      return known;
    }
    const unnamed = alone(this.#unnamed(run, seen, "transcript"));
    if (unnamed === null) {
      const call = run.openCall(session.services.newId("step"), seen, "transcript");
      this.#joinHeld(session, run, call, at);
      return { run, call };
    }
    unnamed.learn(seen, "transcript", at, unnamed.join ?? "fingerprint");
    run.reindex(unnamed);
    return { run, call: unnamed };
  }

  isProxied(session: Session, server: RedactedText | null): boolean {
    if (server === null) return false;
    const name = spelled(server);
    return this.#proxies.all.some((proxy) => spelled(proxy.serverName) === name && serves(proxy, session));
  }

  /** An id for the arguments of a call that is about to start; null where none must be put in. */
  inject(session: Session, call: CallRecord, server: RedactedText | null): string | null {
    if (server === null || this.#deaf.has(server) || !this.isProxied(session, server)) return null;
    const id = `bir_${crypto.randomUUID()}`;
    this.#injected.set(id, { session, call, server });
    return id;
  }

  // What a proxy tells.

  /** Gives a call on the wire its step, or holds it until the host has told of it. */
  place(proxy: ProxyPeer, step: ProxyStep, now: number): void {
    const placed = this.#byRef.get(step.callRef);
    if (placed !== undefined) {
      this.#told(proxy, step, placed.session, placed.run, placed.call, placed.call.join ?? "host-id");
      return;
    }
    const sessions = this.candidates(proxy, step.sessionId);
    const match = this.#wireCall(step, sessions, now);
    if (match !== null) {
      this.#told(proxy, step, match.session, match.run, match.call, match.how);
      return;
    }
    if (sessions.length > 0) this.held.hold(proxy, step, now);
    else this.#placeAlone(proxy, step, this.#sessions.unhooked(proxy, step.sessionId, step.startedAt), now);
  }

  /** Nothing more will be told of a session for now: what was held for it is put into the run of its time. */
  placeHeldOf(session: Session, now: number): void {
    for (const held of this.held.all) {
      const sessions = this.candidates(held.proxy, held.step.sessionId);
      if (sessions.length === 1 && sessions[0] === session) this.#placeAlone(held.proxy, held.step, session, now);
    }
  }

  /** The host never told of it: it stands in the run of its time, or where that is not certain in one of its proxy's own. */
  placeAlone({ proxy, step }: HeldCall, now: number): void {
    const sessions = this.candidates(proxy, step.sessionId);
    const [only] = sessions;
    const session =
      only !== undefined && sessions.length === 1
        ? only
        : this.#sessions.unhooked(proxy, step.sessionId, step.startedAt);
    this.#placeAlone(proxy, step, session, now);
  }

  /** The sessions that a call of this proxy can belong to, best known first. */
  candidates(proxy: ProxyPeer, sessionId: RedactedText | null): Session[] {
    const named = sessionId === null ? undefined : this.#sessions.byId(sessionId);
    if (named?.isHooked) return [named];
    // What the environment says is stale once the host has begun another session in the same process.
    const inherited = proxy.sessionId === null ? undefined : this.#sessions.byId(proxy.sessionId);
    if (inherited?.isHooked && !inherited.isEnded) return [inherited];
    const hooked = this.#sessions.hooked();
    const sameHost = hooked.filter(({ hostPid }) => hostPid !== null && hostPid === proxy.hostPid);
    const open = sameHost.filter(({ isEnded }) => !isEnded);
    if (open.length > 0) return open;
    if (sameHost.length > 0) return sameHost;
    const sameDirectory = hooked.filter((session) => !session.isEnded && isInDirectory(proxy, session));
    if (sameDirectory.length > 0) return sameDirectory;
    return inherited?.isHooked ? [inherited] : [];
  }

  /** Forgets what belongs to a session that is put away. */
  forget(session: Session): void {
    for (const [ref, placed] of this.#byRef) if (placed.session === session) this.#byRef.delete(ref);
    for (const [id, injected] of this.#injected) if (injected.session === session) this.#injected.delete(id);
  }

  #told(proxy: ProxyPeer, step: ProxyStep, session: Session, run: BoundRun, call: CallRecord, how: StepJoin): void {
    const at = step.startedAt + (step.durationMs ?? 0);
    call.learn(seenOnWire(step), "proxy", at, how);
    run.reindex(call);
    run.starts.settle(call.agentId ?? "");
    this.#take(proxy, step, session, run, call, at);
  }

  #placeAlone(proxy: ProxyPeer, step: ProxyStep, session: Session, now: number): void {
    const at = step.startedAt;
    const known = step.hostCallId === null ? null : session.callById(step.hostCallId);
    if (known !== null) {
      this.#told(proxy, step, session, known.run, known.call, "host-id");
      return;
    }
    const run = session.runFor({ promptId: null, agentId: null, at });
    if (!run.isOpen && !session.isHooked) run.goOn(now);
    const call = run.openCall(session.services.newId("step"), seenOnWire(step), "proxy");
    this.#take(proxy, step, session, run, call, at);
  }

  #take(proxy: ProxyPeer, step: ProxyStep, session: Session, run: BoundRun, call: CallRecord, at: number): void {
    this.held.release(step.callRef);
    this.#byRef.set(step.callRef, { session, run, call });
    proxy.last = { sessionKey: session.key, runId: run.id };
    run.wrap(trustedText(proxy.serverName), at);
    if (proxy.hostHookCalls > 0) {
      run.countHostHookCalls(proxy.hostHookCalls, at);
      proxy.hostHookCalls = 0;
    }
    this.#listenForEcho(step, call);
    if (step.status === "running" || step.durationMs === null) return;
    const {
      status,
      isError,
      errorMessage: error,
      rpcError,
      result,
      durationMs,
      waitingMs,
      legs,
      progress,
      truncated,
    } = step;
    const rest = { error, rpcError, result, durationMs, waitingMs, legs, progress, truncated };
    const join = step.isAmbiguous ? ("ambiguous" as const) : null;
    call.end(endOf({ status, isError, join, endedAt: step.startedAt + durationMs, ...rest }), "proxy");
  }

  /** An id that was put into the arguments of this call must have come with it. */
  #listenForEcho(step: ProxyStep, call: CallRecord): void {
    for (const [id, injected] of this.#injected) {
      if (injected.call !== call) continue;
      this.#injected.delete(id);
      if (step.injectedId === id || this.#deaf.has(injected.server)) continue;
      this.#deaf.add(injected.server);
      log(
        `no id is put into calls to server ${JSON.stringify(injected.server)} any more: it did not come through (DEG-11)`,
      );
    }
  }

  /** The call that the host told of and that is this one on the wire. */
  #wireCall(step: ProxyStep, sessions: readonly Session[], now: number): WireMatch | null {
    const injected = step.injectedId === null ? undefined : this.#injected.get(step.injectedId);
    if (step.hostCallId !== null) {
      for (const session of sessions) {
        const known = session.callById(step.hostCallId);
        if (known !== null) return { session, ...known, how: "host-id" };
      }
    }
    if (injected !== undefined) {
      const run = injected.session.runs.find(({ calls }) => calls.has(injected.call.place.stepId));
      if (run !== undefined) return { session: injected.session, run, call: injected.call, how: "injected-id" };
    }
    if (step.hostCallId !== null) return null;
    const seen = seenOnWire(step);
    const alike = sessions.flatMap((session) =>
      session.runs.flatMap((run) => this.#unnamed(run, seen, "proxy").map((call) => ({ session, run, call }))),
    );
    const [first] = alike;
    if (first === undefined) return null;
    if (alike.length > 1 || this.held.alike(seen).length > 0) for (const { call } of alike) call.markAmbiguous(now);
    return { ...first, how: "fingerprint" };
  }

  /** The call that a hook tells of, if somebody told of it before. */
  #hostCall(session: Session, run: BoundRun, seen: CallSeen, at: number): CallRecord | null {
    if (seen.callId !== null) {
      const known = session.callById(seen.callId);
      if (known !== null) return known.call;
    }
    if (seen.callId === null) {
      // A host that gives calls no ids tells of their start and of their end in turn.
      const running = [...run.calls.values()].find(
        (call) => call.has("hook") && !call.isEnded && call.isSameCall(seen),
      );
      if (running !== undefined) return running;
    }
    const alike = this.#unnamed(run, seen, "hook").filter(({ callId }) => seen.callId === null || callId === null);
    if (alike.length > 1) for (const call of alike) if (call.has("proxy")) call.markAmbiguous(at);
    return alike[0] ?? null;
  }

  /** Calls of a run that are like this one, of which this teller has not told. */
  #unnamed(run: BoundRun, seen: CallSeen, teller: "proxy" | "hook" | "transcript"): CallRecord[] {
    const found: CallRecord[] = [];
    for (const call of run.calls.values()) {
      if (call.has(teller) || (seen.callId !== null && call.callId !== null)) continue;
      if (Math.abs(call.startedAt - seen.startedAt) <= FINGERPRINT_MS && call.isSameCall(seen)) found.push(call);
    }
    return found;
  }

  /** The host told of a call: what the wire told of it before is waiting. */
  #joinHeld(session: Session, run: BoundRun, call: CallRecord, at: number): void {
    const { callId } = call;
    const byId = callId === null ? [] : this.held.named(callId).filter((held) => this.#isFor(held, session));
    const [named] = byId;
    if (named !== undefined) {
      this.#told(named.proxy, named.step, session, run, call, "host-id");
      return;
    }
    if (call.server === null || call.has("proxy")) return;
    const alike = this.held.all.filter(
      (held) => held.step.hostCallId === null && call.isSameCall(seenOnWire(held.step)) && this.#isFor(held, session),
    );
    const [first] = alike;
    if (first === undefined) return;
    if (alike.length > 1) call.markAmbiguous(at);
    this.#told(first.proxy, first.step, session, run, call, "fingerprint");
  }

  #isFor({ proxy, step }: HeldCall, session: Session): boolean {
    return this.candidates(proxy, step.sessionId).includes(session);
  }
}

interface WireMatch {
  session: Session;
  run: BoundRun;
  call: CallRecord;
  how: "host-id" | "injected-id" | "fingerprint";
}

function alone(calls: readonly CallRecord[]): CallRecord | null {
  return calls.length === 1 ? (calls[0] ?? null) : null;
}

function serves(proxy: ProxyPeer, session: Session): boolean {
  if (proxy.sessionId !== null && proxy.sessionId === session.sessionId) return true;
  if (proxy.hostPid !== null && session.hostPid !== null) return proxy.hostPid === session.hostPid;
  return isInDirectory(proxy, session);
}

function isInDirectory(proxy: ProxyPeer, session: Session): boolean {
  const places = new Set<string | null>([session.cwd, session.projectDir]);
  places.delete(null);
  return places.has(proxy.cwd) || places.has(proxy.projectDir);
}

function seenOnWire(step: ProxyStep): CallSeen {
  return {
    callId: step.hostCallId,
    qualifiedName: step.qualifiedName,
    server: step.serverName,
    tool: step.toolName,
    args: step.args,
    argsHash: step.argsHash,
    startedAt: step.startedAt,
    isStartUnknown: false,
    agentId: null,
    context: null,
    hostMeta: step.hostMeta,
    truncated: step.truncated,
  };
}
