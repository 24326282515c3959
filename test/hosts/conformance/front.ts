/** Our own HTTP front: makes a Streamable HTTP server of both eras out of a stdio command. */

import { type HttpSide, serveHttp } from "./http-side.ts";
import { StdioBackend, type StdioBackendOptions } from "./stdio-backend.ts";

/**
 * Serves the command on a free port. Nothing on stdio tells that the server behind has closed a stream to be polled, so the
 * front polls by itself what takes longer than most calls.
 */
export function serveFront(options: StdioBackendOptions): Promise<HttpSide> {
  return serveHttp(new StdioBackend(options), { retryMs: 200, suspendAfterMs: 600 });
}
