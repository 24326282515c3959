/**
 * Drives one child process over raw stdio: records every byte it writes, writes to it with back-pressure.
 * Owns the process handle; never interprets what passes, never ends the process by itself.
 */

import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { ByteLog, type Keep, type WireMessage } from "./byte-log.ts";
import { Deadline } from "./deadline.ts";

export interface StartOptions {
  env: Record<string, string>;
  cwd: string;
  /** `digest` for a stdout that is too large to keep. */
  stdout?: Keep;
  /** Do not read stdout until `resumeStdout` is called. */
  paused?: boolean;
}

export interface Exit {
  code: number | null;
  signal: string | null;
}

/** How many bytes are handed to the stream at a time when a test sends much. */
const PIECE_BYTES = 256 * 1024;

export class RunningProcess {
  readonly stdout: ByteLog;
  readonly stderr = new ByteLog("stderr");
  readonly command: readonly string[];
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #exited: Promise<Exit>;
  #exit: Exit | undefined;

  constructor(command: readonly string[], options: StartOptions) {
    this.command = command;
    this.stdout = new ByteLog("stdout", options.stdout);
    const [file = "", ...args] = command;
    const child = spawn(file, args, { env: options.env, cwd: options.cwd, stdio: ["pipe", "pipe", "pipe"] });
    this.#child = child;
    this.#exited = new Promise((resolve, reject) => {
      child.on("error", reject);
      child.on("exit", (code, signal) => {
        this.#exit = { code, signal };
        resolve(this.#exit);
      });
    });
    this.#exited.catch(() => {});
    // A write error is told by the write's own callback; without a listener it would end the test worker.
    child.stdin.on("error", () => {});
    child.stdout.on("error", () => this.stdout.end());
    child.stderr.on("error", () => this.stderr.end());
    child.stdout.on("close", () => this.stdout.end());
    child.stderr.on("close", () => this.stderr.end());
    child.stderr.on("data", (chunk: Buffer) => this.stderr.push(chunk));
    if (!options.paused) this.resumeStdout();
  }

  get pid(): number {
    return this.#child.pid ?? -1;
  }

  get running(): boolean {
    return this.#exit === undefined;
  }

  /** Resolves when the system has taken every byte; rejects (EPIPE) when the reader is gone. */
  async write(data: string | Uint8Array): Promise<void> {
    const bytes = typeof data === "string" ? Buffer.from(data) : data;
    for (let from = 0; from < bytes.length; from += PIECE_BYTES) {
      const piece = bytes.subarray(from, from + PIECE_BYTES);
      await new Promise<void>((resolve, reject) => {
        this.#child.stdin.write(piece, (error) => (error ? reject(error) : resolve()));
      });
    }
  }

  /** Writes one message as one line. */
  async send(message: unknown): Promise<void> {
    await this.write(`${JSON.stringify(message)}\n`);
  }

  /** Sends a request and waits for its answer. */
  async request(id: unknown, method: string, params?: unknown, deadline?: Deadline): Promise<WireMessage> {
    await this.send({ jsonrpc: "2.0", id, method, ...(params === undefined ? {} : { params }) });
    return await this.stdout.untilAnswer(id, deadline);
  }

  /** Sends a `tools/call` and waits for its answer. */
  async call(id: unknown, name: string, args: Record<string, unknown> = {}, meta?: object): Promise<WireMessage> {
    return await this.request(id, "tools/call", { name, arguments: args, ...(meta ? { _meta: meta } : {}) });
  }

  async closeStdin(): Promise<void> {
    await new Promise<void>((resolve) => this.#child.stdin.end(resolve));
  }

  /** Closes our reading end: what the process writes from now on fails. */
  closeStdout(): void {
    this.#child.stdout.destroy();
  }

  /** Closes our reading end of its stderr. */
  closeStderr(): void {
    this.#child.stderr.destroy();
  }

  pauseStdout(): void {
    this.#child.stdout.pause();
  }

  resumeStdout(): void {
    const { stdout } = this.#child;
    if (stdout.listenerCount("data") === 0) stdout.on("data", (chunk: Buffer) => this.stdout.push(chunk));
    stdout.resume();
  }

  signal(name: NodeJS.Signals): void {
    this.#child.kill(name);
  }

  /** Waits for the process to end and for both its streams to be read to their end. */
  async exit(deadline = new Deadline()): Promise<Exit> {
    if (!(await deadline.race(this.#exited))) throw new Error(`still running: ${this.describe()}`);
    const exit = await this.#exited;
    await this.stderr.untilEnd(deadline);
    if (this.#child.stdout.listenerCount("data") > 0) await this.stdout.untilEnd(deadline);
    return exit;
  }

  /** EOF on its stdin, then its end. */
  async finish(deadline?: Deadline): Promise<Exit> {
    await this.closeStdin();
    return await this.exit(deadline);
  }

  describe(): string {
    const state = this.#exit ? `ended with ${this.#exit.code ?? this.#exit.signal}` : "running";
    return `${this.command.join(" ").slice(0, 500)} (pid ${this.pid}, ${state})\n${this.stdout.describe()}\n${this.stderr.describe()}`;
  }
}
