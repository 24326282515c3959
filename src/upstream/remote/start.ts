import { readNumber } from "../../kit/env-number.ts";
import { log } from "../../kit/log.ts";
import { createHttpClient } from "../http/http-client.ts";
import { type HeaderSources, readConfiguredHeaders } from "./configured-headers.ts";
import { RemoteUpstream } from "./remote-upstream.ts";

/** A remote server, put together from what a person has configured. Loaded only where one is asked for. */

export interface RemoteTarget extends HeaderSources {
  url: URL;
  transport: "http" | "sse" | null;
}

/** Nothing is connected before the host says something. Throws `Problem` for headers that cannot be sent. */
export function prepareRemote(serverName: string, target: RemoteTarget): () => RemoteUpstream {
  const { env } = process;
  const connectTimeoutMs = readNumber("BIR_UPSTREAM_CONNECT_TIMEOUT_MS");
  const mostBytes = readNumber("BIR_UPSTREAM_MAX_MESSAGE_BYTES");
  const configured = readConfiguredHeaders(target, env);
  const { url, transport } = target;
  return () => {
    const client = createHttpClient({ connectTimeoutMs, env, warn: log });
    return new RemoteUpstream({ serverName, url, transport, configured, mostBytes, connectTimeoutMs }, client);
  };
}
