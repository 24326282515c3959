/**
 * How a URL is reached: which host, through which proxy, with TLS or without. Pure. Never holds a path, a query or a header of a request.
 */

import { HttpFailure } from "./http.ts";
import { chooseProxy, type Environment, type ProxyServer } from "./proxy-choice.ts";
import { bareHost, portOf } from "./url-parts.ts";

export interface Route {
  /** Connections of one key can stand in for each other. */
  key: string;
  isSecure: boolean;
  /** Without brackets. */
  host: string;
  port: number;
  /** `host:port` as it is written on the wire. */
  authority: string;
  proxy: ProxyServer | null;
}

/** @throws HttpFailure for a URL that is neither http nor https, and for a proxy that cannot be used */
export function routeTo(url: URL, env: Environment): Route {
  if (url.protocol !== "https:" && url.protocol !== "http:") {
    throw new HttpFailure("invalid", "only http:// and https:// addresses can be reached");
  }
  const isSecure = url.protocol === "https:";
  const port = portOf(url);
  const authority = `${url.hostname}:${port}`;
  const proxy = chooseProxy(url, env);
  // Requests without TLS reach any host over one and the same connection to their proxy.
  const target = isSecure || proxy === null ? `${url.protocol}//${authority}` : "http:";
  return { key: `${target} ${proxy?.key ?? ""}`, isSecure, host: bareHost(url), port, authority, proxy };
}
