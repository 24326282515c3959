/**
 * A proxy's tie to a control server without sockets, files or clocks: a server by model that knows each report once, a spool,
 * the real recorder and link. Time passes only when a test says so.
 */

import type { ProxyReport, ProxyStepReport } from "../../src/core/control-wire.ts";
import type { RunEvent } from "../../src/core/event.ts";
import { foldRun } from "../../src/core/fold.ts";
import type { Run } from "../../src/core/run.ts";
import type { ServerAddress } from "../../src/kit/discovery.ts";
import type { ObservedCall } from "../../src/proxy/tiers/call-recorder.ts";
import { type ControlConnection, type LinkChange, type Reply, ServerLink } from "../../src/proxy/tiers/server-link.ts";
import { type RecordedCall, TieredRecorder } from "../../src/proxy/tiers/tiered-recorder.ts";
import { Assembler, type CallOutcome } from "../../src/record/assembler.ts";
import { redactText, trustedJson, trustedText } from "../../src/redact/redact.ts";
import type { JournalEntry } from "../../src/store/entry.ts";
import { eventOf, START } from "./wire-fixture.ts";

/**
 * How a server behaves: `acks-lost` takes what it is sent, and its answer is lost; `lost` never gets it; `stopped` gets it once
 * it goes on; `busy` answers 503, `unsure` takes it too, and answers 504.
 */
export type Behaviour = "well" | "acks-lost" | "lost" | "stopped" | "busy" | "unsure" | "dead";

/** A server that knows a report it has had, as the real one does. */
export class ModelServer {
  behaviour: Behaviour = "well";
  readonly reports = new Map<string, ProxyReport>();
  readonly bodies: string[] = [];
  registrations = 0;
  /** Reports of calls of a tool with this name are refused. */
  refusedTool = "";
  #life = 1;
  #inSocket: string[] = [];

  get token(): string {
    return `token-${this.#life}`;
  }

  /** Another server in its place, with the same store. */
  restart(): void {
    this.#life++;
    this.#inSocket = [];
    this.behaviour = "well";
  }

  goOn(): void {
    this.behaviour = "well";
    for (const body of this.#inSocket) this.#take(body);
    this.#inSocket = [];
  }

  answer(route: string, body: string, token: string): Reply | "never" {
    const silence = (reached: boolean): Reply => ({ kind: "silence", reached });
    const status = (code: number, said: object = {}): Reply => ({
      kind: "answer",
      status: code,
      body: JSON.stringify(said),
    });
    if (this.behaviour === "dead") return silence(false);
    if (this.behaviour === "lost") return silence(true);
    if (this.behaviour === "stopped") {
      if (route === "/proxy/step") this.#inSocket.push(body);
      return "never";
    }
    if (token !== this.token) return status(401);
    if (route === "/proxy/register") {
      this.registrations++;
      return status(200, { proxyId: `proxy-${this.#life}` });
    }
    if (this.behaviour === "busy") return status(503);
    const outcome = this.#take(body);
    if (this.behaviour === "unsure" && outcome === 200) return status(504);
    return this.behaviour === "acks-lost" ? silence(true) : outcome === 200 ? status(200, {}) : status(outcome);
  }

  #take(body: string): number {
    const { proxyId, reports } = JSON.parse(body) as { proxyId: string; reports: ProxyReport[] };
    if (proxyId !== `proxy-${this.#life}`) return 404;
    if (reports.some((report) => report.kind === "step" && report.toolName === this.refusedTool)) return 400;
    this.bodies.push(body);
    this.takeAll(reports);
    return 200;
  }

  takeAll(reports: readonly ProxyReport[]): void {
    for (const report of reports) {
      if (!this.reports.has(report.reportId)) this.reports.set(report.reportId, report);
    }
  }

  get steps(): ProxyStepReport[] {
    return [...this.reports.values()].filter((report) => report.kind === "step");
  }

  get ended(): ProxyStepReport[] {
    return this.steps.filter(({ status }) => status !== "running");
  }
}

export class BoundWorld {
  readonly server = new ModelServer();
  readonly entries: JournalEntry[] = [];
  readonly spooled: string[][] = [];
  readonly changes: LinkChange[] = [];
  readonly #own: Assembler;
  readonly recorder: TieredRecorder;
  readonly link: ServerLink;
  now = 1_000;
  isDown = false;
  isMeant = true;
  isAnnounced = true;
  spoolWorks = true;
  revivals = 0;
  /** Servers that were asked for by a proxy that never had one. */
  starts = 0;
  /** Happens once, while the server has been asked and does not answer. */
  meanwhile: (() => void) | null = null;
  /** What the link has said about when to come again. */
  due: number | null = 0;
  #ids = 0;
  #asked: { resolve: (reply: Reply) => void; until: number }[] = [];

  constructor() {
    this.#own = new Assembler({
      tier: "standalone",
      cwd: trustedText("/home/ada/project"),
      owner: { pid: 4711, startedAt: "boot/1" },
      serverName: trustedText("everything"),
      sessionId: null,
      newId: (prefix) => trustedText(`${prefix}_${++this.#ids}`),
      write: (entry) => this.entries.push(entry),
    });
    this.recorder = new TieredRecorder({
      own: this.#own,
      tier: "server",
      newId: () => `id-${++this.#ids}`,
      spool: (reports) => this.spoolWorks && this.spooled.push([...reports]) > 0,
      onWaiting: () => {
        this.due = Math.min(this.due ?? Number.POSITIVE_INFINITY, this.now + 40);
      },
      onOverflow: () => this.link.overflowed(),
    });
    this.link = new ServerLink(this.recorder, {
      now: () => this.now,
      find: () => (this.isAnnounced ? [this.#address] : []),
      isMeant: async () => this.isMeant,
      isDown: async () => this.isDown,
      connect: (address) => this.#connection(address),
      registration: () => "{}",
      revive: async (wasBound) => {
        if (wasBound) this.revivals++;
        else this.starts++;
      },
      tell: (change) => this.changes.push(change),
    });
  }

  get #address(): ServerAddress {
    return { host: "127.0.0.1", port: 4711, token: this.server.token };
  }

  #connection(address: ServerAddress): ControlConnection {
    let asked: ((reply: Reply) => void) | null = null;
    return {
      post: (route, body, timeoutMs) => {
        const reply = this.server.answer(route, body, address.token);
        if (reply !== "never") return Promise.resolve(reply);
        return new Promise((resolve) => {
          asked = resolve;
          this.#asked.push({ resolve, until: this.now + timeoutMs });
        });
      },
      close: () => asked?.({ kind: "silence", reached: true }),
    };
  }

  /** Lets the link do what is due now. */
  async work(): Promise<void> {
    for (let n = 0; n < 1_000 && this.due !== null && this.due <= this.now; n++) {
      this.due = null;
      const again = await this.#step();
      if (again !== null) {
        const at = this.now + again;
        this.due = this.due === null ? at : Math.min(this.due, at);
      }
    }
  }

  /** So many ms pass; the link works whenever it is due. */
  async pass(ms: number): Promise<void> {
    const end = this.now + ms;
    await this.work();
    while (this.due !== null && this.due <= end) {
      this.now = Math.max(this.now, this.due);
      await this.work();
    }
    this.now = end;
  }

  /** One step; a request that is never answered takes its whole time. */
  async #step(): Promise<number | null> {
    let isOver = false;
    const step = this.link.step().finally(() => {
      isOver = true;
    });
    while (!isOver) {
      await new Promise((resolve) => setImmediate(resolve));
      const next = this.#asked.shift();
      if (next === undefined) continue;
      this.meanwhile?.();
      this.meanwhile = null;
      this.now = Math.max(this.now, next.until);
      next.resolve({ kind: "silence", reached: true });
    }
    return await step;
  }

  traffic(): void {
    if (this.link.noteTraffic()) this.due = this.now;
  }

  call(n: number, tool = "echo"): RecordedCall {
    const fact: ObservedCall = {
      server: trustedText("everything"),
      tool: redactText(tool),
      qualifiedName: trustedText(`mcp__everything__${tool}`),
      args: trustedJson(`{"n":${n}}`),
      truncated: false,
      callId: null,
      injectedId: null,
      argsHash: null,
      sessionId: null,
      hostMeta: null,
      startedAt: START + this.now,
    };
    return this.recorder.openCall(fact);
  }

  end(call: RecordedCall, status: CallOutcome["status"] = "ok"): void {
    this.recorder.closeCall(call, {
      status,
      isError: false,
      error: null,
      rpcError: null,
      result: trustedJson(`{"content":[]}`),
      truncated: false,
      join: null,
      endedAt: START + this.now,
      legs: 1,
      waitingMs: 0,
      progress: 0,
    });
  }

  /** The session ends as the proxy ends it, with time enough for a server that answers. */
  async finish(): Promise<void> {
    const status = this.recorder.ownStatus("ended");
    this.meanwhile = null;
    this.recorder.left("ended", START + this.now);
    this.link.ending();
    for (let n = 0; n < 50 && this.recorder.waiting > 0; n++) if ((await this.#step()) === null) break;
    await this.link.settle();
    this.recorder.giveUp(START + this.now);
    this.#own.closeRun(status, START + this.now);
  }

  /** A server takes up the spool. */
  drainSpool(): void {
    for (const reports of this.spooled.splice(0)) {
      this.server.takeAll(reports.map((text) => JSON.parse(text) as ProxyReport));
    }
  }

  get ownRuns(): Run[] {
    const byRun = new Map<string, RunEvent[]>();
    for (const event of this.entries.map(eventOf)) byRun.set(event.runId, [...(byRun.get(event.runId) ?? []), event]);
    return [...byRun.values()].flatMap((events) => foldRun(events) ?? []);
  }
}
