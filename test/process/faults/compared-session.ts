/**
 * A session through the proxy that is held against the same session without it: everything the host says is kept, said
 * again to the same server started directly, and both must have answered the same bytes and ended the same way.
 */

import { expect } from "vitest";
import type { WireMessage } from "../../harness/byte-log.ts";
import { Deadline } from "../../harness/deadline.ts";
import { BIR } from "../../harness/locations.ts";
import type { Exit, RunningProcess } from "../../harness/running-process.ts";
import type { Launch, Sandbox } from "../../harness/sandbox.ts";
import { expectSameBytes } from "../../harness/untouched.ts";

export interface SessionOptions extends Launch {
  /** The server's command; the fake upstream when not given. */
  upstream?: readonly string[];
  flags?: readonly string[];
  /** A command that the proxy's command becomes the arguments of. */
  wrap?: readonly string[];
  /** The executable, where it goes by another name. */
  bir?: readonly string[];
}

/** A `tools/call` as one line. */
export function callLine(id: number | string, tool: string, args: object = {}): string {
  return `${JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params: { name: tool, arguments: args } })}\n`;
}

export class ComparedSession {
  readonly box: Sandbox;
  readonly host: RunningProcess;
  readonly #upstream: readonly string[];
  readonly #launch: Launch;
  readonly #said: Buffer[] = [];

  constructor(box: Sandbox, { upstream, flags = [], wrap = [], bir = [BIR, "proxy"], ...launch }: SessionOptions = {}) {
    this.box = box;
    this.#upstream = upstream ?? box.fake("--quiet");
    this.#launch = launch;
    this.host = box.start([...wrap, ...bir, "--server-name", "fake", ...flags, "--", ...this.#upstream], launch);
  }

  /** Writes to the server, and keeps it for the comparison. */
  async say(data: string | Uint8Array): Promise<void> {
    this.#said.push(Buffer.from(data as string));
    await this.host.write(data);
  }

  async request(id: number | string, method: string, params?: object): Promise<WireMessage> {
    await this.say(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
    return await this.host.stdout.untilAnswer(id);
  }

  async call(id: number | string, tool = "echo", args: object = {}): Promise<WireMessage> {
    await this.say(callLine(id, tool, args));
    return await this.host.stdout.untilAnswer(id);
  }

  /** Calls with the ids `from` up to `to` (not included), all at once; waits for the last answer. */
  async calls(from: number, to: number, args: (id: number) => object = (n) => ({ n })): Promise<void> {
    let lines = "";
    for (let id = from; id < to; id++) lines += callLine(id, "echo", args(id));
    await this.say(lines);
    await this.host.stdout.untilAnswer(to - 1);
  }

  /** The lines of ours on stderr. */
  ownLines(): string[] {
    return this.host.stderr.lines().filter((line) => line.startsWith("bir: "));
  }

  /** EOF; then the session must have been what it would have been without us. Answers how it ended. */
  async finish(deadline = new Deadline()): Promise<Exit> {
    const exit = await this.host.finish(deadline);
    await this.expectSameAsDirect(exit, deadline);
    return exit;
  }

  /** For a session that ended otherwise. `exit`: how a host sees the direct server end, where that differs. */
  async expectSameAsDirect(exit: Exit, deadline = new Deadline()): Promise<void> {
    const { env, ...rest } = this.#launch;
    const direct = this.box.start(this.#upstream, env === undefined ? rest : { ...rest, env });
    await direct.write(Buffer.concat(this.#said));
    const directExit = await direct.finish(deadline);
    expectSameBytes(this.host.stdout.bytes(), direct.stdout.bytes(), "what the host got");
    expect(exit, this.host.describe()).toEqual(directExit);
  }
}
