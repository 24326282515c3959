import { debug, logDegradedOnce } from "../../../kit/log.ts";
import { HttpFailure } from "../../http/http.ts";
import { drain, isEventStream, isSuccess, readEvents, readRefusalBody, refuseAll, type StreamMark } from "../answer.ts";
import type { Exchange } from "../exchange.ts";
import { ourMessage } from "../our-message.ts";
import type { Outgoing } from "../outgoing.ts";
import { pause } from "../pause.ts";
import { failureText, refusalText } from "../refusals.ts";
import type { RemoteWire } from "../wire.ts";
import type { LegacyCarrier, OnAccepted, PostOutcome } from "./legacy-carrier.ts";
import { type LegacySession, NO_SESSION, postHeaders } from "./legacy-headers.ts";
import { openStream } from "./resume.ts";

/**
 * HTTP with SSE (2024-11-05): one stream on which the server says everything, and an address that it names there for messages to it. The
 * session is that stream: with it gone, the server knows nothing any more.
 */

const NOT_FOUND = 404;

export class SseChannel implements LegacyCarrier {
  readonly #wire: RemoteWire;
  /** Where messages go; null while there is no stream. */
  #endpoint: URL | null = null;
  #stream = new AbortController();
  /** What was sent and may still be answered on this stream. */
  #exchanges = new Set<Exchange>();
  /** Why the last attempt to open it came to nothing. */
  #why = "upstream has no stream of events";

  constructor(wire: RemoteWire) {
    this.#wire = wire;
  }

  /** Opens the stream and waits for the address, as long as connecting may take. */
  async open(): Promise<string | null> {
    this.#stream.abort();
    const stream = new AbortController();
    this.#stream = stream;
    const named = Promise.withResolvers<boolean>();
    void this.#run(stream, named.resolve).finally(() => named.resolve(false));
    const { connectTimeoutMs } = this.#wire;
    const inTime = await Promise.race([named.promise, pause(connectTimeoutMs, stream.signal).then(() => null)]);
    if (inTime === null && !stream.signal.aborted) {
      this.#why = "upstream has a stream of events, but names no address for messages";
      stream.abort();
    }
    return inTime === true ? null : this.#why;
  }

  async post(out: Outgoing, session: LegacySession, onAccepted: OnAccepted): Promise<PostOutcome> {
    const endpoint = this.#endpoint;
    if (endpoint === null) return "session-gone";
    const { client, credentials, inbox } = this.#wire;
    const { exchange, bytes, left: onSent } = out;
    this.#exchanges.add(exchange);
    void exchange.settled.then(() => this.#exchanges.delete(exchange));
    const headers = postHeaders(session);
    try {
      const { signal } = exchange;
      const response = await client.send({
        method: "POST",
        url: endpoint,
        headers,
        credentials,
        body: bytes,
        signal,
        onSent,
      });
      if (isSuccess(response)) {
        this.#wire.reachability.answered();
        onAccepted(null);
        out.forget();
        await drain(response);
        return "taken";
      }
      if (response.status === NOT_FOUND) {
        await drain(response);
        this.#exchanges.delete(exchange);
        this.#stream.abort();
        this.#endpoint = null;
        return "session-gone";
      }
      refuseAll(response.status, await readRefusalBody(response), this.#wire, exchange);
    } catch (cause) {
      onSent();
      const text = failureText(cause);
      if (!(cause instanceof HttpFailure && cause.kind === "aborted")) this.#wire.reachability.failed(text);
      inbox.fail(exchange, text);
    }
    return "failed";
  }

  /** It has only the one stream. */
  listen(): void {}

  async close(): Promise<void> {
    this.#stream.abort();
    this.#endpoint = null;
  }

  async #run(stream: AbortController, named: (isNamed: boolean) => void): Promise<void> {
    const { inbox, serverName } = this.#wire;
    const mark: StreamMark = { lastEventId: null, retryMs: null };
    let text = "upstream connection lost before the answer";
    try {
      const response = await openStream(this.#wire, NO_SESSION, mark, stream.signal);
      if (!isSuccess(response) || !isEventStream(response)) {
        await drain(response);
        this.#why = isSuccess(response) ? "upstream has no stream of events" : refusalText(response.status);
        return;
      }
      const onOther = (type: string, data: Uint8Array): void => {
        if (type !== "endpoint" || this.#stream !== stream) return;
        const endpoint = this.#address(Buffer.from(data).toString("utf8"));
        if (endpoint === null) stream.abort();
        else this.#endpoint = endpoint;
        named(endpoint !== null);
      };
      const refuse = (answer: string): void => void this.post(ourMessage(answer), NO_SESSION, () => {});
      await readEvents(response, mark, this.#wire, null, refuse, onOther);
    } catch (cause) {
      if (!(cause instanceof HttpFailure)) throw cause;
      if (cause.kind !== "aborted") this.#why = text = failureText(cause);
      debug("proxy", () => `the stream of server "${serverName}" ended: ${cause.message}`);
    }
    if (this.#stream !== stream) return;
    this.#endpoint = null;
    if (this.#exchanges.size > 0 && !this.#wire.closing.aborted) {
      logDegradedOnce("DEG-19", `server "${serverName}": its stream was lost before an answer came`);
    }
    for (const exchange of this.#exchanges) inbox.fail(exchange, text);
  }

  /** The address that a server names, which has to be its own. */
  #address(text: string): URL | null {
    const { url } = this.#wire;
    const address = URL.parse(text, url.href);
    if (address?.origin === url.origin) return address;
    this.#why = "upstream names an address for messages that is not its own";
    return null;
  }
}
