/** What stands behind the HTTP side: the fixture itself, or a stdio command. Types only. */

import type { Id, Json, Message, Request } from "./message.ts";

/** Where a session's messages for the client go. */
export interface SessionOutput {
  /** @param about the client's request that this is part of; undefined when it is part of none */
  message(message: Message, about?: Id): void;
  /** Closes the stream of a request before its answer is there; the client comes back for the rest. */
  suspend(about: Id): void;
  /** There is nobody behind the session any more. */
  gone(): void;
}

/** One client of an era with sessions. */
export interface Session {
  send(message: Message): void;
  close(): Promise<void>;
}

export interface Backend {
  openSession(output: SessionOutput): Session;
  /** One request of 2026-07-28: `emit` gets its notifications, then its answer. Returns how to give it up. */
  exchange(request: Request, emit: (message: Message) => void): () => void;
  /** The definition of a tool, which tells the headers its arguments are mirrored in. */
  tool(name: string): Promise<Json | undefined>;
  close(): Promise<void>;
}
