/**
 * A test's own small world: an empty HOME and BIR_HOME, a working directory, and every process started in it.
 * Owns them: `dispose` fails when a process outlived the test (and kills it), and removes the directory.
 * Nothing of the developer's environment but PATH and the locale reaches a process started here.
 */

import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { BIR, BUN, FAKE_UPSTREAM } from "./locations.ts";
import { killAll, MARK_VARIABLE, type MarkedProcess, markedProcesses } from "./marked-processes.ts";
import { RunningProcess } from "./running-process.ts";

/** How long a process that was told to go may take to be gone. */
const LINGER_MS = 8000;
const LOOK_AGAIN_MS = 20;

export interface Launch {
  env?: Record<string, string>;
  cwd?: string;
  stdout?: "all" | "digest";
  paused?: boolean;
}

export interface CliResult {
  code: number | null;
  signal: string | null;
  stdout: string;
  stderr: string;
}

/** What stands before an upstream's command so that it runs behind the proxy. */
export interface ProxyOptions extends Launch {
  /** `--server-name`; "fake" when not given. */
  name?: string;
  /** More options of `bir proxy`. */
  flags?: readonly string[];
}

export class Sandbox {
  readonly directory = realpathSync(mkdtempSync(join(tmpdir(), "bir-test-")));
  readonly home = this.directoryFor("home");
  readonly cwd = this.directoryFor("project");
  readonly birHome = join(this.home, ".baseinstrunner");
  readonly mark = crypto.randomUUID();
  #files = 0;

  /** The whole environment of a process started here. */
  env(extra: Record<string, string> = {}): Record<string, string> {
    const { PATH = "/usr/bin:/bin" } = process.env;
    const fixed = { PATH, HOME: this.home, BIR_HOME: this.birHome, LANG: "C.UTF-8", TERM: "dumb" };
    return { ...fixed, ...extra, [MARK_VARIABLE]: this.mark };
  }

  start(command: readonly string[], { env, cwd = this.cwd, ...rest }: Launch = {}): RunningProcess {
    return new RunningProcess(command, { env: this.env(env), cwd, ...rest });
  }

  /** Starts `upstream` behind `bir proxy`. */
  startProxy(upstream: readonly string[], { name = "fake", flags = [], ...launch }: ProxyOptions = {}): RunningProcess {
    return this.start([BIR, "proxy", "--server-name", name, ...flags, "--", ...upstream], launch);
  }

  /** Runs `bir ARGS…` to its end with this sandbox's home. */
  async bir(args: readonly string[], { stdin, ...launch }: Launch & { stdin?: string } = {}): Promise<CliResult> {
    const cli = this.start([BIR, ...args], launch);
    if (stdin !== undefined) await cli.write(stdin).catch(() => {});
    const { code, signal } = await cli.finish();
    return { code, signal, stdout: cli.stdout.text(), stderr: cli.stderr.text() };
  }

  /** The command of the fake upstream. */
  fake(...flags: readonly string[]): string[] {
    return [BUN, FAKE_UPSTREAM, ...flags];
  }

  /** A path in the sandbox that nothing uses yet; with `content`, a file there. */
  file(name: string, content?: string | Uint8Array): string {
    const path = join(this.directory, `${++this.#files}-${name}`);
    if (content !== undefined) writeFileSync(path, content);
    return path;
  }

  survivors(): MarkedProcess[] {
    return markedProcesses(this.mark);
  }

  /** Waits until no process of this sandbox is left; the ones that stay are returned. */
  async untilNoneLeft(withinMs = LINGER_MS): Promise<MarkedProcess[]> {
    const end = performance.now() + withinMs;
    for (;;) {
      const left = this.survivors();
      if (left.length === 0 || performance.now() >= end) return left;
      await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
    }
  }

  /** Kills what is left without a complaint: for a test whose subject is a process that stays. */
  async killSurvivors(): Promise<void> {
    // Again and again: one that was just being started is not seen by every look.
    for (let left = this.survivors(); left.length > 0; left = await this.untilNoneLeft(LOOK_AGAIN_MS)) killAll(left);
  }

  /**
   * @param failed the test failed already: do not wait for stragglers, and do not complain about them
   * @param lingerMs how long processes may take to be gone
   */
  async dispose(failed = false, lingerMs = LINGER_MS): Promise<void> {
    const left = await this.untilNoneLeft(failed ? 0 : lingerMs);
    await this.killSurvivors();
    rmSync(this.directory, { recursive: true, force: true });
    if (left.length > 0 && !failed) {
      throw new Error(`left running after the test:\n${left.map((p) => `${p.pid} ${p.command}`).join("\n")}`);
    }
  }

  private directoryFor(name: string): string {
    const path = join(this.directory, name);
    mkdirSync(path, { recursive: true, mode: 0o700 });
    return path;
  }
}
