import type { Access } from "../../core/api/route-spec.ts";
import { problemAnswer } from "../../http-server/problem-answer.ts";
import { isSecret } from "../../http-server/secret.ts";
import type { BrowserSessions } from "./browser-sessions.ts";

/**
 * Who may ask the service. A page of another site and a name that was made to point here are refused before anything else is
 * looked at: any page in a browser on this machine reaches the port. Then the service's token, or a browser that was let in.
 */

export interface GuardOptions {
  /** The service's token. */
  token: string;
  sessions: BrowserSessions;
  /** Names beside this machine's own that requests may be for, in small letters, without a port. */
  allowedHosts: readonly string[];
}

const LOOPBACK_NAMES = ["127.0.0.1", "localhost", "[::1]"];

export class Guard {
  readonly #isToken: (authorization: string) => boolean;
  readonly #sessions: BrowserSessions;
  readonly #allowedHosts: ReadonlySet<string>;

  constructor({ token, sessions, allowedHosts }: GuardOptions) {
    this.#isToken = isSecret(`Bearer ${token}`);
    this.#sessions = sessions;
    this.#allowedHosts = new Set(allowedHosts);
  }

  /** Null for a request that may pass, and else the answer to give it. `port` is the service's own. */
  refusal(request: Request, port: number, access: Access): Response | null {
    const refusal = this.strangerAt(request, port);
    if (refusal !== null || access === "anyone") return refusal;
    const { headers } = request;
    const authorization = headers.get("authorization");
    if (authorization !== null) {
      return this.#isToken(authorization) ? null : unauthorized();
    }
    return access === "reader" && this.#sessions.knows(headers, port) ? null : unauthorized();
  }

  /** The refusal of whoever does not come from where one may; null for all others. */
  strangerAt(request: Request, port: number): Response | null {
    const { headers } = request;
    const host = headers.get("host")?.toLowerCase() ?? "";
    if (!this.#isOwnHost(host, port) || !isOwnOrigin(headers.get("origin"), host)) return problemAnswer(403);
    return isForeignSite(request) ? problemAnswer(403) : null;
  }

  #isOwnHost(host: string, port: number): boolean {
    const [, name = "", digits] = /^(\[[0-9a-f:.]+\]|[^:]*)(?::(\d{1,5}))?$/.exec(host) ?? [];
    if (this.#allowedHosts.has(name)) return true;
    return LOOPBACK_NAMES.includes(name) && Number(digits ?? 80) === port;
  }
}

/** What the browser says of the page that asks: one of this very host, on whatever side of TLS. */
function isOwnOrigin(origin: string | null, host: string): boolean {
  return origin === null || origin === `http://${host}` || origin === `https://${host}`;
}

/** Asked by a page of another site, or of another port of this machine. A person may follow a link to the page from anywhere. */
function isForeignSite({ method, headers }: Request): boolean {
  const site = headers.get("sec-fetch-site");
  if (site === null || site === "same-origin" || site === "none") return false;
  const isVisit = headers.get("sec-fetch-mode") === "navigate" && headers.get("sec-fetch-dest") === "document";
  return !(isVisit && (method === "GET" || method === "HEAD"));
}

function unauthorized(): Response {
  return problemAnswer(401, { title: "not let in, or not any more" }, { "www-authenticate": "Bearer" });
}
