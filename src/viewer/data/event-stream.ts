/**
 * Server-sent events out of a stream of text, whatever pieces it comes in: `event`, `data` and `id` fields, comments passed over.
 * Pure. The page reads them through `fetch`, because an `EventSource` cannot send the header that proves who asks.
 */

export interface StreamEvent {
  name: string;
  data: string;
  /** The last id that the stream gave; null while there was none. */
  id: string | null;
}

export class EventStreamParser {
  readonly #onEvent: (event: StreamEvent) => void;
  /** Pieces of a line whose end has not come. */
  #line: string[] = [];
  #name = "";
  #id: string | null = null;
  #data: string[] = [];

  constructor(onEvent: (event: StreamEvent) => void) {
    this.#onEvent = onEvent;
  }

  /** Takes the next piece of text; tells every event that is complete with it. */
  add(text: string): void {
    let from = 0;
    for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n", from)) {
      this.#line.push(text.slice(from, end));
      // The service ends lines with LF; a proxy on the way may have made CRLF of it.
      this.#endLine(this.#line.join("").replace(/\r$/, ""));
      this.#line = [];
      from = end + 1;
    }
    if (from < text.length) this.#line.push(text.slice(from));
  }

  #endLine(line: string): void {
    if (line === "") {
      if (this.#data.length > 0) this.#onEvent({ name: this.#name, data: this.#data.join("\n"), id: this.#id });
      this.#name = "";
      this.#data = [];
      return;
    }
    const colon = line.indexOf(":");
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (field === "event") this.#name = value;
    else if (field === "data") this.#data.push(value);
    else if (field === "id") this.#id = value;
  }
}
