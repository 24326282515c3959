/**
 * A host that keeps a fixed number of calls open through one stdio proxy and holds every line it is answered with against
 * what it asked: each call is answered once, with its own answer, after its own progress. Owns the proxy's process.
 */

export interface LoadHostOptions {
  command: string[];
  env: Record<string, string>;
  inFlight: number;
  /** Asked before each call: false ends the load. */
  wantsMore: (calls: number) => boolean;
}

interface OpenCall {
  token: string;
  progress: number;
  sentAt: number;
}

interface Line {
  id?: unknown;
  method?: string;
  result?: { content?: { text?: string }[] };
  error?: { code: number; message: string };
  params?: { progressToken?: unknown; progress?: unknown };
}

/** A call that is open for so long will never be answered. */
const PATIENCE_MS = 30_000;
const LOOK_MS = 500;
const END_MS = 10_000;
const FIRST_ID = "hello";
/** On stderr: that a session was begun anew. */
const TOLD_AS_IT_SHOULD = /\(DEG-18\)$/;
const MOST_LINES = 5;

export class LoadHost {
  calls = 0;
  answered = 0;
  /** What was wrong, in words. */
  readonly faults: string[] = [];
  readonly #options: LoadHostOptions;
  readonly #child: Bun.Subprocess<"pipe", "pipe", "pipe">;
  readonly #open = new Map<number, OpenCall>();
  readonly #over = Promise.withResolvers<void>();
  readonly #reading: Promise<void>;
  readonly #stderr: Promise<string>;

  constructor(options: LoadHostOptions) {
    this.#options = options;
    const stdio = { stdin: "pipe", stdout: "pipe", stderr: "pipe" } as const;
    this.#child = Bun.spawn(options.command, { ...stdio, env: options.env });
    this.#reading = this.#read();
    this.#stderr = new Response(this.#child.stderr).text();
  }

  get pid(): number {
    return this.#child.pid;
  }

  /** Makes the calls and waits until each is answered or nothing comes any longer. */
  async run(): Promise<void> {
    const clientInfo = { name: "load", version: "1" };
    const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo };
    this.#write({ jsonrpc: "2.0", id: FIRST_ID, method: "initialize", params });
    const looking = setInterval(() => this.#giveUpIfStuck(), LOOK_MS);
    await this.#over.promise;
    clearInterval(looking);
    const oldest = [...this.#open.keys()].slice(0, 5).join(", ");
    if (this.#open.size > 0) this.faults.push(`${this.#open.size} calls were never answered: ${oldest}…`);
  }

  /** Closes the proxy's stdin and waits for its end. */
  async end(): Promise<void> {
    this.#child.stdin.end();
    const impatience = setTimeout(() => {
      this.faults.push("the proxy did not end with its stdin");
      this.#child.kill("SIGKILL");
    }, END_MS);
    const code = await this.#child.exited;
    clearTimeout(impatience);
    await this.#reading;
    const said = (await this.#stderr).split("\n").filter((line) => line !== "" && !TOLD_AS_IT_SHOULD.test(line));
    if (code !== 0) this.faults.push(`the proxy ended with ${code}`);
    for (const line of said.slice(0, MOST_LINES)) this.faults.push(`the proxy said: ${line.slice(0, 300)}`);
  }

  #begin(): void {
    this.#write({ jsonrpc: "2.0", method: "notifications/initialized" });
    for (let i = 0; i < this.#options.inFlight; i++) this.#next();
  }

  #next(): void {
    if (!this.#options.wantsMore(this.calls)) {
      if (this.#open.size === 0) this.#over.resolve();
      return;
    }
    const n = ++this.calls;
    const token = crypto.randomUUID();
    this.#open.set(n, { token, progress: 0, sentAt: performance.now() });
    const params = { name: "work", arguments: { n, token }, _meta: { progressToken: n } };
    this.#write({ jsonrpc: "2.0", id: n, method: "tools/call", params });
  }

  #write(message: object): void {
    this.#child.stdin.write(`${JSON.stringify(message)}\n`);
    void this.#child.stdin.flush();
  }

  async #read(): Promise<void> {
    const decoder = new TextDecoder();
    let rest = "";
    for await (const chunk of this.#child.stdout) {
      const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) this.#take(line);
    }
    if (rest !== "") this.faults.push(`an unfinished line: ${rest.slice(0, 100)}`);
    this.#over.resolve();
  }

  #take(text: string): void {
    let line: Line;
    try {
      line = JSON.parse(text);
    } catch {
      this.faults.push(`not JSON: ${text.slice(0, 100)}`);
      return;
    }
    if (line.method === "notifications/progress") this.#takeProgress(line);
    else if (line.method === "ping") this.#write({ jsonrpc: "2.0", id: line.id, result: {} });
    else if (line.id === FIRST_ID && this.calls === 0 && line.result !== undefined) this.#begin();
    else this.#takeAnswer(line, text);
  }

  #takeProgress({ params }: Line): void {
    const call = this.#open.get(Number(params?.progressToken));
    if (call === undefined) this.faults.push(`progress of no open call: ${JSON.stringify(params)}`);
    else if (params?.progress !== ++call.progress) {
      this.faults.push(`progress ${params?.progress} of call ${params?.progressToken} instead of ${call.progress}`);
    }
  }

  #takeAnswer(line: Line, text: string): void {
    const n = line.id;
    const call = typeof n === "number" ? this.#open.get(n) : undefined;
    if (typeof n !== "number" || call === undefined) {
      this.faults.push(`an answer that nobody waits for: ${text.slice(0, 200)}`);
      return;
    }
    this.#open.delete(n);
    this.answered++;
    const expected = `${n} ${call.token} ${call.progress}`;
    const got = line.result?.content?.[0]?.text;
    if (got !== expected) this.faults.push(`call ${n} waited for '${expected}', got ${text.slice(0, 200)}`);
    this.#next();
  }

  #giveUpIfStuck(): void {
    const [oldest] = this.#open.values();
    if (oldest !== undefined && performance.now() - oldest.sentAt > PATIENCE_MS) this.#over.resolve();
  }
}
