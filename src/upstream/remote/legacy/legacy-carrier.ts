import type { Outgoing } from "../outgoing.ts";
import type { LegacySession } from "./legacy-headers.ts";

/**
 * The two ways on which messages get to a server of the versions with a handshake: Streamable HTTP, and HTTP with SSE before it.
 */

/**
 * What came of a message. `taken`: the server has it, and what was to come of it has come or will. `failed`: who waited was told.
 * `session-gone`: the server has not taken it, since it does not know the session. A refusal is given back for a handshake only: it may
 * be that the server knows the other way.
 */
export type PostOutcome = "taken" | "failed" | "session-gone" | HandshakeRefusal;

export interface HandshakeRefusal {
  status: number;
  body: Uint8Array | null;
}

/** Told as soon as the server has accepted a message, with the id of a session that it gives. */
export type OnAccepted = (sessionId: string | null) => void;

/** The server does not know the session any more. Answers null once there is another, or why there is none. */
export type OnGone = () => Promise<string | null>;

export interface LegacyCarrier {
  /**
   * Sends a message and passes on what is answered on the same connection. `isLast`: it is not tried again, so a refusal for its session
   * is told like any other.
   */
  post(out: Outgoing, session: LegacySession, onAccepted: OnAccepted, isLast?: boolean): Promise<PostOutcome>;
  /** Makes the way ready for a new session. Null, or why that cannot be. */
  open(): Promise<string | null>;
  /** Keeps a stream open on which the server speaks unasked, where that is a stream of its own. */
  listen(session: LegacySession, onGone: OnGone): void;
  /** Ends the session: its streams, and the server's memory of it. Resolves when the server knows. */
  close(session: LegacySession): Promise<void>;
}
