import { debug, logDegradedOnce } from "../../../kit/log.ts";
import { HttpFailure, type HttpResponse } from "../../http/http.ts";
import {
  answersOwn,
  drain,
  isEventStream,
  isSuccess,
  readAnswer,
  readEvents,
  readRefusalBody,
  refuseAll,
  type StreamMark,
} from "../answer.ts";
import type { Exchange } from "../exchange.ts";
import { ourMessage } from "../our-message.ts";
import type { Outgoing } from "../outgoing.ts";
import { postMessage } from "../post-message.ts";
import { failureText } from "../refusals.ts";
import type { RemoteWire } from "../wire.ts";
import type { LegacyCarrier, OnAccepted, OnGone, PostOutcome } from "./legacy-carrier.ts";
import { type LegacySession, postHeaders, sessionHeaders } from "./legacy-headers.ts";
import { resumeStream } from "./resume.ts";
import { keepServerStream } from "./server-stream.ts";

/**
 * Streamable HTTP with sessions (2025-03-26 to 2025-11-25): a request a message, whose answer may be a stream that goes on behind a lost
 * connection; and a stream on which the server speaks unasked.
 */

const ACCEPTED = 202;
const NOT_FOUND = 404;
/** Statuses after which a server may still speak HTTP with SSE (2024-11-05). */
const OTHER_WAY_STATUSES = new Set([400, 404, 405]);

export class StreamableHttp implements LegacyCarrier {
  readonly #wire: RemoteWire;
  /** A refused handshake is given back, for another way to be tried. */
  readonly #mayRefuse: boolean;
  /** The stream on which the server speaks unasked, as long as there is one. */
  #listening: AbortController | null = null;
  /** What was accepted and not answered on its own connection. */
  readonly #elsewhere = new Set<Exchange>();

  constructor(wire: RemoteWire, mayRefuse: boolean) {
    this.#wire = wire;
    this.#mayRefuse = mayRefuse;
  }

  async post(out: Outgoing, session: LegacySession, onAccepted: OnAccepted, isLast = false): Promise<PostOutcome> {
    const { exchange } = out;
    let response: HttpResponse;
    try {
      response = await postMessage(this.#wire, out, postHeaders(session));
    } catch (cause) {
      return this.#fail(out, cause);
    }
    if (response.status === NOT_FOUND && session.id !== null && !isLast) {
      const body = await readRefusalBody(response);
      if (body === null || !answersOwn(body, exchange)) return "session-gone";
      // It knows the session, and says no to this one request.
      refuseAll(response.status, body, this.#wire, exchange);
      return "failed";
    }
    if (this.#mayRefuse && OTHER_WAY_STATUSES.has(response.status) && isHandshake(out)) {
      const body = await readRefusalBody(response);
      return { status: response.status, body };
    }
    const isTaken = isSuccess(response);
    if (isTaken) {
      this.#wire.reachability.answered();
      onAccepted(response.headers.get("mcp-session-id") ?? null);
      out.forget();
    }
    if (response.status === ACCEPTED && this.#listening !== null) {
      await drain(response);
      // The answer may come on the server's own stream.
      this.#elsewhere.add(exchange);
      void exchange.settled.then(() => this.#elsewhere.delete(exchange));
      return "taken";
    }
    const mark: StreamMark = { lastEventId: null, retryMs: null };
    try {
      await readAnswer(response, mark, this.#wire, exchange, (answer) => this.#refuse(answer, session));
    } catch (cause) {
      if (!exchange.isSettled && !isEventStream(response)) return this.#fail(out, cause);
    }
    if (!isTaken) return "failed";
    if (isEventStream(response)) await this.#followOn(out, session, mark);
    return "taken";
  }

  open(): Promise<null> {
    return Promise.resolve(null);
  }

  listen(session: LegacySession, onGone: OnGone): void {
    this.#listening?.abort();
    const listening = new AbortController();
    this.#listening = listening;
    const refuse = (answer: string): void => this.#refuse(answer, session);
    void keepServerStream(this.#wire, session, listening.signal, () => void onGone(), refuse).finally(() => {
      if (this.#listening !== listening) return;
      this.#listening = null;
      for (const exchange of this.#elsewhere)
        this.#wire.inbox.fail(exchange, "upstream accepted the request and gave no answer");
    });
  }

  async close(session: LegacySession): Promise<void> {
    this.#listening?.abort();
    this.#listening = null;
    if (session.id === null) return;
    const { client, url, credentials } = this.#wire;
    const headers = sessionHeaders(session);
    const { signal } = new AbortController();
    try {
      await drain(await client.send({ method: "DELETE", url, headers, credentials, body: null, signal }));
    } catch (cause) {
      if (!(cause instanceof HttpFailure)) throw cause;
      debug("proxy", () => `the session's end was not told: ${cause.message}`);
    }
  }

  /** The stream of an answer has ended: goes on behind its last event until everything is answered. */
  async #followOn({ exchange }: Outgoing, session: LegacySession, mark: StreamMark): Promise<void> {
    while (!exchange.isSettled) {
      const resumed = mark.lastEventId === null ? null : await resumeStream(this.#wire, session, mark, exchange.signal);
      if (exchange.isSettled || exchange.signal.aborted) return;
      if (resumed === null) {
        logDegradedOnce("DEG-19", `server "${this.#wire.serverName}": a stream was lost before an answer came`);
        this.#wire.inbox.fail(exchange, "upstream connection lost before the answer");
        return;
      }
      try {
        await readEvents(resumed, mark, this.#wire, exchange, (answer) => this.#refuse(answer, session));
      } catch (cause) {
        if (!(cause instanceof HttpFailure)) throw cause;
      }
    }
  }

  /** Tells the server that its message was not taken. */
  #refuse(answer: string, session: LegacySession): void {
    void this.post(ourMessage(answer), session, () => {});
  }

  #fail({ exchange, left }: Outgoing, cause: unknown): PostOutcome {
    left();
    const text = failureText(cause);
    const isAborted = cause instanceof HttpFailure && cause.kind === "aborted";
    if (!isAborted) this.#wire.reachability.failed(text);
    this.#wire.inbox.fail(exchange, text);
    return "failed";
  }
}

function isHandshake({ line }: Outgoing): boolean {
  return line.messages.some(({ method }) => method === "initialize");
}
