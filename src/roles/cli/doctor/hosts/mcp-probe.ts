/**
 * Asks a program whether it is an MCP server: the handshake and the list of its tools, then its end. Calls no tool. Bounded in time
 * and size; nothing of what it starts stays.
 */

export type ProbeResult =
  | { kind: "answers"; tools: number }
  /** It runs, and says nothing that is an answer in time. */
  | { kind: "silent" }
  /** It answers with an error, as a proxy does for a server that is not there. */
  | { kind: "refuses" }
  | { kind: "ended"; code: number | null }
  | { kind: "not-started" };

export interface ProbeOrder {
  command: readonly string[];
  /** Its whole environment. */
  env: Readonly<Record<string, string | undefined>>;
  cwd: string;
  withinMs: number;
}

const MOST_CHARACTERS = 8 * 1024 * 1024;
/** A proxy gives its server 2 s, twice, before it kills it. */
const END_MS = 5000;

const METHOD_NOT_FOUND = -32601;

const INITIALIZE = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "bir-doctor", version: "1" } },
};
const INITIALIZED = { jsonrpc: "2.0", method: "notifications/initialized" };
const LIST = { jsonrpc: "2.0", id: 2, method: "tools/list", params: {} };

export async function probeServer({ command, env, cwd, withinMs }: ProbeOrder): Promise<ProbeResult> {
  let child: ReturnType<typeof start>;
  try {
    child = start(command, env, cwd);
  } catch {
    return { kind: "not-started" };
  }
  const answers = new Answers(child.stdout);
  const timer = setTimeout(() => answers.stop(), withinMs);
  try {
    send(child, INITIALIZE);
    const greeted = await answers.to(1);
    if (greeted === null) return await withoutAnswer(child);
    if (isRefusal(greeted)) return { kind: "refuses" };
    send(child, INITIALIZED, LIST);
    const listed = await answers.to(2);
    if (listed === null) return await withoutAnswer(child);
    return isRefusal(listed) ? { kind: "refuses" } : { kind: "answers", tools: toolsIn(listed) };
  } finally {
    clearTimeout(timer);
    await end(child);
    answers.stop();
  }
}

function start(command: readonly string[], env: ProbeOrder["env"], cwd: string) {
  return Bun.spawn([...command], {
    stdio: ["pipe", "pipe", "ignore"],
    env: { ...env },
    cwd,
    windowsHide: true,
  });
}

type Child = ReturnType<typeof start>;

function send(child: Child, ...messages: object[]): void {
  try {
    for (const message of messages) child.stdin.write(`${JSON.stringify(message)}\n`);
    child.stdin.flush();
  } catch {
    // It has ended: that is seen where its answer is waited for.
  }
}

async function withoutAnswer(child: Child): Promise<ProbeResult> {
  // Its output may end a moment before it does.
  const hasEnded = await Promise.race([child.exited.then(() => true), Bun.sleep(200).then(() => false)]);
  return hasEnded ? { kind: "ended", code: child.exitCode } : { kind: "silent" };
}

/** As hosts end a server: its input first, then signals. */
async function end(child: Child): Promise<void> {
  try {
    await child.stdin.end();
  } catch {
    // It took no more.
  }
  for (const signal of ["SIGTERM", "SIGKILL"] as const) {
    if (await Promise.race([child.exited.then(() => true), Bun.sleep(END_MS).then(() => false)])) return;
    child.kill(signal);
  }
  await child.exited;
}

/** A server need not know these requests to be one: without a handshake, or without tools. */
function isRefusal({ error }: Record<string, unknown>): boolean {
  const code = typeof error === "object" && error !== null && "code" in error ? error.code : null;
  return error !== undefined && code !== METHOD_NOT_FOUND;
}

function toolsIn(answer: Record<string, unknown>): number {
  const { result } = answer;
  const tools = typeof result === "object" && result !== null && "tools" in result ? result.tools : null;
  return Array.isArray(tools) ? tools.length : 0;
}

/** The messages that a server puts out, a line each. */
class Answers {
  readonly #reader: ReturnType<typeof readerOf>;
  readonly #decoder = new TextDecoder();
  #text = "";
  #isOver = false;

  constructor(stream: ReadableStream<Uint8Array>) {
    this.#reader = readerOf(stream);
  }

  stop(): void {
    this.#isOver = true;
    void this.#reader.cancel().catch(() => {});
  }

  /** The answer to a request; null when there is none before the end. */
  async to(id: number): Promise<Record<string, unknown> | null> {
    for (;;) {
      const line = await this.#line();
      if (line === null) return null;
      const message = parsed(line);
      if (message !== null && message.id === id && ("result" in message || "error" in message)) return message;
    }
  }

  async #line(): Promise<string | null> {
    for (;;) {
      const at = this.#text.indexOf("\n");
      if (at >= 0) {
        const line = this.#text.slice(0, at);
        this.#text = this.#text.slice(at + 1);
        return line;
      }
      if (this.#isOver || this.#text.length > MOST_CHARACTERS) return null;
      const { done, value } = await this.#reader.read();
      if (done) return null;
      this.#text += this.#decoder.decode(value, { stream: true });
    }
  }
}

function readerOf(stream: ReadableStream<Uint8Array>) {
  return stream.getReader();
}

function parsed(line: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
}
