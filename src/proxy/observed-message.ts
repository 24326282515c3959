import type { Message } from "../jsonrpc/message.ts";
import type { Direction } from "./direction.ts";

/** One message that has passed, as the observers get to see it: a copy, looked at afterwards. */
export interface ObservedMessage {
  direction: Direction;
  message: Message;
  /** The text that the message's spans point into. */
  text: string;
  /** The end of a line whose middle was not captured; null where `text` has it all. */
  tail: string | null;
  /** Size of the line it came in. */
  totalBytes: number;
  /** Epoch ms, with fractions. */
  at: number;
}

/** Someone who looks at what has passed. Must not throw and must not keep `text` alive longer than needed. */
export interface MessageObserver {
  see(observed: ObservedMessage): void;
  /** A line that is no JSON-RPC, or one of which too little was captured to tell. */
  seeUnreadable?(direction: Direction, totalBytes: number, at: number, truncated: boolean): void;
}
