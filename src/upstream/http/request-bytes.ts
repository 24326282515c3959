/**
 * The bytes of a request's head. The one place where headers are written, and so the one where a line end in a name or a value is
 * refused: nobody can smuggle in a header or a second request. Pure. Never quotes a value.
 */

import { type HeaderList, HttpFailure, type HttpRequest } from "./http.ts";
import type { Route } from "./route.ts";

const NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

/** These say how the message is cut and what the connection does: ours to say. */
const OURS = new Set([
  "accept-encoding",
  "connection",
  "content-length",
  "expect",
  "keep-alive",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/**
 * Everything before the body. Through a proxy without TLS the whole address is named, and the proxy's credentials are told.
 * @throws HttpFailure `invalid` for a header that cannot be sent
 */
export function requestHead(request: HttpRequest, route: Route): string {
  const { method, url, headers, credentials, body } = request;
  const isAsked = !route.isSecure && route.proxy !== null;
  const target = `${isAsked ? `http://${url.host}` : ""}${url.pathname}${url.search}`;
  const given = headerLines(headers) + headerLines(credentials);
  let head = `${method} ${target} HTTP/1.1\r\n`;
  if (!/(?:^|\n)host:/i.test(given)) head += `host: ${url.host}\r\n`;
  head += `${given}accept-encoding: identity\r\n`;
  if (body !== null || method === "POST") head += `content-length: ${body?.length ?? 0}\r\n`;
  if (isAsked && route.proxy?.authorization) head += `proxy-authorization: ${route.proxy.authorization}\r\n`;
  return `${head}\r\n`;
}

function headerLines(headers: HeaderList): string {
  let lines = "";
  for (const [name, value] of headers) {
    if (!NAME.test(name)) throw new HttpFailure("invalid", "a header to be sent has a name that HTTP does not allow");
    if (!VALUE.test(value)) {
      throw new HttpFailure(
        "invalid",
        `the value of the header ${name} has a line end or a character HTTP does not allow`,
      );
    }
    if (OURS.has(name.toLowerCase())) throw new HttpFailure("invalid", `the header ${name} cannot be set`);
    lines += `${name}: ${value}\r\n`;
  }
  return lines;
}
