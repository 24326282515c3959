import { spooledReportSchema } from "../../core/api/control.ts";
import type { HookReport, ProxyRegistration } from "../../core/control-wire.ts";
import type { DirectoryHeardOf } from "../discovery-files.ts";
import { proxyTold } from "../proxy-told.ts";
import type { Recorder } from "../recorder.ts";

/** One line of a spool file: whether it can be read, when it was told, and how it is handed to the recorder. */

/** The moment at which a line was told, epoch ms; null where it cannot be read. */
export function momentOfLine(text: string): number | null {
  const line = readLine(text);
  if (line === null) return null;
  if (line.route !== "/proxy/step") return line.report.at;
  const [first] = line.reports;
  if (first === undefined) return 0;
  // A call that has ended was told at its end.
  return first.kind === "step" ? first.startedAt + (first.durationMs ?? 0) : first.at;
}

type Line = NonNullable<ReturnType<typeof readLine>>;

function readLine(text: string) {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  const result = spooledReportSchema.safeParse(value);
  return result.success ? result.data : null;
}

const MAX_KNOWN_PROXIES = 100;

/** Hands lines to the recorder, as the requests that they were meant to be. */
export class LineTaker {
  readonly #recorder: Recorder;
  readonly #heardOf: DirectoryHeardOf;
  /** Registration → the id it got, so that a proxy is one and the same for all its lines. */
  readonly #proxies = new Map<string, string>();

  constructor(recorder: Recorder, heardOf: DirectoryHeardOf) {
    this.#recorder = recorder;
    this.#heardOf = heardOf;
  }

  /** Resolves once it is committed; a line that cannot be read changes nothing. Throws `NotTaken`. */
  async take(text: string): Promise<void> {
    const line = readLine(text);
    if (line === null) return;
    if (line.route === "/proxy/step") return await this.#takeReports(text, line);
    // As in a request: the sender has redacted it.
    const report = line.report as HookReport;
    await this.#recorder.takeHook(line.route, report);
    this.#heardOf([report.projectDir, report.fact?.cwd ?? null], report.fact?.sessionId ?? null);
  }

  async #takeReports(text: string, { registration, reports }: Line & { route: "/proxy/step" }): Promise<void> {
    const told = proxyTold(text, reports);
    if (await this.#recorder.takeProxy(this.#proxyId(registration), told)) return;
    // The recorder has forgotten the proxy since.
    this.#proxies.clear();
    await this.#recorder.takeProxy(this.#proxyId(registration), told);
  }

  #proxyId(registration: ProxyRegistration): string {
    const key = JSON.stringify(registration);
    const known = this.#proxies.get(key);
    if (known !== undefined) return known;
    if (this.#proxies.size >= MAX_KNOWN_PROXIES) this.#proxies.clear();
    const id = this.#recorder.register(registration);
    this.#proxies.set(key, id);
    this.#heardOf([registration.projectDir, registration.cwd], registration.sessionId);
    return id;
  }
}
