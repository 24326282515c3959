import type { ServerAddress } from "../../kit/discovery.ts";
import type { TieredRecorder } from "./tiered-recorder.ts";

/**
 * The tie to the control server: looks for one, registers, hands over what waits, and decides when this process records by
 * itself. One thing at a time, whenever `step` is called; never on the way of what passes, and it never throws for what a
 * server does.
 */

/** `silence`: nothing that can be believed came back; `reached` unless the request certainly did not get there. */
export type Reply = { kind: "answer"; status: number; body: string } | { kind: "silence"; reached: boolean };

export interface ControlConnection {
  post(route: "/proxy/register" | "/proxy/step", body: string, timeoutMs: number): Promise<Reply>;
  /** Ends what is under way. */
  close(): void;
}

/** What a link needs to know and can do. */
export interface LinkWorld {
  /** A clock that only goes on, in ms. */
  now(): number;
  /** Where servers say they are, best first. */
  find(): readonly ServerAddress[];
  /** A server is meant for this session: it is worth waiting for. */
  isMeant(): Promise<boolean>;
  /** The server was told to stay away. */
  isDown(): Promise<boolean>;
  connect(server: ServerAddress): ControlConnection;
  /** The body of a registration, as of now. */
  registration(): string;
  /** Starts a server in the background, where one belongs: to this session (`wasBound`), or to its directory. */
  revive(wasBound: boolean): Promise<void>;
  tell(change: LinkChange): void;
}

/**
 * `alone`: there is none; `missing`: one was meant. `gone`, `down` and `behind` (more waits than is meant to) end the tie to
 * one that was there. `refused`: it stays, and does not take a report.
 */
export type LinkChange = "bound" | "alone" | "missing" | "gone" | "down" | "behind" | "refused";

/** What waits for a server that does not answer waits this long. */
const PATIENCE_MS = 10_000;
/** Without a server, one is looked for with traffic, at most this often. */
const LOOK_EVERY_MS = 15_000;
const REGISTER_MS = 2_000;
/** A server that nothing says is meant has this long to answer. */
const UNEXPECTED_MS = 500;
/** Reports wait this long for company. */
export const BATCH_MS = 40;
const FIRST_RETRY_MS = 25;
/** A store that takes nothing now, */
const MAX_BUSY_RETRY_MS = 1_000;
/** and a server that is gone: the next one may be there any moment. */
const MAX_RETRY_MS = 200;
const REVIVE_EVERY_MS = 1_000;
const SPOOL_RETRY_MS = 5_000;
/** So much may wait before looking at more has to wait, too, */
const MANY_WAITING = 128;
/** as long as the server has not been silent for longer than this. */
const PROMPT_MS = 500;

export class ServerLink {
  readonly #world: LinkWorld;
  readonly #recorder: TieredRecorder;
  #server: ServerAddress | null = null;
  #connection: ControlConnection | null = null;
  #proxyId: string | null = null;
  #wasBound = false;
  #isMeant = false;
  #hasAsked = false;
  /** Since when nothing has answered that was asked. */
  #silentSince: number | null = null;
  #failures = 0;
  #looksAgain = false;
  #nextLook = 0;
  #nextRevival = 0;
  #nextTry = 0;
  #startedAt: number | null = null;
  /** When the request under way was sent. */
  #askedAt: number | null = null;
  #isEnding = false;

  constructor(recorder: TieredRecorder, world: LinkWorld) {
    this.#recorder = recorder;
    this.#world = world;
  }

  /** The key for the fingerprints of arguments; null while no server is known. */
  get token(): string | null {
    if (this.#isAlone) return null;
    if (!this.#hasAsked) this.#server ??= this.#world.find()[0] ?? null;
    return this.#server?.token ?? null;
  }

  /** True while so much waits for a server that may well take it that looking at more should wait. */
  get isBehind(): boolean {
    if (this.#isAlone || this.#recorder.waiting < MANY_WAITING) return false;
    const since = this.#wasBound && this.#failures === 0 ? this.#askedAt : this.#startedAt;
    return since === null || this.#world.now() - since < PROMPT_MS;
  }

  get #isAlone(): boolean {
    return this.#recorder.tier === "own";
  }

  /** Something passes: without a server, it may be time to look for one. True when `step` has to be called. */
  noteTraffic(): boolean {
    const now = this.#world.now();
    if (!this.#isAlone || now < this.#nextLook) return false;
    this.#nextLook = now + LOOK_EVERY_MS;
    this.#looksAgain = true;
    return true;
  }

  /** More waits than is meant to: from here on this process records by itself, unless there is nothing more to come. */
  overflowed(): void {
    const isLeftToServer = this.#isEnding && (this.#wasBound || this.#isMeant);
    if (!isLeftToServer || !this.#recorder.spoolWaiting()) this.#leave("behind");
  }

  /** Does what is due. Answers in how many ms to come back, or null when there is nothing to come back for. */
  async step(): Promise<number | null> {
    if (this.#isAlone) return await this.#stepAlone();
    if (!this.#hasAsked) {
      this.#hasAsked = true;
      this.#startedAt = this.#world.now();
      this.#silentSince = this.#startedAt;
      this.#server ??= this.#world.find()[0] ?? null;
      this.#isMeant = await this.#world.isMeant();
      if (await this.#world.isDown()) return this.#leave("down");
    }
    const tooEarlyMs = this.#nextTry - this.#world.now();
    if (tooEarlyMs > 0 && !this.#isEnding) return tooEarlyMs;
    if (this.#proxyId === null) {
      if (this.#wasBound && this.#recorder.waiting === 0) return null;
      const problem = await this.#register();
      if (this.#isAlone) return 0;
      if (problem !== null) return await this.#failed(problem);
    }
    return this.#recorder.waiting === 0 ? null : await this.#send();
  }

  /** The session ends: from now on nothing is waited for that need not be. */
  ending(): void {
    this.#isEnding = true;
  }

  /** The end: what is still under way is given up, and what no server has taken is left to one to come. */
  async settle(): Promise<void> {
    this.close();
    const isLeftToServer = this.#wasBound || this.#isMeant;
    const isWaiting = this.#recorder.waiting > 0;
    if (!isLeftToServer || !this.#recorder.spoolWaiting()) this.#recorder.toOwn(this.#wasBound);
    // Somebody has to take up what lies there now.
    else if (isWaiting && !this.#wasBound) await this.#world.revive(false);
  }

  /** Ends what is under way. */
  close(): void {
    this.#connection?.close();
    this.#connection = null;
    this.#proxyId = null;
  }

  async #stepAlone(): Promise<number | null> {
    if (this.#looksAgain && !(await this.#world.isDown())) {
      if ((await this.#register()) === null) {
        this.#looksAgain = false;
        this.#recorder.toServer(Date.now());
        this.#world.tell("bound");
        return this.#recorder.waiting === 0 ? null : 0;
      }
      if (this.#wasBound) void this.#world.revive(true);
    }
    this.#looksAgain = false;
    return this.#recorder.spoolWaiting() ? null : SPOOL_RETRY_MS;
  }

  /** Registers with the first server that answers. Answers what is wrong, or null. */
  async #register(): Promise<Problem | null> {
    const timeoutMs = this.#wasBound || this.#isMeant ? REGISTER_MS : UNEXPECTED_MS;
    let problem = NOBODY;
    for (const server of this.#world.find()) {
      this.close();
      this.#server = server;
      const connection = this.#world.connect(server);
      this.#connection = connection;
      const reply = await this.#post(connection, "/proxy/register", this.#world.registration(), timeoutMs);
      if (this.#connection !== connection) return NOBODY;
      const proxyId = reply.kind === "answer" && reply.status === 200 ? proxyIdIn(reply.body) : null;
      if (proxyId !== null) {
        this.#registered(proxyId);
        return null;
      }
      const isBusy = reply.kind === "answer" && reply.status >= 500;
      problem = { answered: isBusy && this.#wasBound, reached: reply.kind === "answer" || reply.reached };
      if (isBusy) break;
    }
    this.close();
    return problem;
  }

  #registered(proxyId: string): void {
    this.#proxyId = proxyId;
    this.#silentSince = null;
    this.#recorder.registered();
    if (!this.#wasBound && !this.#isAlone) this.#world.tell("bound");
    this.#wasBound = true;
  }

  async #send(): Promise<number | null> {
    const connection = this.#connection;
    if (connection === null || this.#proxyId === null) return 0;
    const sentAt = this.#world.now();
    this.#silentSince ??= sentAt;
    const batch = this.#recorder.nextBatch();
    const body = `{"proxyId":${JSON.stringify(this.#proxyId)},"reports":[${batch.texts.join(",")}]}`;
    const patienceMs = Math.max(1, this.#silentSince + PATIENCE_MS - sentAt);
    const reply = await this.#post(connection, "/proxy/step", body, patienceMs);
    // Meanwhile more came than may wait: what was on its way is in the spool now.
    if (this.#isAlone) return 0;
    if (reply.kind === "answer" && reply.status === 200) {
      this.#silentSince = null;
      this.#failures = 0;
      this.#recorder.accepted(batch);
    } else if (isRefusal(reply)) {
      this.#silentSince = null;
      if (this.#recorder.refused(batch, Date.now())) this.#world.tell("refused");
    } else {
      const problem = this.#problemOf(reply);
      this.#recorder.returned(batch, problem.reached);
      return await this.#failed(problem);
    }
    if (this.#recorder.waiting === 0) return null;
    return this.#recorder.isBatchFull || this.#isEnding ? 0 : BATCH_MS;
  }

  async #post(
    connection: ControlConnection,
    route: "/proxy/register" | "/proxy/step",
    body: string,
    timeoutMs: number,
  ): Promise<Reply> {
    this.#askedAt = this.#world.now();
    const reply = await connection.post(route, body, timeoutMs);
    this.#askedAt = null;
    return reply;
  }

  #problemOf(reply: Reply): Problem {
    if (reply.kind === "silence") {
      // One that is no longer there, or no longer named, is not asked again.
      if (!reply.reached || !this.#world.find().some((known) => isSame(known, this.#server))) this.#proxyId = null;
      return { answered: false, reached: reply.reached };
    }
    if (reply.status !== 404 && reply.status !== 401 && reply.status >= 400) {
      // 503 says that nothing of it was taken; what any other failure has left behind is not known.
      return { answered: true, reached: reply.status >= 500 && reply.status !== 503 };
    }
    this.#proxyId = null;
    // Or another program has the server's port.
    return { answered: reply.status === 404, reached: false };
  }

  async #failed({ answered, reached }: Problem): Promise<number | null> {
    const now = this.#world.now();
    if (answered) this.#silentSince = null;
    else this.#silentSince ??= now;
    this.#failures++;
    if (await this.#world.isDown()) return this.#leave("down");
    const patienceMs = this.#wasBound || this.#isMeant ? PATIENCE_MS : 0;
    if (this.#silentSince !== null && now - this.#silentSince >= patienceMs) return this.#leave("gone");
    if (this.#isEnding && !answered && !reached) return null;
    if (!answered && !reached && (this.#wasBound || this.#isMeant) && now >= this.#nextRevival) {
      this.#nextRevival = now + REVIVE_EVERY_MS;
      void this.#world.revive(this.#wasBound);
    }
    // A server that has forgotten this proxy is told of it at once.
    if (answered && this.#proxyId === null && this.#failures === 1) return 0;
    const mostMs = answered ? MAX_BUSY_RETRY_MS : MAX_RETRY_MS;
    const retryMs = Math.min(mostMs, FIRST_RETRY_MS * 2 ** Math.min(this.#failures, 10));
    this.#nextTry = now + retryMs;
    return retryMs;
  }

  #leave(why: "gone" | "down" | "behind"): number | null {
    this.close();
    this.#server = null;
    this.#silentSince = null;
    this.#failures = 0;
    this.#nextLook = this.#world.now() + LOOK_EVERY_MS;
    this.#recorder.toOwn(this.#wasBound);
    if (this.#wasBound) this.#world.tell(why);
    else this.#world.tell(this.#isMeant && why !== "down" ? "missing" : "alone");
    return this.#recorder.waiting === 0 ? null : SPOOL_RETRY_MS;
  }
}

interface Problem {
  /** A server of ours is there. */
  answered: boolean;
  /** What was sent may have got there all the same. */
  reached: boolean;
}

const NOBODY: Problem = { answered: false, reached: false };

/** What is wrong with the request will be wrong with it the next time. */
function isRefusal(reply: Reply): boolean {
  return (
    reply.kind === "answer" && reply.status >= 400 && reply.status < 500 && ![401, 404, 408, 429].includes(reply.status)
  );
}

function proxyIdIn(body: string): string | null {
  try {
    const { proxyId } = JSON.parse(body) as { proxyId?: unknown };
    return typeof proxyId === "string" && proxyId !== "" ? proxyId : null;
  } catch {
    return null;
  }
}

function isSame(one: ServerAddress, other: ServerAddress | null): boolean {
  return one.port === other?.port && one.host === other.host && one.token === other.token;
}
