/**
 * Which proxy leads to a URL, by the variables that curl goes by: `HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY`, `NO_PROXY`. The name in
 * small letters wins, even when empty: so a person turns one off. Pure. Never puts a value of a variable into a message.
 */

import { HttpFailure } from "./http.ts";
import { isExempt } from "./no-proxy.ts";
import { bareHost, isLoopback, portOf } from "./url-parts.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

export interface ProxyServer {
  /** Tells proxies apart; never to be shown, as it holds the credentials. */
  key: string;
  /** Spoken to over TLS. */
  isSecure: boolean;
  /** Without brackets. */
  host: string;
  port: number;
  /** The value of `proxy-authorization`: for the proxy only. */
  authorization: string | null;
}

/**
 * Null where the URL is reached directly, as a host of this very machine always is: to a proxy elsewhere its name means another one.
 * @throws HttpFailure `unreachable` where a proxy is named that cannot be used
 */
export function chooseProxy(url: URL, env: Environment): ProxyServer | null {
  if (isLoopback(bareHost(url))) return null;
  const named = variable(env, url.protocol === "https:" ? "https_proxy" : "http_proxy") ?? variable(env, "all_proxy");
  if (named === null || named.value === "") return null;
  if (isExempt(url, variable(env, "no_proxy")?.value ?? "")) return null;
  return parseProxy(named.name, named.value);
}

function variable(env: Environment, name: string): { name: string; value: string } | null {
  for (const spelled of [name, name.toUpperCase()]) {
    const value = env[spelled];
    if (value !== undefined) return { name: spelled, value: value.trim() };
  }
  return null;
}

function parseProxy(name: string, value: string): ProxyServer {
  const text = value.includes("://") ? value : `http://${value}`;
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || url.hostname === "") {
    throw new HttpFailure("unreachable", `${name} does not hold the address of a proxy (http://host:port)`);
  }
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    const scheme = url.protocol.slice(0, -1);
    throw new HttpFailure(
      "unreachable",
      `${name} names a ${scheme} proxy: only http:// and https:// proxies can be used`,
    );
  }
  const isSecure = url.protocol === "https:";
  return {
    key: url.href,
    isSecure,
    host: bareHost(url),
    port: portOf(url),
    authorization: basicAuthorization(url),
  };
}

function basicAuthorization({ username, password }: URL): string | null {
  if (username === "" && password === "") return null;
  return `Basic ${Buffer.from(`${decoded(username)}:${decoded(password)}`).toString("base64")}`;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
