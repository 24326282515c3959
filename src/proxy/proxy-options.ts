import type { Upstream } from "../upstream/upstream.ts";

/** What a proxy is told to do: the command line and the environment, read. */
export interface ProxyOptions {
  serverName: string;
  /** Starts the server; throws `StartFailure`. Called again for a restart. */
  start: () => Upstream;
  record: boolean;
  /** Start the server once more when it dies, repeating the handshake. */
  restart: boolean;
  /** When the server is gone for good, stay and answer that it is not available. */
  stayUp: boolean;
  /** Records by itself, whether or not there is a control server. */
  standalone: boolean;
  /** Records only where recording was set up for the directory. */
  userScope: boolean;
  /** Takes ids of ours out of calls, which may be so many bytes long; null: none are put in. */
  takesIdsUpToBytes: number | null;
}
