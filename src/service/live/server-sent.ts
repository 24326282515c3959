/** Server-sent events as text, as the HTML standard defines them. */

/** An event; `json` is one line of JSON text. */
export function serverSent(name: string, json: string, id?: string): string {
  return `event: ${name}\n${id === undefined ? "" : `id: ${id}\n`}data: ${json}\n\n`;
}

/** Shows both ends that the other is there. */
export const HEARTBEAT = ":\n\n";
