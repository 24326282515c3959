import type { ProxyRegistration } from "../../core/control-wire.ts";
import { knownServers } from "../../kit/discovery.ts";
import { setUpFor } from "../../kit/installed.ts";
import { debug, log, logDegraded, logDegradedOnce } from "../../kit/log.ts";
import { appendToSpool } from "../../kit/spool-writer.ts";
import { startServer } from "../../kit/start-server.ts";
import { redactText } from "../../redact/redact.ts";
import { SocketConnection } from "./control-connection.ts";
import { LinkPace } from "./link-pace.ts";
import { BATCH_MS, type LinkChange, type LinkWorld, ServerLink } from "./server-link.ts";
import { hasDiscoveryFile, isServerDown, isServerMeant } from "./server-meant.ts";
import { directoriesOf, type SessionFacts } from "./session-facts.ts";
import type { TieredRecorder } from "./tiered-recorder.ts";

/**
 * The server's part of recording, put together: the link with the real world around it, and the moments at which it works.
 * Nothing that passes waits for it.
 */

/** Retried after a fault of ours. */
const FAULT_PAUSE_MS = 1_000;

const REMEDY = "Where it is of another version: bir down, then bir up";

export class ServerTier {
  readonly #session: SessionFacts;
  readonly #recorder: TieredRecorder;
  readonly #link: ServerLink;
  readonly #pace: LinkPace;
  #isStarted = false;
  #wasAlone = false;

  /** `worked` is called when something may have changed; `fault` is told of a fault of ours. */
  constructor(
    session: SessionFacts,
    recorder: TieredRecorder,
    { worked, fault }: { worked: () => void; fault: (cause: unknown) => void },
  ) {
    this.#session = session;
    this.#recorder = recorder;
    this.#link = new ServerLink(recorder, this.#world());
    this.#pace = new LinkPace(async () => {
      try {
        return await this.#link.step();
      } catch (cause) {
        fault(cause);
        return FAULT_PAUSE_MS;
      } finally {
        worked();
      }
    });
  }

  /** The key for fingerprints of arguments, where one is known. */
  get token(): string | null {
    return this.#link.token;
  }

  /** True while looking at more has to wait for the server, which takes what it is sent. */
  get isBehind(): boolean {
    return this.#link.isBehind;
  }

  /** Something passes that is recorded. */
  noteTraffic(): void {
    if (!this.#isStarted || this.#link.noteTraffic()) this.#pace.poke(0);
    this.#isStarted = true;
  }

  /** Something waits that was not there before. */
  waits(): void {
    this.#pace.poke(this.#recorder.isBatchFull ? 0 : BATCH_MS);
  }

  overflowed(): void {
    this.#link.overflowed();
  }

  /** What waits is to be told now, and soon nothing more will. */
  ending(): void {
    this.#link.ending();
    this.#pace.poke(0);
  }

  /** The end of the session: hands over what waits, for at most so long, and leaves the rest to a server to come. */
  async close(how: "ended" | "failed", patienceMs: number): Promise<void> {
    if (!this.#isStarted) return;
    this.#recorder.left(how, Date.now());
    this.ending();
    const until = performance.now() + patienceMs;
    const timer = setTimeout(() => this.#link.close(), patienceMs);
    await this.#pace.stop();
    while (this.#recorder.waiting > 0 && performance.now() < until) {
      const againMs = await this.#link.step();
      if (againMs === null) break;
      if (againMs > 0) await Bun.sleep(Math.min(againMs, until - performance.now()));
    }
    clearTimeout(timer);
    await this.#link.settle();
    const lost = this.#recorder.giveUp(Date.now());
    if (lost > 0) logDegraded("DEG-03", `${lost} call(s) could neither be told to the control server nor kept for it`);
  }

  #world(): LinkWorld {
    return {
      now: () => performance.now(),
      find: () => knownServers(),
      isMeant: () => isServerMeant(this.#session),
      isDown: () => isServerDown(),
      connect: (server) => new SocketConnection(server),
      registration: () => JSON.stringify(this.registration()),
      revive: (wasBound) => this.#revive(wasBound),
      tell: (change) => this.#tell(change),
    };
  }

  /** Only where a server belongs: one that was there for the directory, or that hooks which are installed would start. */
  async #revive(wasBound: boolean): Promise<void> {
    const directories = directoriesOf(this.#session);
    const belongs = (wasBound && (await hasDiscoveryFile(directories))) || (await setUpFor(directories)).hasHooks;
    if (!belongs) return;
    const start = startServer();
    debug("proxy", () => `control server: ${start}`);
  }

  #tell(change: LinkChange): void {
    debug("proxy", () => `control server: ${change}`);
    if (change === "refused") {
      logDegradedOnce("DEG-15", `the control server refuses what it is told; what it refuses is lost. ${REMEDY}`);
      return;
    }
    const alone = "what follows is recorded by this proxy alone";
    if (change === "missing") logDegraded("DEG-01", `no control server has answered: ${alone}`);
    if (change === "gone") logDegraded("DEG-02", `the control server does not answer: ${alone}`);
    if (change === "down") logDegraded("DEG-02", `the control server was switched down: ${alone}`);
    if (change === "behind") logDegraded("DEG-03", `too much waits for the control server: ${alone}`);
    if (change === "bound" && this.#wasAlone) log("recording goes on through the control server");
    this.#wasAlone = change === "gone" || change === "down" || change === "behind" || change === "missing";
  }

  /** Who reports. */
  registration(): ProxyRegistration {
    return registrationOf(this.#session, this.#recorder);
  }
}

/** Leaves reports for a server to come. */
export function spoolReports(session: SessionFacts, recorder: TieredRecorder, reports: readonly string[]): boolean {
  const registration = JSON.stringify(registrationOf(session, recorder));
  const line = `{"route":"/proxy/step","registration":${registration},"reports":[${reports.join(",")}]}\n`;
  return appendToSpool(line) === "kept";
}

function registrationOf(session: SessionFacts, { host }: TieredRecorder): ProxyRegistration {
  return {
    serverName: redactText(session.serverName),
    pid: process.pid,
    processStartedAt: session.processStartedAt,
    hostPid: process.ppid,
    cwd: redactText(session.cwd),
    projectDir: session.projectDir === null ? null : redactText(session.projectDir),
    sessionId: session.sessionId,
    client: host === null ? null : { name: host.app, version: host.version },
  };
}
