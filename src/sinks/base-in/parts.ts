import type { Gate, GateReason } from "./gate.ts";
import type { Answer } from "./service-client.ts";
import type { Suspects } from "./suspects.ts";

/** What a sink is made of besides the store: the world it works in, and what its deliveries share. Types only. */

/** Requests to the service; none of them throws. */
export interface ServiceLink {
  write(method: "POST" | "PATCH", path: string, json: string): Promise<Answer>;
  ask(): Promise<Answer>;
}

export interface SinkClock {
  /** Epoch ms: what people are told. It may be set back at any time. */
  now(): number;
  /** Ms on a clock that only goes forward: what is waited for is measured with it. */
  steady(): number;
  /** Resolves after so long, or once `until` fires. */
  wait(ms: number, until?: AbortSignal): Promise<void>;
}

/** What the deliveries of a sink share. */
export interface DeliveryParts {
  link: ServiceLink;
  clock: SinkClock;
  gate: Gate;
  suspects: Suspects;
  /** Runs that were begun anew, at which write. */
  anew: Map<string, { id: string; at: number }>;
  isStopping(): boolean;
  takesArrays(): boolean;
  /** How many requests were answered with sense so far. */
  taken(): number;
  /** It answers, and with sense. `isTaken`: something is there now. */
  worked(isTaken: boolean): void;
  closed(reason: GateReason, why: string, runId: string, atLeastMs: number): void;
  refused(runId: string, status: number | null): void;
}
