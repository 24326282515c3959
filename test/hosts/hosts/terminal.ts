/**
 * A program in a real terminal: a tmux of its own (socket in the sandbox), typed into and read as a person would.
 * Owns that tmux server; it is gone when the program has ended or after `kill`. Knows no host.
 */

import { join } from "node:path";
import type { Sandbox } from "../../harness/sandbox.ts";

const LOOK_AGAIN_MS = 25;
const WAIT_MS = 30_000;

const CONFIGURATION = [
  "set -s escape-time 0",
  "set -g status off",
  "set -g focus-events on",
  "set -g default-terminal tmux-256color",
  "set -g history-limit 10000",
].join("\n");

export interface Program {
  command: readonly string[];
  /** The whole environment. */
  env: Record<string, string>;
  cwd: string;
}

/** A key by tmux's name, e.g. `Enter`, `Escape`, `Down`, `C-c`. */
export type Key = "Enter" | "Escape" | "C-u";

export class Terminal {
  readonly #tmux: readonly string[];
  readonly #env: Record<string, string>;

  private constructor(tmux: readonly string[], env: Record<string, string>) {
    this.#tmux = tmux;
    this.#env = env;
  }

  /** Starts the program in a terminal of 140 columns and 50 lines. */
  static async start(box: Sandbox, { command, env, cwd }: Program): Promise<Terminal> {
    const socket = join(box.directory, `tmux-${crypto.randomUUID().slice(0, 8)}`);
    const tmux = ["tmux", "-S", socket, "-f", box.file("tmux.conf", CONFIGURATION)];
    const terminal = new Terminal(tmux, env);
    await terminal.#run("new-session", "-d", "-s", "main", "-x", "140", "-y", "50", "-c", cwd, "--", ...command);
    return terminal;
  }

  /** What is on the screen now, without trailing spaces; empty once the program has ended. */
  async screen(): Promise<string> {
    const { stdout } = await this.#ask("capture-pane", "-p", "-t", "main");
    return stdout.trimEnd();
  }

  /** All that has scrolled through the terminal too. */
  async everything(): Promise<string> {
    const { stdout } = await this.#ask("capture-pane", "-p", "-J", "-S", "-", "-t", "main");
    return stdout.trimEnd();
  }

  /** Writes text as a person types it; no key behind it. */
  async type(text: string): Promise<void> {
    await this.#run("send-keys", "-t", "main", "-l", "--", text);
  }

  async press(...keys: Key[]): Promise<void> {
    for (const key of keys) await this.#run("send-keys", "-t", "main", key);
  }

  /** Waits until the screen holds this, and gives the screen. */
  async until(wanted: string | RegExp, withinMs = WAIT_MS): Promise<string> {
    const end = performance.now() + withinMs;
    for (;;) {
      const screen = await this.screen();
      if (typeof wanted === "string" ? screen.includes(wanted) : wanted.test(screen)) return screen;
      if (performance.now() > end || !(await this.isOpen()))
        throw new Error(`waited in vain for ${wanted} on the screen:\n${screen}`);
      await Bun.sleep(LOOK_AGAIN_MS);
    }
  }

  async isOpen(): Promise<boolean> {
    return (await this.#ask("has-session", "-t", "main")).code === 0;
  }

  /** Waits until the program has ended. */
  async untilClosed(withinMs = WAIT_MS): Promise<void> {
    const end = performance.now() + withinMs;
    while (await this.isOpen()) {
      if (performance.now() > end) throw new Error(`the program does not end; the screen:\n${await this.screen()}`);
      await Bun.sleep(LOOK_AGAIN_MS);
    }
  }

  /** Ends the terminal under the program. Harmless when it is closed. */
  async kill(): Promise<void> {
    await this.#ask("kill-server");
  }

  async #run(...words: string[]): Promise<void> {
    const { code, stderr } = await this.#ask(...words);
    if (code !== 0) throw new Error(`tmux ${words[0]}: ${stderr}`);
  }

  async #ask(...words: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
    const child = Bun.spawn([...this.#tmux, ...words], { env: this.#env, stdout: "pipe", stderr: "pipe" });
    const [stdout, stderr, code] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
      child.exited,
    ]);
    return { code, stdout, stderr };
  }
}
