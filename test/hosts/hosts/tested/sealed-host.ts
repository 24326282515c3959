/**
 * Runs a real host sealed off: a home of its own, an environment of switches only, a scripted model that calls one tool of each of
 * two servers, and a trap for whatever it sends elsewhere. Owns the fakes; its processes belong to the sandbox. Judges only traffic.
 */

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { RemoteMcp } from "../../../fakes/remote-mcp/remote-mcp.ts";
import { ToolModel } from "../../../fakes/tool-model/tool-model.ts";
import { TrafficTrap } from "../../../fakes/traffic-trap.ts";
import { Deadline } from "../../../harness/deadline.ts";
import type { Sandbox } from "../../../harness/sandbox.ts";
import { FAR_TOKEN, type TestedHost } from "./tested-host.ts";

const PROMPT = "Call both of my servers";
const LAST_WORD = "Both were called.";
const SESSION_MS = 60_000;
/** What the model tells each server. */
export const TOLD = { near: "to the near one", far: "to the far one" } as const;

/** What one session looked like to everybody around the host. */
export interface Seen {
  code: number | null;
  /** It told the person what the model said last. */
  isDone: boolean;
  /** The names of the servers' tools as the model was offered them, sorted. */
  offered: string[];
  /** Whether what each server answered came back to the model, in the order of the calls. */
  results: string[];
  /** Name and arguments of the calls that reached each server. */
  calls: { near: object[]; far: object[] };
  /** For a person who reads why a test failed. */
  said: string;
}

export class SealedHost {
  readonly host: TestedHost;
  /** The file with the servers. */
  readonly config: string;
  readonly #box: Sandbox;
  readonly #model: ToolModel;
  readonly #far: RemoteMcp;
  readonly #trap: TrafficTrap;
  readonly #log: string;

  private constructor(box: Sandbox, host: TestedHost, model: ToolModel, far: RemoteMcp, trap: TrafficTrap) {
    this.#box = box;
    this.host = host;
    this.config = join(box.home, host.config);
    this.#model = model;
    this.#far = far;
    this.#trap = trap;
    this.#log = box.file("near.log", "");
  }

  /** Starts what is around the host, and writes its files into the home. */
  static async start(box: Sandbox, host: TestedHost): Promise<SealedHost> {
    const uses = (["near", "far"] as const).map((at) => ({ ...host.use(at, "echo"), input: { text: TOLD[at] } }));
    const required = { authorization: `Bearer ${FAR_TOKEN}` };
    const [model, far, trap] = await Promise.all([
      ToolModel.start(host.dialect, { prompt: PROMPT, uses, text: LAST_WORD }),
      RemoteMcp.start("streamable", { required, isVersionOptional: true }),
      TrafficTrap.start(),
    ]);
    const sealed = new SealedHost(box, host, model, far, trap);
    sealed.#write();
    return sealed;
  }

  #write(): void {
    const { host } = this;
    const [command = "", ...args] = this.#box.fake("--quiet", "--log", this.#log);
    const text = host.configText({ near: { command, args }, far: this.#far.url }, this.#model.url);
    for (const [name, content] of Object.entries({ [host.config]: text, ...host.files(this.#model.url) })) {
      const path = join(this.#box.home, name);
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
      writeFileSync(path, content, { mode: 0o600 });
    }
  }

  /** The variables of the person's shell. */
  get env(): Record<string, string> {
    return { ...this.#trap.env, FAR_TOKEN, ...this.host.env(this.#model.url) };
  }

  /** One session, to its end; the model says its last word when `beforeLastWord` is done. */
  async run(beforeLastWord: () => Promise<unknown> = async () => {}): Promise<Seen> {
    const before = { near: this.#nearCalls().length, far: this.#farCalls().length };
    this.#model.forget();
    this.#model.beforeLastWord = beforeLastWord;
    const TMPDIR = join(this.#box.directory, "tmp");
    mkdirSync(TMPDIR, { recursive: true, mode: 0o700 });
    const command = [...this.host.command, ...this.host.args(PROMPT)];
    const running = this.#box.start(command, { env: { ...this.env, TMPDIR } });
    await running.closeStdin();
    const { code } = await running.exit(new Deadline(SESSION_MS));
    const { asked } = this.#model;
    const offered = asked[0]?.offered.filter((name) => /near|far/.test(name)).toSorted() ?? [];
    return {
      code,
      isDone: running.stdout.text().includes(LAST_WORD),
      offered,
      results: asked.at(-1)?.results ?? [],
      calls: { near: this.#nearCalls().slice(before.near), far: this.#farCalls().slice(before.far) },
      said: running.describe(),
    };
  }

  async close(): Promise<void> {
    await Promise.all([this.#model.close(), this.#far.close(), this.#trap.close()]);
  }

  /** What it asked of the model's API that this does not have, of anybody else, and of the far server that no client may do. */
  strayTraffic(): string[] {
    const elsewhere = this.#trap.caught.filter((request) => !this.host.asksAnyway.includes(request));
    return [...this.#model.unexpected, ...elsewhere, ...this.#far.peer.faults];
  }

  #nearCalls(): object[] {
    const lines = readFileSync(this.#log, "utf8").split("\n");
    return lines.flatMap((line) => (line === "" ? [] : callOf(JSON.parse(line))));
  }

  #farCalls(): object[] {
    return this.#far.peer.like("tools/call").flatMap(({ message }) => callOf(message));
  }
}

function callOf({ method, params }: { method?: string; params?: Record<string, unknown> }): object[] {
  return method === "tools/call" ? [{ name: params?.name, arguments: params?.arguments }] : [];
}
