/**
 * Claude Code in a terminal, as a person uses it: asks, waits for what the screen says, interrupts, answers its questions.
 * Owns the words of its screen; the terminal itself is terminal.ts. Starts nothing but what it is given.
 */

import type { Sandbox } from "../../harness/sandbox.ts";
import { type Program, Terminal } from "./terminal.ts";

const READY = "? for shortcuts";
const QUESTION = "Do you want to proceed?";
const ANSWER_MS = 15_000;
const PRESS_AGAIN_MS = 800;
const LOOK_AGAIN_MS = 25;
const BUSY = "esc to interrupt";
const IDLE = /^(?![\s\S]*esc to interrupt)/u;
/** A spinner or what it leaves behind, a tip, a notice that goes away. */
const PASSING = /^\s*(?:[✻✶✳✢✽·*] |⎿ {2}Tip:|⚠ )/u;
/** The line that is typed into; the versions mark it differently. */
const INPUT_MARK = "[❯>]";
const EMPTY = new RegExp(`^${INPUT_MARK}\\s*$`, "mu");

export class ClaudeTerminal {
  readonly terminal: Terminal;

  private constructor(terminal: Terminal) {
    this.terminal = terminal;
  }

  /** Starts it and waits until it can be typed into. */
  static async start(box: Sandbox, program: Program): Promise<ClaudeTerminal> {
    const terminal = await Terminal.start(box, program);
    await terminal.until(READY);
    return new ClaudeTerminal(terminal);
  }

  /** Sends a prompt, or a command of its own such as `/clear`. */
  async say(words: string): Promise<void> {
    // What is typed at once with its Enter would count as pasted. Behind a command stands what it may be given.
    const literal = words.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
    const typed = new RegExp(`^${INPUT_MARK}.${literal}(?:\\s+<[^\\n]*>)?\\s*$`, "mu");
    await this.terminal.type(words);
    for (const end = performance.now() + ANSWER_MS; !(await this.#shows(typed, PRESS_AGAIN_MS)); ) {
      const screen = await this.terminal.screen();
      if (performance.now() > end) throw new Error(`${words} cannot be typed:\n${screen}`);
      if (EMPTY.test(screen)) continue;
      // A prompt that was interrupted may come back into the input even now.
      await this.#emptyInput();
      await this.terminal.type(words);
    }
    await this.terminal.press("Enter");
  }

  /** Waits until this is on the screen. */
  async until(shown: string | RegExp): Promise<string> {
    return await this.terminal.until(shown);
  }

  /** Waits until this is on the screen and nothing goes on any more. */
  async untilSaid(answer: string | RegExp): Promise<void> {
    await this.terminal.until(answer);
    await this.terminal.until(IDLE);
  }

  /** Waits until it asks whether a call may run. */
  async untilAsked(): Promise<string> {
    return await this.terminal.until(QUESTION);
  }

  /** Answers that question. It takes no key in its first moments, so the key is pressed again when nothing comes of it. */
  async answer(choice: "yes" | "no" | "escape"): Promise<void> {
    await this.untilAsked();
    const end = performance.now() + ANSWER_MS;
    for (;;) {
      if (choice === "escape") await this.terminal.press("Escape");
      else await this.terminal.type(choice === "yes" ? "1" : "3");
      if (await this.#isGone(QUESTION, PRESS_AGAIN_MS)) break;
      if (performance.now() > end) throw new Error(`the question stays:\n${await this.terminal.screen()}`);
    }
    await this.#emptyInput();
  }

  async #isGone(shown: string, withinMs: number): Promise<boolean> {
    return await this.#within(withinMs, (screen) => !screen.includes(shown));
  }

  async #shows(wanted: RegExp, withinMs: number): Promise<boolean> {
    return await this.#within(withinMs, (screen) => wanted.test(screen));
  }

  async #within(ms: number, holds: (screen: string) => boolean): Promise<boolean> {
    for (const end = performance.now() + ms; performance.now() < end; await Bun.sleep(LOOK_AGAIN_MS)) {
      if (holds(await this.terminal.screen())) return true;
    }
    return false;
  }

  /** Stops what it is doing. `givenBack`: the prompt that comes back to be typed anew, since nothing was answered yet. */
  async interrupt(givenBack?: string): Promise<void> {
    await this.terminal.until(BUSY);
    await this.terminal.press("Escape");
    await this.terminal.until(IDLE);
    if (givenBack !== undefined) await this.terminal.until(new RegExp(`^${INPUT_MARK}.${givenBack}\\s*$`, "mu"));
    await this.#emptyInput();
  }

  /** Takes away what stands in the input: it would be a part of the next prompt. */
  async #emptyInput(): Promise<void> {
    if (EMPTY.test(await this.terminal.screen())) return;
    await this.terminal.press("C-u");
    await this.terminal.until(EMPTY);
  }

  /** Begins another conversation, and waits until the screen is empty. */
  async clear(): Promise<void> {
    await this.say("/clear");
    // The newer version keeps the command itself on the screen.
    await this.terminal.until(new RegExp(`^(?![\\s\\S]*${INPUT_MARK}.(?!/clear)\\S)[\\s\\S]*\\? for shortcuts`, "u"));
  }

  /** What the screen tells since this was said, without what is new each time: how long, in which words, tips. */
  async lastingScreen(since: string): Promise<string> {
    const screen = await this.terminal.screen();
    const lines = screen
      .slice(screen.indexOf(since))
      .replaceAll(/\d+s\b/g, "Ns")
      .split("\n");
    return lines.filter((line) => line.trim() !== "" && !PASSING.test(line)).join("\n");
  }

  /** Leaves it, and waits for its end. */
  async leave(): Promise<void> {
    await this.say("/exit");
    await this.terminal.untilClosed();
  }
}
