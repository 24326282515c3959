/** The two who talk for the host in golden exchanges: a direct client by the book, and a raw host behind the proxy. */

import type { HttpPeer } from "../fakes/http-peer/http-peer.ts";
import { Deadline } from "./deadline.ts";
import { News } from "./news.ts";
import type { GoldenHost, GoldenScript, GoldenTurn } from "./remote-golden.ts";
import { startRemote } from "./remote-session.ts";
import type { RunningProcess } from "./running-process.ts";
import type { Sandbox } from "./sandbox.ts";

/** Speaks HTTP itself: as little of a client as the scripts need, and without any SDK. */
export class DirectHost implements GoldenHost {
  readonly #url: string;
  readonly #kind: GoldenScript["kind"];
  readonly #got: string[] = [];
  readonly #news = new News();
  readonly #abort = new AbortController();
  /** Where messages go. */
  #endpoint: string;
  /** Of the session, once they are known. */
  #headers: Record<string, string> = {};

  constructor(peer: HttpPeer, { kind }: GoldenScript) {
    this.#url = peer.url;
    this.#endpoint = peer.url;
    this.#kind = kind;
  }

  async say({ say, headers = {}, opensStream }: GoldenTurn): Promise<void> {
    if (this.#kind === "sse" && this.#endpoint === this.#url) await this.#open();
    const answer = await fetch(this.#endpoint, {
      method: "POST",
      body: say,
      headers: {
        accept: "application/json, text/event-stream",
        "content-type": "application/json",
        ...this.#headers,
        ...headers,
      },
    });
    const sessionId = answer.headers.get("mcp-session-id");
    if (sessionId !== null) this.#headers = { "mcp-session-id": sessionId };
    if (answer.headers.get("content-type") === "text/event-stream") await this.#read(answer);
    else this.#take(await answer.text());
    if (opensStream && this.#kind === "legacy") void this.#get();
  }

  async untilGot(count: number, deadline = new Deadline()): Promise<readonly string[]> {
    while (this.#got.length < count) {
      if (!(await this.#news.next(deadline))) throw new Error(`got ${this.#got.length} messages for ${count}`);
    }
    return this.#got;
  }

  async end(): Promise<void> {
    if (this.#headers["mcp-session-id"] !== undefined) {
      await fetch(this.#url, { method: "DELETE", headers: this.#headers });
    }
    this.#abort.abort();
  }

  /** Opens the one stream of 2024-11-05, and waits for the address. */
  async #open(): Promise<void> {
    void this.#get();
    const deadline = new Deadline();
    while (this.#endpoint === this.#url) {
      if (!(await this.#news.next(deadline))) throw new Error("no address came");
    }
  }

  async #get(lastEventId?: string): Promise<void> {
    const headers = { accept: "text/event-stream", ...this.#headers };
    const { signal } = this.#abort;
    try {
      const resumed = lastEventId === undefined ? {} : { "last-event-id": lastEventId };
      await this.#read(await fetch(this.#url, { headers: { ...headers, ...resumed }, signal }));
    } catch (cause) {
      if (!signal.aborted) throw cause;
    }
  }

  /** Reads a stream of events to its end, and goes on with it where it has ended behind an id. */
  async #read(answer: Response): Promise<void> {
    let text = "";
    let id = "";
    for await (const chunk of (answer.body ?? new ReadableStream()).pipeThrough(new TextDecoderStream())) {
      text += chunk;
      for (let end = text.indexOf("\n\n"); end >= 0; end = text.indexOf("\n\n")) {
        const fields = text.slice(0, end).split("\n");
        text = text.slice(end + 2);
        const of = (name: string) =>
          fields.flatMap((f) => (f.startsWith(`${name}: `) ? [f.slice(name.length + 2)] : []));
        id = of("id")[0] ?? id;
        if (of("event")[0] === "endpoint") {
          this.#endpoint = new URL(of("data").join(""), this.#url).href;
          this.#news.tell();
        } else this.#take(of("data").join("\n"));
      }
    }
    if (id !== "") await this.#get(id);
  }

  #take(message: string): void {
    if (message === "") return;
    this.#got.push(message.replace(/[\r\n]/g, ""));
    const { result } = JSON.parse(message) as { result?: { protocolVersion?: string } };
    if (result?.protocolVersion !== undefined) this.#headers["mcp-protocol-version"] = result.protocolVersion;
    this.#news.tell();
  }
}

/** A raw host behind `bir proxy`. */
export class HostBehindProxy implements GoldenHost {
  readonly process: RunningProcess;

  constructor(box: Sandbox, peer: HttpPeer, { kind }: GoldenScript) {
    this.process = startRemote(box, peer, { flags: kind === "sse" ? ["--transport", "sse"] : [] });
  }

  async say({ say }: GoldenTurn): Promise<void> {
    await this.process.write(`${say}\n`);
  }

  async untilGot(count: number): Promise<readonly string[]> {
    return await this.process.stdout.untilLines(count);
  }

  async end(): Promise<void> {
    const { code } = await this.process.finish();
    if (code !== 0) throw new Error(`ended with ${code}: ${this.process.describe()}`);
  }
}
