import { EXIT } from "../core/exit-codes.ts";
import { Problem } from "../core/problem.ts";
import { problemAnswer } from "../http-server/problem-answer.ts";
import { systemCode, systemReason } from "../kit/system-reason.ts";

/**
 * The sockets of the service: this machine's own addresses, and one more where that is asked for. Knows nothing of what is asked
 * or answered there.
 */

export interface ListenOptions {
  /** Null: the usual one, or any other where that is taken. */
  port: number | null;
  /** An address to listen on beside this machine's own; null: none. */
  host: string | null;
  /** The runtime refuses longer bodies by itself. */
  maxBodyBytes: number;
  fetch: (request: Request, port: number) => Response | Promise<Response>;
  onFault: (cause: unknown) => void;
}

export interface Sockets {
  port: number;
  /** Takes no new connections; `isAtOnce`: ends those that there are, too. */
  stop(isAtOnce: boolean): Promise<void>;
}

/** Easy to remember, and no other program's. */
export const USUAL_PORT = 7331;
/** A connection on which nothing passes, not even the sign of life of a stream, is closed. */
const IDLE_SECONDS = 120;

/** Listens; throws Problem where it cannot. */
export function listen(options: ListenOptions): Sockets {
  const wide = options.host !== null && isEverywhere(options.host) ? options.host : null;
  // Everything else is reached through the addresses of this machine, too.
  const first = open(options, wide ?? "127.0.0.1");
  const port = first.port ?? 0;
  const servers = [first];
  const more = wide === null ? [options.host, "::1"] : wide === "::" ? [] : ["::1"];
  for (const host of more) {
    if (host === null || host === "127.0.0.1" || host === "localhost") continue;
    try {
      servers.push(openAt(options, host, port));
    } catch (cause) {
      // There may be no IPv6 on this machine, and nobody has asked for it.
      if (host === "::1") continue;
      for (const server of servers) void server.stop(true);
      throw cannotListen(cause, host, port);
    }
  }
  return {
    port,
    stop: async (isAtOnce) => {
      await Promise.all(servers.map((server) => server.stop(isAtOnce)));
    },
  };
}

/** True for what means all addresses of a machine. */
export function isEverywhere(host: string): boolean {
  return host === "0.0.0.0" || host === "::";
}

function open(options: ListenOptions, host: string): Bun.Server<undefined> {
  try {
    return openAt(options, host, options.port ?? USUAL_PORT);
  } catch (cause) {
    if (options.port === null && systemCode(cause) === "EADDRINUSE") return openAt(options, host, 0);
    throw cannotListen(cause, host, options.port ?? USUAL_PORT);
  }
}

function openAt(
  { fetch, maxBodyBytes, onFault }: ListenOptions,
  hostname: string,
  port: number,
): Bun.Server<undefined> {
  return Bun.serve({
    hostname,
    port,
    idleTimeout: IDLE_SECONDS,
    development: false,
    maxRequestBodySize: maxBodyBytes,
    fetch: (request, server) => fetch(request, server.port ?? 0),
    error: (cause) => {
      onFault(cause);
      return problemAnswer(500);
    },
  });
}

function cannotListen(cause: unknown, host: string, port: number): Problem {
  const code = systemCode(cause);
  if (code === null) throw cause;
  const why = code === "EADDRINUSE" ? "another program listens there" : systemReason(code);
  return new Problem(
    code === "EADDRINUSE" ? "port-taken" : "cannot-listen",
    `the service cannot listen on ${host}, port ${port}: ${why}`,
    "Name another one with --port, or leave --port away: then it takes one that is free.",
    EXIT.failed,
  );
}
