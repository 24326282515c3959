/**
 * One stdio command as a peer: a JSON-RPC message a line, both ways. Owns the child; knows nothing of MCP.
 * `close` always ends it: end of input first, then signals.
 */

import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import type { Message } from "./message.ts";

/** How long a command may take to end by itself after the end of its input, and after SIGTERM. */
const GRACE_MS = 10_000;

export interface StdioPeerOptions {
  env?: NodeJS.ProcessEnv;
  onMessage(message: Message): void;
  /** Called once; with a line that is no JSON, or with what ended the command. */
  onEnd(reason: string): void;
}

export class StdioPeer {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #exited: Promise<void>;
  #stderr = "";

  constructor(command: readonly string[], { env, onMessage, onEnd }: StdioPeerOptions) {
    const [file = "", ...args] = command;
    const child = spawn(file, args, { stdio: "pipe", ...(env ? { env } : {}) });
    this.#child = child;
    child.stdin.on("error", () => {});
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      this.#stderr = (this.#stderr + text).slice(-4000);
    });
    createInterface({ input: child.stdout }).on("line", (line) => {
      try {
        onMessage(JSON.parse(line));
      } catch (error) {
        onEnd(`a line that could not be taken: ${line} (${error})`);
      }
    });
    this.#exited = new Promise((resolve) => {
      child.on("error", (error) => resolve(onEnd(String(error))));
      child.on("close", (code, signal) => resolve(onEnd(`it ended with ${code ?? signal}: ${this.#stderr}`)));
    });
  }

  send(message: Message): void {
    this.#child.stdin.write(`${JSON.stringify(message)}\n`);
  }

  /** Ends its input and waits until it is gone. */
  async close(): Promise<void> {
    this.#child.stdin.end();
    const signals = (["SIGTERM", "SIGKILL"] as const).map((signal, index) =>
      setTimeout(() => this.#child.kill(signal), GRACE_MS * (index + 1)),
    );
    await this.#exited;
    for (const timer of signals) clearTimeout(timer);
  }
}
