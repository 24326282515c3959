/**
 * A server that a proxy stands in front of, whatever carries its messages: a child process with pipes, or a remote server behind HTTP.
 * Bytes in, bytes out; what they mean is the business of neither side of this seam.
 */

export type EndSignal = "SIGTERM" | "SIGINT" | "SIGHUP" | "SIGKILL";

export interface Upstream {
  /** What it is, in a log: a process and its number, or an address without credentials. */
  readonly label: string;
  /** Starts passing on bytes of the host. Answers null when they are taken already, else a promise for when they are. */
  write(bytes: Uint8Array): Promise<void> | null;
  /** True once it takes nothing any more. */
  readonly isDeaf: boolean;
  /** The host has closed its end: nothing more will be written. */
  end(): void;
  /** What it says to the host: lines, in chunks of any cut. */
  readonly output: ReadableStream<Uint8Array>;
  /** What it says to a person; null where there is no such channel. */
  readonly diagnostics: ReadableStream<Uint8Array> | null;
  /** Resolves with an exit status when it is gone; what it said may still have to be read. Never rejects. */
  readonly gone: Promise<number>;
  /** Passes a signal on to all that belongs to it. */
  signal(signal: EndSignal): void;
  /** Ends what it has left behind: gently, and by force after `graceMs`. */
  endRest(graceMs: number): Promise<void>;
}
