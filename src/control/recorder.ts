import type {
  HookAnswer,
  HookReport,
  HookRoute,
  ProxyEventReport,
  ProxyRegistration,
  ProxyStepReport,
} from "../core/control-wire.ts";
import type { RedactedJson, RedactedText } from "../core/redacted.ts";

/**
 * What stands behind the server's routes: takes what hooks and proxies tell and answers once it is committed. The server
 * knows this and nothing of runs; what records knows nothing of HTTP.
 */

type Payloads = "args" | "result" | "rpcError" | "hostMeta";

/** `T` with free text typed as the redacted text that it is. */
type Sent<T> = {
  [K in keyof T]: T[K] extends string | null
    ? string extends NonNullable<T[K]>
      ? RedactedText | Extract<T[K], null>
      : T[K]
    : T[K];
};

/** A call as a proxy told it; its payloads are the very text of the request, so that numbers stay as they were. */
export type ProxyStep = Sent<Omit<ProxyStepReport, Payloads>> & Record<Payloads, RedactedJson | null>;

/** What a proxy told, in the order things happened. */
export type ProxyTold = ProxyStep | Sent<ProxyEventReport>;

/** Where the server stands: is anybody there for whom it has to stay? */
export interface Occupation {
  sessions: number;
  proxies: number;
  openRuns: number;
}

/**
 * Thrown where the store does not take it just now: nothing was acknowledged, and the sender keeps it. `isKept`: it is in the
 * recorder's memory, and may be committed after all, so the sender must not tell it elsewhere.
 */
export class NotTaken extends Error {
  readonly isKept: boolean;

  constructor(message: string, isKept: boolean) {
    super(message);
    this.isKept = isKept;
  }
}

export interface Recorder {
  /** Answers once what the hook tells is committed. A repeat is answered like the first. Throws `NotTaken`. */
  takeHook(route: HookRoute, report: HookReport): Promise<HookAnswer>;
  /** Answers the id under which the proxy reports. */
  register(registration: ProxyRegistration): string;
  /** Answers once all of it is committed; false where no proxy has this id. Throws `NotTaken`. */
  takeProxy(proxyId: string, told: readonly ProxyTold[]): Promise<boolean>;
  occupation(): Occupation;
  /** About once a second: what has to be done when nothing asks. */
  tick(): void;
  /** Commits what it can and lets go of the store; runs that are open stay open for the next server. */
  close(): Promise<void>;
}
