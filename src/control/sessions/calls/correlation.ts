import type { RedactedText } from "../../../core/redacted.ts";
import { spelledServer } from "../../../core/tool-name.ts";
import type { BoundRun } from "../bound-run.ts";
import type { HookedCall, HookedCalls } from "../hook-facts.ts";
import type { PlacedCall, Session } from "../session.ts";
import type { CallDirectory } from "../transcript-facts.ts";
import type { CallRecord } from "./call-record.ts";
import type { CallSeen } from "./call-told.ts";
import { candidates, type SessionDirectory } from "./candidates.ts";
import type { Proxies } from "./proxies.ts";
import type { WireCalls } from "./wire-calls.ts";

/**
 * Makes one step of all that a host tells of a call: its hooks and its transcript, by the host's own id of the call, or where
 * a host gives none by what was called and when. What the wire told of the same call is joined to it.
 */

/** Hooks of one call come within this time. */
const SAME_CALL_MS = 10 * 60_000;

export class Correlation implements CallDirectory, HookedCalls {
  readonly #directory: SessionDirectory;
  readonly #proxies: Proxies;
  readonly #wire: WireCalls;

  constructor(directory: SessionDirectory, proxies: Proxies, wire: WireCalls) {
    this.#directory = directory;
    this.#proxies = proxies;
    this.#wire = wire;
  }

  hooked(session: Session, told: BoundRun, seen: CallSeen, at: number, isEnd: boolean): HookedCall {
    const found = this.#hookedBefore(session, told, seen, at, isEnd);
    const how = seen.callId !== null && found?.call.callId === seen.callId ? "host-id" : "fingerprint";
    const { run, call } = found ?? {
      run: told,
      call: told.openCall(session.services.newId("step"), seen, "hook"),
    };
    if (found !== null) {
      call.learn(seen, "hook", at, call.join ?? how);
      run.index(call);
    }
    this.#wire.joinHeld(session, run, call, at);
    run.starts.settle(call.agentId ?? "");
    return {
      run,
      startedAgent: (agentId) => run.starts.startedAgent(agentId, call),
      end: (ended, witness, isBetterExpected) => call.end(ended, witness, isBetterExpected),
      inject: () => this.#inject(session, call, seen.server),
    };
  }

  transcribed(session: Session, told: BoundRun, callId: RedactedText, seen: CallSeen, at: number): void {
    const inRun = told.callById(callId);
    const known = inRun === undefined ? session.callById(callId) : { run: told, call: inRun };
    const found = known ?? unnamed(told, seen, at);
    const { run, call } = found ?? {
      run: told,
      call: told.openCall(session.services.newId("step"), seen, "transcript"),
    };
    if (found !== null) {
      call.learn(seen, "transcript", at, call.join ?? (known === null ? "fingerprint" : "host-id"));
      run.index(call);
    }
    this.#wire.joinHeld(session, run, call, at);
  }

  isProxied(session: Session, server: RedactedText | null): boolean {
    if (server === null) return false;
    const name = spelledServer(server);
    return this.#proxies.all.some(
      (proxy) => spelledServer(proxy.serverName) === name && candidates(this.#directory, proxy, null).includes(session),
    );
  }

  #inject(session: Session, call: CallRecord, server: RedactedText | null): string | null {
    if (server === null || !this.isProxied(session, server)) return null;
    return this.#wire.injections.give(session, call, server);
  }

  /** The call that a hook tells of, if somebody told of it before. */
  #hookedBefore(session: Session, run: BoundRun, seen: CallSeen, at: number, isEnd: boolean): PlacedCall | null {
    if (seen.callId !== null) {
      const inRun = run.callById(seen.callId);
      if (inRun !== undefined) return { run, call: inRun };
      const known = session.callOfTime(seen.callId, seen.startedAt);
      if (known !== null) return known;
    } else if (isEnd) {
      // A host that gives calls no ids tells of their start and of their end in turn.
      const running = [...run.calls.values()].filter((call) => call.has("hook") && !call.isEnded);
      const call = oneOf(
        running.filter((each) => each.isSameCall(seen)),
        at,
      );
      if (call !== null) return { run, call };
    }
    const alike = [...run.calls.values()].filter((call) => {
      if (call.has("hook") || (seen.callId !== null && call.callId !== null)) return false;
      return isNear(call, seen) && call.isSameCall(seen);
    });
    const call = oneOf(alike, at);
    return call === null ? null : { run, call };
  }
}

/** The call that a hook without an id told of, and that the transcript tells of now. */
function unnamed(run: BoundRun, seen: CallSeen, at: number): PlacedCall | null {
  const alike = [...run.calls.values()].filter(
    (call) => !call.has("transcript") && call.callId === null && isNear(call, seen) && call.isSameCall(seen),
  );
  const call = oneOf(alike, at);
  return call === null ? null : { run, call };
}

function isNear(call: CallRecord, seen: CallSeen): boolean {
  return Math.abs(call.startedAt - seen.startedAt) <= SAME_CALL_MS;
}

/** The first of calls that nothing tells apart; those that ran at once are marked. */
function oneOf(calls: readonly CallRecord[], at: number): CallRecord | null {
  const [first, ...others] = calls;
  if (first === undefined) return null;
  const atOnce = others.filter((other) => first.endedAt === null || first.endedAt >= other.startedAt);
  if (atOnce.length > 0) for (const call of [first, ...atOnce]) call.markAmbiguous(at);
  return first;
}
