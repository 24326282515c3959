import type { HeaderList, HttpClient } from "../http/http.ts";
import type { Inbox } from "./inbox.ts";
import type { Reachability } from "./reachability.ts";

/** What all that speaks with one remote server shares. */
export interface RemoteWire {
  readonly serverName: string;
  readonly url: URL;
  readonly client: HttpClient;
  /** What a person has configured: for the origin of `url` only. */
  readonly credentials: HeaderList;
  /** A message that has to be held whole may be this long. */
  readonly mostBytes: number;
  readonly connectTimeoutMs: number;
  readonly inbox: Inbox;
  readonly reachability: Reachability;
  /** Aborted when the session is over. */
  readonly closing: AbortSignal;
}
