import type { HeaderList } from "../../http/http.ts";

/** The headers of requests under the versions that have a handshake (up to 2025-11-25). */

/** What the handshake has agreed on: `id` where the server keeps sessions, `version` once it has named one. */
export interface LegacySession {
  readonly id: string | null;
  readonly version: string | null;
}

export const NO_SESSION: LegacySession = { id: null, version: null };

const BOTH = "application/json, text/event-stream";

/** For a message to the server. */
export function postHeaders(session: LegacySession): HeaderList {
  return [["Content-Type", "application/json"], ["Accept", BOTH], ...sessionHeaders(session)];
}

/** For a stream from it, which goes on behind an event where one is given. */
export function streamHeaders(session: LegacySession, lastEventId: string | null): HeaderList {
  const resumed = lastEventId === null ? [] : ([["Last-Event-ID", asHeader(lastEventId)]] as const);
  return [["Accept", "text/event-stream"], ...sessionHeaders(session), ...resumed];
}

/** The bytes of a text in UTF-8, as a header's value is written. */
function asHeader(text: string): string {
  return Buffer.from(text, "utf8").toString("latin1");
}

/** For the end of a session. */
export function sessionHeaders({ id, version }: LegacySession): HeaderList {
  return [
    ...(id === null ? [] : ([["Mcp-Session-Id", id]] as const)),
    ...(version === null ? [] : ([["MCP-Protocol-Version", version]] as const)),
  ];
}
