import { join } from "node:path";
import { type Conversation, text, use } from "../test/fakes/model-api/script.ts";
import type { Sandbox } from "../test/harness/sandbox.ts";
import { outcomeOf, SealedClaude } from "../test/hosts/hosts/sealed-claude.ts";
import { readRecorded } from "./lost-count.ts";

/**
 * What recording costs in the real Claude Code: the same scripted session with hooks and without, one after the other. Owns
 * the sessions and their clocks; the model is scripted and answers at once, so what is measured is the host and its hooks.
 */

export const CALLS = 20;
const VERSION = "2.1.332";
const ENDED_WITHIN_MS = 10_000;
const LOOK_AGAIN_MS = 20;

/** How the calls are spread over the model's messages. */
export type Shape = "one call a message" | "20 calls in one message";
export const SHAPES: readonly Shape[] = ["one call a message", "20 calls in one message"];

export interface SessionCost {
  /** From the model's first answer to when it is asked for its last, a call. */
  perCallMs: number;
  /** From the start of the host to its end. */
  wallMs: number;
}

/** When the model was asked for each turn of the session under way, by performance.now(). */
class Clock {
  readonly asked: number[] = [];

  conversation(shape: Shape): Conversation {
    const call = () => use("Bash", { command: "true", description: "Does nothing" });
    const one = shape === "one call a message";
    const messages = one ? Array.from({ length: CALLS }, () => [call()]) : [Array.from({ length: CALLS }, call)];
    const turns = [...messages, [text("Done.")]].map((content) => () => {
      this.asked.push(performance.now());
      return content;
    });
    return { name: one ? "single" : "batch", prompt: `Do nothing: ${shape}`, turns };
  }

  get perCallMs(): number {
    return ((this.asked.at(-1) ?? Number.NaN) - (this.asked[0] ?? Number.NaN)) / CALLS;
  }
}

export class HookSessions {
  readonly #box: Sandbox;
  readonly #host: SealedClaude;
  readonly #clock: Clock;
  /** Sessions that were recorded. */
  #recorded = 0;

  private constructor(box: Sandbox, host: SealedClaude, clock: Clock) {
    this.#box = box;
    this.#host = host;
    this.#clock = clock;
  }

  /** Makes two homes for the host: one with the hooks of `bir` in its settings, one without. */
  static async start(box: Sandbox, bir: string): Promise<HookSessions> {
    const clock = new Clock();
    const host = await SealedClaude.start(
      box,
      VERSION,
      SHAPES.map((shape) => clock.conversation(shape)),
    );
    const printed = Bun.spawnSync([bir, "hooks", "print-settings", "--host-version", VERSION], { env: box.env() });
    if (!printed.success) throw new Error(`bir hooks print-settings: ${printed.stderr.toString()}`);
    host.file(".claude/settings.json", JSON.parse(printed.stdout.toString()), "home-recorded");
    return new HookSessions(box, host, clock);
  }

  /** Runs one session and waits until nothing of it is left but the control server. */
  async run(shape: Shape, recorded: boolean): Promise<SessionCost> {
    this.#clock.asked.length = 0;
    const begun = performance.now();
    const running = await this.#host.start({
      prompt: `Do nothing: ${shape}`,
      servers: {},
      allowed: ["Bash"],
      home: recorded ? "home-recorded" : "home-plain",
    });
    const { code, result, stderr } = await outcomeOf(running);
    const wallMs = performance.now() - begun;
    if (code !== 0 || result !== "Done.") throw new Error(`the session ended with ${code}: ${stderr}`);
    if (recorded) this.#recorded++;
    await this.#untilQuiet();
    return { perCallMs: this.#clock.perCallMs, wallMs };
  }

  /** Ends the control server; answers how many calls the recordings lack of those that were made with hooks. */
  async lost(bir: string): Promise<number> {
    Bun.spawnSync([bir, "down"], { env: this.#box.env() });
    await this.#box.untilNoneLeft();
    return readRecorded(join(this.#box.birHome), this.#recorded * CALLS).lost;
  }

  async close(): Promise<void> {
    await this.#host.close();
  }

  async #untilQuiet(): Promise<void> {
    const end = performance.now() + ENDED_WITHIN_MS;
    while (this.#box.survivors().some(({ command }) => !/\bhooks serve\b/.test(command))) {
      if (performance.now() > end) throw new Error("processes of a session stay");
      await Bun.sleep(LOOK_AGAIN_MS);
    }
  }
}
