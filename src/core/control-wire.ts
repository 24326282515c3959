import type { HookFact, MalformedReason } from "./hook-fact.ts";
import type { StepStatus } from "./run.ts";

/**
 * What processes of ours say to the control server. Pure types, so that hot roles need no schema library to write them; the
 * server checks them with the schemas of `core/api`. Everything in them is redacted by whoever read the raw bytes.
 */

/** Each route that takes a hook's report. */
export type HookRoute =
  | "/session/start"
  | "/session/prompt"
  | "/tool/pre"
  | "/tool/post"
  | "/session/stop"
  | "/session/end";

/** Where the server is, and how it is known to be ours: a discovery file's content. */
export interface Discovery {
  /** `http://127.0.0.1:PORT` */
  url: string;
  /** The bearer token of every request. */
  token: string;
  /** Informational: the session that this directory was last heard of. */
  sessionId: string | null;
  pid: number;
  /** Epoch ms. */
  startedAt: number;
  /** Start time of the process as its system tells it; guards against a recycled pid. */
  processStartedAt: string;
}

/** A hook that ran. A repeated `reportId` changes nothing. */
export interface HookReport {
  /** UUID v7. */
  reportId: string;
  /** When the receiver was started, epoch ms, fractions allowed. */
  at: number;
  /** The application, e.g. `claude-code`. */
  app: string;
  /** Its version, where it tells. */
  appVersion: string | null;
  /** Its process, where it tells: a session whose process is gone is over. */
  hostPid: number | null;
  /** The directory that the host calls its project's, where it tells. */
  projectDir: string | null;
  /** HMAC of the raw arguments of a call for which the host gives no id; never stored. */
  argsHash: string | null;
  /** The hook can put an id into the arguments of the call that is about to start. */
  mayInject: boolean;
  fact: HookFact | null;
  /** Set in place of `fact` where the hook's text could not be read. */
  malformed: { reason: MalformedReason; sessionId: string | null } | null;
}

export interface HookAnswer {
  /** Calls of this session that a hook is still to tell of. Asked again with the same report, the number is new. */
  stragglers: number;
  /** The id to put into the arguments of the call that is about to start; null: leave them alone. */
  injectedId: string | null;
}

/** `/proxy/register` */
export interface ProxyRegistration {
  serverName: string;
  pid: number;
  processStartedAt: string;
  /** The process that started it: the host, as a rule. */
  hostPid: number | null;
  cwd: string;
  projectDir: string | null;
  /** From the environment; stale once the host has begun another session. */
  sessionId: string | null;
  client: { name: string; version: string | null } | null;
}

/** One call of a tool. A repeated `reportId` changes nothing. */
export interface ProxyStepReport {
  kind: "step";
  /** UUID v7. */
  reportId: string;
  /** UUID v7 of the call: the same when it is told of while it runs and when it has ended. */
  callRef: string;
  serverName: string;
  toolName: string;
  qualifiedName: string;
  /** As the upstream got them, without an injected id. */
  args: unknown;
  argsHash: string | null;
  /** Null while it runs, and where there was none. */
  result: unknown;
  isError: boolean;
  errorMessage: string | null;
  /** The JSON-RPC error that answered the call, whole. */
  rpcError: unknown;
  /** Epoch ms with fractions. */
  startedAt: number;
  /** Null while it runs. */
  durationMs: number | null;
  waitingMs: number;
  progress: number;
  status: StepStatus;
  hostCallId: string | null;
  injectedId: string | null;
  /** From the call's `_meta`. */
  sessionId: string | null;
  hostMeta: unknown;
  legs: number;
  truncated: boolean;
  /** Which answer ended the call is not certain. */
  isAmbiguous: boolean;
}

/** What a proxy tells beside calls. `left`: it ends, and nothing of it follows. */
export type ProxyEventReport =
  | { kind: "gap"; reportId: string; at: number; reason: string; lost: number }
  | { kind: "warning"; reportId: string; at: number; text: string }
  /** Calls that the host made for hooks of its own since the last report. */
  | { kind: "host-hook-calls"; reportId: string; at: number; count: number }
  | { kind: "client"; reportId: string; at: number; name: string; version: string | null }
  | { kind: "left"; reportId: string; at: number; how: "ended" | "failed" };

/** `/proxy/step` takes them in the order things happened, and answers once all of them are committed. */
export type ProxyReport = ProxyStepReport | ProxyEventReport;

/** One line of a spool file: a report that found no server, with the route it was meant for. */
export type SpooledReport =
  | { route: HookRoute; report: HookReport }
  | { route: "/proxy/step"; registration: ProxyRegistration; reports: ProxyReport[] };

/** The route for what a hook told. */
export function routeOf(kind: HookFact["kind"]): HookRoute {
  switch (kind) {
    case "session-started":
      return "/session/start";
    case "session-ended":
      return "/session/end";
    case "tool-starting":
    case "permission-asked":
      return "/tool/pre";
    case "tool-ended":
    case "tool-failed":
    case "batch-ended":
      return "/tool/post";
    case "stopped":
    case "stop-failed":
    case "subagent-stopped":
      return "/session/stop";
    default:
      return "/session/prompt";
  }
}
