import type { Terminal } from "../../kit/terminal.ts";

/**
 * All that a command for people may know of the world, handed to it, so that every command also runs inside a test.
 * A command prints nothing except through here.
 */
export interface CliContext {
  /** `$BIR_HOME`. */
  home: string;
  /** The directory the command was run in. */
  cwd: string;
  /** The person's own home directory. */
  userHome: string;
  env: Record<string, string | undefined>;
  /** The words that start this program: the executable's path, and what has to stand behind it where it is not one. */
  executableWords: readonly [string, ...string[]];
  terminal: Terminal;
  /** Epoch ms. */
  now: () => number;
  /** For absolute times; the system's own when undefined. */
  timeZone: string | undefined;
  /** Whether the process with this pid and start time is there. */
  isAlive: (pid: number, startedAt: string) => boolean;
  /** To stdout, as it is; resolves when it is taken. */
  print: (text: string) => Promise<void>;
  /** One line to stderr. */
  printError: (line: string) => Promise<void>;
  /** All of stdin as text, at most a few KB of it: for what is piped in. */
  readInput: () => Promise<string>;
  /** One line from the person; null when there is nobody to answer. */
  ask: (question: string) => Promise<string | null>;
}
