import { eachMember, stringValue } from "../../../jsonrpc/json-span.ts";
import type { Message } from "../../../jsonrpc/message.ts";
import { repeatedInitialize, repeatedInitialized } from "../../../jsonrpc/repeated-handshake.ts";
import { debug, logDegraded } from "../../../kit/log.ts";
import { answersOwn, errorCode, refuseAll } from "../answer.ts";
import { ourMessage } from "../our-message.ts";
import type { Outgoing } from "../outgoing.ts";
import type { Pending } from "../pending.ts";
import { failureText } from "../refusals.ts";
import type { RemoteWire } from "../wire.ts";
import type { HandshakeRefusal, LegacyCarrier } from "./legacy-carrier.ts";
import { type LegacySession, NO_SESSION } from "./legacy-headers.ts";
import { SseChannel } from "./sse-channel.ts";
import { StreamableHttp } from "./streamable-http.ts";

/**
 * A server of the versions with a handshake (up to 2025-11-25): reads the handshake as it passes, keeps what it has agreed on, and finds out
 * which of the two ways the server speaks. A session that the server has forgotten is begun anew, unseen by the host, and what it has
 * not taken is sent once more; nothing else is ever sent twice.
 */

const SESSION_GONE = "upstream session is gone, and no new one could be begun";
/** A new session has to be agreed on within this. */
const RENEWAL_MS = 30_000;
/** A notification is waited for so long, to keep the order; a server that is slow to say "accepted" is not. */
const ORDER_MS = 2_000;
/** A server of the other way names its address at once. */
const OTHER_WAY_MS = 3_000;
/** An error of a stateless server: it has understood, so it does not speak the old way. */
const METHOD_NOT_FOUND = -32_601;

export class LegacyServer {
  readonly #wire: RemoteWire;
  readonly #pending: Pending;
  #carrier: LegacyCarrier;
  #session: LegacySession = NO_SESSION;
  /** The handshake as the host made it, for when it has to be made again. */
  #initialize: string | null = null;
  #initialized: string | null = null;
  #renewing: Promise<string | null> | null = null;
  /** The last notification that was sent, until the server has accepted it. */
  #notifications: Promise<unknown> = Promise.resolve();

  /** `transport`: which way it was told to go; null: found out at the handshake. */
  constructor(wire: RemoteWire, pending: Pending, transport: "http" | "sse" | null) {
    this.#wire = wire;
    this.#pending = pending;
    this.#carrier =
      transport === "sse" ? new SseChannel(wire, wire.connectTimeoutMs) : new StreamableHttp(wire, transport === null);
  }

  /** True once a handshake was tried. */
  get isInUse(): boolean {
    return this.#initialize !== null;
  }

  /** Sends a message of the host. A promise where what comes after it has to wait: for the handshake, both its parts. */
  deliver(out: Outgoing): Promise<unknown> | null {
    if (out.line.messages.some(({ kind, method }) => kind === "request" && method === "initialize")) {
      void this.#shakeHands(out).catch((cause: unknown) => this.#wire.inbox.fail(out.exchange, failureText(cause)));
      // What follows needs what is agreed on here.
      return out.exchange.settled;
    }
    if (!out.line.messages.every(({ kind }) => kind === "notification")) {
      void this.#deliver(out);
      return null;
    }
    // Notifications keep their order among themselves, and nothing but the handshake's holds up anything else.
    this.#notifications = this.#notifications.then(() => inTime(this.#deliver(out)));
    return isInitialized(out) ? this.#notifications : null;
  }

  /** Resolves when the server has accepted it, or will not. */
  #deliver(out: Outgoing): Promise<void> {
    void this.#send(out)
      .catch((cause: unknown) => this.#wire.inbox.fail(out.exchange, failureText(cause)))
      .finally(out.accept);
    return out.accepted;
  }

  /** The session is over. Resolves when the server knows. */
  close(): Promise<void> {
    return this.#carrier.close(this.#session);
  }

  async #send(out: Outgoing): Promise<void> {
    for (let isRepeated = false; ; isRepeated = true) {
      const session = this.#session;
      const accepted = (id: string | null): void => {
        this.#takeNewId(session, id);
        if (isInitialized(out)) this.#onInitialized(out.text);
        out.accept();
      };
      const outcome = await this.#carrier.post(out, session, accepted, isRepeated);
      if (outcome !== "session-gone") return;
      // An answer of the host, or a cancellation, is about something of the session that is gone.
      const isOfTheOld = isAnswer(out) || out.line.messages.some(({ cancelledRawId }) => cancelledRawId !== null);
      const why = isRepeated || isOfTheOld ? SESSION_GONE : await this.#renew(session);
      // What the host has cancelled meanwhile is not to be done.
      if (why === null && !(out.exchange.isRequest && out.exchange.isSettled)) continue;
      this.#wire.inbox.fail(out.exchange, why ?? "");
      out.left();
      return;
    }
  }

  /** A server may give its session another id at any answer. */
  #takeNewId(session: LegacySession, id: string | null): void {
    if (id === null || id === session.id || session !== this.#session) return;
    this.#session = { ...session, id };
  }

  async #shakeHands(out: Outgoing): Promise<void> {
    const before = this.#session;
    if (before !== NO_SESSION) void this.#carrier.close(before);
    this.#session = NO_SESSION;
    this.#initialize = out.text;
    this.#initialized = null;
    this.#learnFrom(out, (line) => line);
    let outcome = (await this.#open(out)) ? await this.#post(out) : "failed";
    if (typeof outcome === "object") outcome = await this.#tryOtherWay(out, outcome);
    if (outcome === "session-gone") this.#wire.inbox.fail(out.exchange, "upstream connection lost before the answer");
  }

  /** Makes the way ready; where that cannot be, whoever waits is told. */
  async #open({ exchange }: Outgoing): Promise<boolean> {
    const shut = await this.#carrier.open();
    if (shut !== null) this.#wire.inbox.fail(exchange, shut);
    return shut === null;
  }

  /** The handshake was refused over Streamable HTTP: the server may be one of before. If it is not, the refusal stands. */
  async #tryOtherWay(out: Outgoing, { status, body }: HandshakeRefusal) {
    const isUnderstood = body !== null && (isModernError(errorCode(body)) || answersOwn(body, out.exchange));
    if (!isUnderstood) {
      const channel = new SseChannel(this.#wire, Math.min(OTHER_WAY_MS, this.#wire.connectTimeoutMs));
      if ((await channel.open()) === null) {
        debug("proxy", () => `server "${this.#wire.serverName}" speaks HTTP with SSE`);
        this.#carrier = channel;
        return this.#post(out);
      }
    }
    refuseAll(status, body, this.#wire, out.exchange);
    return "failed" as const;
  }

  #post(out: Outgoing) {
    return this.#carrier.post(out, NO_SESSION, (id) => {
      // Over HTTP with SSE the answer may have come before.
      this.#session = { id, version: this.#session.version };
    });
  }

  /** Reads what is agreed on in the answer to a handshake, before anybody else sees it. */
  #learnFrom({ exchange }: Outgoing, passage: (line: Uint8Array) => Uint8Array | null): void {
    exchange.passage = (line, message, text) => {
      const version = agreedVersion(message, text);
      if (version !== null) this.#session = { id: this.#session.id, version };
      return passage(line);
    };
  }

  #onInitialized(text: string): void {
    this.#initialized = text;
    this.#listen();
  }

  #listen(): void {
    const session = this.#session;
    this.#carrier.listen(session, () => this.#renew(session));
  }

  /** Begins a new session where `stale` is still the current one. Null when there is one to go on with, else why not. */
  #renew(stale: LegacySession): Promise<string | null> {
    if (this.#session !== stale) return Promise.resolve(null);
    this.#renewing ??= this.#beginAnew(stale).finally(() => {
      this.#renewing = null;
    });
    return this.#renewing;
  }

  async #beginAnew(stale: LegacySession): Promise<string | null> {
    const text = this.#initialize === null ? null : repeatedInitialize(this.#initialize);
    if (text === null || this.#wire.closing.aborted) return SESSION_GONE;
    const shut = await this.#carrier.open();
    if (shut !== null) return shut;
    const out = ourMessage(text);
    this.#pending.add(out.exchange);
    let session: LegacySession | null = null;
    let id: string | null = null;
    out.exchange.passage = (_line, message, answer) => {
      const version = agreedVersion(message, answer);
      if (version !== null) session = { id, version };
      return null;
    };
    void this.#carrier
      .post(out, NO_SESSION, (newId) => {
        id = newId;
      })
      .then((outcome) => {
        if (outcome !== "taken") this.#wire.inbox.fail(out.exchange, SESSION_GONE);
      });
    await Promise.race([out.exchange.settled, Bun.sleep(RENEWAL_MS)]);
    this.#wire.inbox.fail(out.exchange, "");
    if (session === null) return out.exchange.failure ?? SESSION_GONE;
    logDegraded("DEG-18", `server "${this.#wire.serverName}" has forgotten its session; a new one was begun`);
    if (this.#initialized === null) return this.#goOnWith(session, stale);
    const accepted = Promise.withResolvers<void>();
    const initialized = ourMessage(repeatedInitialized(this.#initialized));
    void this.#carrier.post(initialized, session, () => accepted.resolve()).finally(accepted.resolve);
    await inTime(accepted.promise);
    return this.#goOnWith(session, stale);
  }

  /** Not before the server knows that the handshake is complete; and the host may have made another one meanwhile. */
  #goOnWith(session: LegacySession, stale: LegacySession): null {
    if (this.#session !== stale) return null;
    this.#session = session;
    if (this.#initialized !== null) this.#listen();
    return null;
  }
}

function isInitialized({ line }: Outgoing): boolean {
  return line.messages.some(({ method }) => method === "notifications/initialized");
}

/** True for answers of the host to questions of the server. */
function isAnswer({ line }: Outgoing): boolean {
  return line.messages.length > 0 && line.messages.every(({ kind }) => kind === "response");
}

function inTime(accepted: Promise<unknown>): Promise<unknown> {
  return Promise.race([accepted, Bun.sleep(ORDER_MS)]);
}

/** True for an error that only a server of 2026-07-28 gives. */
function isModernError(code: number | null): boolean {
  return code === METHOD_NOT_FOUND || (code !== null && code <= -32_020 && code >= -32_099);
}

function agreedVersion({ result }: Message, text: string): string | null {
  let version: string | null = null;
  if (result === null) return null;
  eachMember(text, result.start, (key, from, to) => {
    if (key === "protocolVersion") version = stringValue(text, from, to);
  });
  return version;
}
