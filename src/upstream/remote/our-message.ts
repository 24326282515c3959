import { Exchange } from "./exchange.ts";
import { readHostLine } from "./message-meta.ts";
import { Outgoing } from "./outgoing.ts";

/** A message of ours to a server, of which the host knows nothing. */
export function ourMessage(text: string): Outgoing {
  const line = readHostLine(text);
  return new Outgoing(Buffer.from(text), text, line, new Exchange(line, true), () => {});
}
