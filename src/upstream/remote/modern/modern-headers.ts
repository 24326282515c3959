import type { HeaderList } from "../../http/http.ts";
import type { HostLine } from "../message-meta.ts";
import { routingHeaders } from "./routing-headers.ts";

/** The headers of a message of the stateless protocol (2026-07-28); `ofParameters`: those that its tool asks for. */
export function modernHeaders(line: HostLine, ofParameters: HeaderList): HeaderList {
  const [message] = line.messages;
  return [
    ["Content-Type", "application/json"],
    ["Accept", "application/json, text/event-stream"],
    ...(message === undefined ? [] : routingHeaders(message)),
    ...ofParameters,
  ];
}
