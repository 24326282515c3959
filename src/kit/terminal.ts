import { isatty, WriteStream } from "node:tty";

/** What is at the other end of stdin and stdout, and a question to the person there. */

export interface Terminal {
  /** True when stdout may be coloured: a terminal, and nothing in the environment says no. */
  color: boolean;
  /** Width of the terminal that stdout is, in columns; null when it is none. */
  columns: number | null;
  /** True when a person can be asked: stdin and stderr are terminals. */
  interactive: boolean;
}

/** Looks at this process's streams. https://no-color.org is obeyed. */
export function terminalOf(env: Record<string, string | undefined> = process.env): Terminal {
  const isTerminal = isatty(1);
  return {
    color: isTerminal && !env.NO_COLOR && env.TERM !== "dumb",
    columns: isTerminal ? new WriteStream(1).columns || 80 : null,
    interactive: isatty(0) && isatty(2),
  };
}

/** Columns that a text takes on a terminal; it must not hold control characters. */
export function textWidth(text: string): number {
  return Bun.stringWidth(text);
}

/** Asks on stderr and answers with one line of stdin, without its line end; null when stdin ends first. */
export async function ask(question: string): Promise<string | null> {
  await Bun.write(Bun.stderr, question);
  const reader = Bun.stdin.stream().getReader();
  const decoder = new TextDecoder();
  let typed = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return typed === "" ? null : typed;
      typed += decoder.decode(value, { stream: true });
      const end = typed.indexOf("\n");
      if (end >= 0) return typed.slice(0, end).replace(/\r$/, "");
    }
  } finally {
    await reader.cancel();
  }
}
