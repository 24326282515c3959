/**
 * Where an answer sends a request to: again with its method and its body, or not at all. A person's credentials go to the origin
 * they were given for and nowhere else, and nothing that went over TLS is repeated without it. Pure. Never quotes a URL.
 */

import { HttpFailure, type HttpRequest, type HttpResponse } from "./http.ts";
import { bareHost, isLoopback } from "./url-parts.ts";

const MAX_REDIRECTS = 5;
const FOLLOWED = new Set([301, 302, 307, 308]);

/**
 * The request that an answer asks for instead; null when it is no redirect. `onSent` is not told again.
 * @param followed how many were followed before
 * @throws HttpFailure `invalid` for one that is not followed
 */
export function redirected(
  request: HttpRequest,
  answer: Pick<HttpResponse, "status" | "headers">,
  followed: number,
): HttpRequest | null {
  const { status } = answer;
  const location = answer.headers.get("location");
  if (status === 303) throw new HttpFailure("invalid", "the server redirects to another method (HTTP 303)");
  if (!FOLLOWED.has(status) || location === undefined) return null;
  if (followed >= MAX_REDIRECTS) {
    throw new HttpFailure("invalid", `the server redirects more than ${MAX_REDIRECTS} times`);
  }
  const url = URL.canParse(location, request.url.href) ? new URL(location, request.url) : null;
  if (url === null || (url.protocol !== "https:" && url.protocol !== "http:")) {
    throw new HttpFailure("invalid", `the server redirects to an address that cannot be reached (HTTP ${status})`);
  }
  if (request.url.protocol === "https:" && url.protocol === "http:" && !isLoopback(bareHost(url))) {
    throw new HttpFailure("invalid", `the server redirects from https to http (HTTP ${status})`);
  }
  const isSameOrigin = url.origin === request.url.origin;
  const { method, headers, credentials, body, signal } = request;
  return { method, url, headers, credentials: isSameOrigin ? credentials : [], body, signal };
}
