import { eachMember, stringValue } from "../../../jsonrpc/json-span.ts";
import type { Message } from "../../../jsonrpc/message.ts";
import { logDegradedOnce } from "../../../kit/log.ts";
import type { Exchange } from "../exchange.ts";
import type { HostMessage } from "../message-meta.ts";
import type { Outgoing } from "../outgoing.ts";
import type { RemoteWire } from "../wire.ts";
import { ToolSchemas } from "./tool-schemas.ts";
import { readToolsList, withoutInvalidTools } from "./tools-list.ts";

/**
 * What a stateless server has told of its tools: learned from every list that passes, and asked for again when it may have changed and a
 * call depends on it. Takes out of a list what a client over HTTP must not offer.
 */

/** The id of our own lists; hosts never see it. */
const OUR_ID = '"bir:tools"';
/** A page of a list of ours has to be answered within this; the call then goes with what is known. */
const LISTING_MS = 2_000;
/** After a list of ours came to nothing, calls go with what is known for so long. */
const NO_LISTING_MS = 60_000;
const MOST_PAGES = 100;

/** Sends a list of ours and resolves when it is answered, or never will be. */
export type SendOurs = (text: string, passage: NonNullable<Exchange["passage"]>, withinMs: number) => Promise<void>;

export class ToolListing {
  readonly #wire: RemoteWire;
  readonly #send: SendOurs;
  readonly #schemas = new ToolSchemas();
  #listing: Promise<void> | null = null;
  /** When it makes sense again to ask the server for a list. */
  #notBefore = 0;
  /** How often the server has said that its tools have changed. */
  #changes = 0;

  constructor(wire: RemoteWire, send: SendOurs) {
    this.#wire = wire;
    this.#send = send;
  }

  /** Has the answer to a host's list looked at on its way. */
  watch({ line, exchange }: Outgoing): void {
    const [message] = line.messages;
    if (message?.method !== "tools/list" || line.isBatch) return;
    const isFirst = !message.hasCursor;
    const changes = this.#changes;
    exchange.passage = (bytes, _answer, answer) => this.#learn(answer, isFirst, changes) ?? bytes;
  }

  /** The server says that its tools have changed. */
  changed(): void {
    this.#changes++;
    this.#schemas.markStale();
  }

  /** What the tool of a call asks for, after asking the server where that may be out of date. */
  async declarationsFor(call: HostMessage, out: Outgoing) {
    const { name } = call;
    if (name === null) return [];
    const known = this.#schemas.find(name, performance.now());
    const isInDoubt = known.state === "stale" && this.#schemas.declaresAny && performance.now() >= this.#notBefore;
    if (!isInDoubt) return known.declarations;
    await this.refresh(out);
    return this.#schemas.find(name, performance.now()).declarations;
  }

  /** Asks the server for its tools, in the name of whoever makes the call. */
  refresh(call: Outgoing): Promise<void> {
    this.#listing ??= this.#listAll(metaOf(call.text)).finally(() => {
      this.#listing = null;
    });
    return this.#listing;
  }

  async #listAll(meta: string): Promise<void> {
    let cursor: string | null = null;
    for (let page = 0; page < MOST_PAGES; page++) {
      const params: string = cursor === null ? `{"_meta":${meta}}` : `{"cursor":${cursor},"_meta":${meta}}`;
      const asked = cursor;
      const changes = this.#changes;
      let next: string | null = null;
      let isListed = false;
      await this.#send(
        `{"jsonrpc":"2.0","id":${OUR_ID},"method":"tools/list","params":${params}}`,
        (_line, message, text) => {
          isListed = message.error === null;
          this.#learn(text, asked === null, changes);
          next = nextCursor(message, text);
          return null;
        },
        LISTING_MS,
      );
      this.#notBefore = isListed ? 0 : performance.now() + NO_LISTING_MS;
      if (next === null) return;
      cursor = next;
    }
  }

  /** Learns one page, asked for after so many `changes`; answers it as the host may have it, where that is not as it came. */
  #learn(text: string, isFirst: boolean, changes: number): Uint8Array | null {
    const list = readToolsList(text);
    if (list === null) return null;
    // A list without a time is good until something speaks against it.
    this.#schemas.learn(
      { ...list, ttlMs: list.ttlMs > 0 ? list.ttlMs : Number.POSITIVE_INFINITY },
      isFirst,
      performance.now(),
    );
    // It may be of the time before.
    if (changes !== this.#changes) this.#schemas.markStale();
    const { text: kept, dropped } = withoutInvalidTools(text, list);
    for (const { name, reason } of dropped) {
      logDegradedOnce("DEG-20", `server "${this.#wire.serverName}": tool ${quoted(name)} is left out: ${reason}`);
    }
    return dropped.length === 0 ? null : Buffer.from(kept);
  }
}

function nextCursor({ result }: Message, text: string): string | null {
  let cursor: string | null = null;
  if (result === null) return null;
  eachMember(text, result.start, (key, from, to) => {
    if (key === "nextCursor" && stringValue(text, from, to) !== null) cursor = text.slice(from, to);
  });
  return cursor;
}

/** What a request of ours has to say of whom it is made for: the protocol's own members of a call's `_meta`. */
function metaOf(text: string): string {
  const meta = memberOf(text, "_meta");
  if (meta === null) return "{}";
  const kept: string[] = [];
  eachMember(meta, 0, (key, _from, to, keyStart) => {
    if (key.startsWith("io.modelcontextprotocol/") && to > 0) kept.push(meta.slice(keyStart, to));
  });
  return `{${kept.join(",")}}`;
}

/** The text of a member of `params`; null where it is not there. */
function memberOf(text: string, name: string): string | null {
  let found: string | null = null;
  eachMember(text, 0, (key, start) => {
    if (key !== "params") return;
    eachMember(text, start, (inner, from, to) => {
      if (inner === name && to > 0) found = text.slice(from, to);
    });
  });
  return found;
}

/** A name for a log: printable and short, whatever the server wrote. */
function quoted(name: string | null): string {
  const printable = (name ?? "without a name").replace(/[^ -~]/g, "?");
  return JSON.stringify(printable.length > 100 ? `${printable.slice(0, 100)}…` : printable);
}
