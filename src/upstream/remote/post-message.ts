import type { HeaderList, HttpResponse } from "../http/http.ts";
import type { Outgoing } from "./outgoing.ts";
import type { RemoteWire } from "./wire.ts";

/** Sends a message to the server, at `url` where that is not its own address. Rejects with `HttpFailure` only. */
export async function postMessage(
  { client, credentials, url: ownUrl }: RemoteWire,
  { bytes: body, exchange, left }: Outgoing,
  headers: HeaderList,
  url: URL = ownUrl,
): Promise<HttpResponse> {
  const { signal } = exchange;
  const response = await client.send({ method: "POST", url, headers, credentials, body, signal, onSent: left });
  // Also where the answer came first: nobody waits for the rest to leave.
  left();
  return response;
}
